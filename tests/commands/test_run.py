"""The whole job in processes of its own: command, production server, database; and some of them are killed."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

import pytest
import urllib3

from claimsite.replay import trace
from claimsite.replay.client import Placement
from claimsite.replay.job import Job, Watcher
from tests.postgres import free_ports

ROOT = Path(__file__).resolve().parent.parent.parent
NODES = "sn,cpu_milli,memory_mib,gpu,model\n" + "".join(f"node-{n},64000,131072,4,T4\n" for n in range(4))
HEADER = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n"

BARE_METAL = json.dumps(
    {
        "name": "chartreuse2-1",
        "site": "grenoble",
        "cluster": "chartreuse2",
        "arch": "x86_64",
        "threads": 40,
        "cores": 20,
        "ram_mb": 32768,
        "nics": [{"enabled": True, "gbps": 10, "interface": "Ethernet", "mac": "02:de:68:cf:91:ef"}],
    }
)


@pytest.fixture
def site(tmp_path, database_url):
    """The environment of a site of the test's own."""
    (port,) = free_ports(1)
    return os.environ | {
        "CLAIMSITE_DATABASE_URL": database_url,
        "CLAIMSITE_BIND": f"127.0.0.1:{port}",
        "CLAIMSITE_VAR_DIR": str(tmp_path / "var"),
    }


@pytest.fixture
def nodes(tmp_path):
    path = tmp_path / "nodes.csv"
    path.write_text(NODES)
    return path


@pytest.fixture
def pods(tmp_path):
    """More than the four machines have room for."""
    path = tmp_path / "pods.csv"
    path.write_text(HEADER + "".join(f"pod-{number},1000,512,1,100,\n" for number in range(200)))
    return path


def manage(site, *arguments):
    return subprocess.run(
        [sys.executable, "manage.py", *map(str, arguments)],
        cwd=ROOT,
        env=site,
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )


def answers(site):
    try:
        return urllib3.request("GET", f"http://{site['CLAIMSITE_BIND']}/readiness", retries=False).status == 200
    except urllib3.exceptions.HTTPError:
        return False


class TestRun:
    def test_from_nothing_to_a_full_cluster_and_again(self, site, nodes, pods):
        arguments = ("run", "--exit", "--json", f"--machines={nodes}", f"--requests={pods}", "--limit=170")

        first, again = manage(site, *arguments), manage(site, *arguments)

        assert (first.returncode, again.returncode) == (0, 0), first.stderr + again.stderr
        reports = [json.loads(done.stdout) for done in (first, again)]
        assert [report["claimed"] for report in reports] == [160, 160]
        assert [report["refused"]["no_room_why"] for report in reports] == [{"CUSTOM_GPU_MILLI": 10}] * 2
        assert [report["released_earlier"] for report in reports] == [0, 160]
        assert not answers(site)

    def test_a_port_that_is_taken_is_told_before_anything_is_loaded(self, site, nodes, pods):
        with subprocess.Popen([sys.executable, "-m", "http.server", *reversed_bind(site)], cwd=nodes.parent) as other:
            try:
                wait_for(lambda: not free(site))
                done = manage(site, "run", "--exit", f"--machines={nodes}", f"--requests={pods}", "--limit=1")
            finally:
                other.terminate()

        assert done.returncode == 1
        assert f"Something else listens on {site['CLAIMSITE_BIND']}." in done.stderr
        assert "CLAIMSITE_BIND=" in done.stderr
        assert done.stdout == ""

    def test_a_site_that_runs_already_is_used_and_left_running(self, site, nodes, pods, server):
        done = manage(site, "run", "--exit", f"--machines={nodes}", f"--requests={pods}", "--limit=1")

        assert done.returncode == 0
        assert f"A site is running at http://{site['CLAIMSITE_BIND']} already: using it." in done.stdout
        assert "No conductor works there" in done.stdout
        assert not Path(site["CLAIMSITE_VAR_DIR"], "conductor.log").exists()
        assert answers(site)

    def test_a_site_with_another_database_is_not_taken_for_ours(self, site, nodes, pods, server, tmp_path):
        other = site | {"CLAIMSITE_DATABASE_URL": f"sqlite:///{tmp_path}/other.sqlite3"}

        done = manage(other, "run", "--exit", f"--machines={nodes}", f"--requests={pods}", "--limit=1")

        assert done.returncode == 1
        assert "on another database" in done.stderr


class TestTheConductorOfARun:
    @pytest.fixture
    def machine(self, tmp_path):
        path = tmp_path / "bare-metal.jsonl"
        path.write_text(BARE_METAL)
        return path

    def test_takes_nodes_from_state_to_state_and_ends_with_the_site(self, site, nodes, pods, machine):
        with running(site, "--machines", nodes, machine, f"--requests={pods}", "--limit=1") as run:
            turned_on = baremetal(site, "PUT", "/states/power", {"target": "power on"})
            wait_for(lambda: baremetal(site, "GET").json()["power_state"] == "power on")
            children = processes_under(run)
            run.send_signal(signal.SIGINT)
            status = run.wait(timeout=60)

        assert turned_on.status == 202
        assert len(children) == 2
        assert status == 0
        assert not any(Path(f"/proc/{child}").exists() for child in children)

    def test_ends_when_the_replay_is_interrupted(self, site, nodes, pods, machine):
        pods.write_text(HEADER + "".join(f"pod-{number},1,1,0,0,\n" for number in range(20_000)))
        with running(site, "--machines", nodes, machine, f"--requests={pods}", until="Replaying") as run:
            children = processes_under(run)
            run.send_signal(signal.SIGTERM)
            run.wait(timeout=60)

        assert len(children) == 2
        assert not any(Path(f"/proc/{child}").exists() for child in children)


class TestTheProductionServer:
    def test_loses_doubles_and_leaks_nothing_when_its_workers_are_killed(self, site, nodes, pods, server):
        requests = trace.read(pods)
        placement = Placement(f"http://{site['CLAIMSITE_BIND']}/placement", connections=6)
        done = threading.Semaphore(0)

        killer = threading.Thread(target=kill_workers, args=(server, done))
        killer.start()
        report = Job(placement, requests, [one.consumer for one in requests], clients=6).run(
            Watcher(ended=lambda outcome: done.release())
        )
        killer.join()

        assert [invariant["examples"] for invariant in report["invariants"] if not invariant["holds"]] == []
        assert report["claimed"] == 160
        assert report["races"]["lost_answers"] > 0

    def test_takes_a_query_that_names_two_hundred_aggregates(self, site, server):
        aggregates = ",".join(str(uuid.uuid4()) for _ in range(200))

        answer = urllib3.request(
            "GET",
            f"http://{site['CLAIMSITE_BIND']}/placement/allocation_candidates?resources=VCPU:1&member_of=in:{aggregates}",
            headers={"X-Auth-Token": "admin", "OpenStack-API-Version": "placement 1.39"},
        )

        assert (answer.status, answer.json()["allocation_requests"]) == (200, [])

    @pytest.mark.skipif(sys.platform != "linux", reason="elsewhere workers notice it after a while")
    def test_frees_its_address_when_it_is_killed_while_a_client_is_busy(self, site, server):
        ended = threading.Event()
        client = threading.Thread(target=ask_until_refused, args=(site, ended), daemon=True)
        client.start()

        server.kill()

        assert ended.wait(timeout=15)
        assert free(site)

    def test_ends_by_itself_when_asked_to(self, server):
        server.send_signal(signal.SIGTERM)

        assert server.wait(timeout=40) == 0


@contextlib.contextmanager
def running(site, *arguments, until="The site keeps running."):
    """The command, from the moment when it has said so."""
    command = [sys.executable, "-u", "manage.py", "run", *map(str, arguments)]
    with subprocess.Popen(command, cwd=ROOT, env=site, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert any(until in line for line in process.stdout), "it ended too early"
            yield process
        finally:
            process.terminate()


def processes_under(process):
    return Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()


def baremetal(site, method, path="", body=None):
    return urllib3.request(
        method,
        f"http://{site['CLAIMSITE_BIND']}/baremetal/v1/nodes/chartreuse2-1{path}",
        json=body,
        headers={"X-Auth-Token": "admin", "X-OpenStack-Ironic-API-Version": "1.81"},
        retries=False,
    )


@pytest.fixture
def server(site, nodes):
    with subprocess.Popen([sys.executable, "-m", "gunicorn"], cwd=ROOT, env=site, stderr=subprocess.DEVNULL) as process:
        try:
            wait_for(lambda: answers(site))
            assert manage(site, "load_machines", nodes).returncode == 0
            yield process
        finally:
            process.terminate()


def kill_workers(server, done):
    """Three times, each after some more requests have ended: all workers at once."""
    for _ in range(3):
        for _ in range(40):
            done.acquire(timeout=60)
        for worker in Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(worker), signal.SIGKILL)


def ask_until_refused(site, ended):
    """One request after the other, on a connection that is kept as long as the server lets us."""
    with urllib3.PoolManager(maxsize=1) as pool, contextlib.suppress(urllib3.exceptions.HTTPError):
        while True:
            pool.request("GET", f"http://{site['CLAIMSITE_BIND']}/placement/", retries=False)
    ended.set()


def reversed_bind(site):
    host, _, port = site["CLAIMSITE_BIND"].partition(":")
    return [port, "--bind", host]


def free(site):
    with contextlib.suppress(urllib3.exceptions.HTTPError):
        urllib3.request("GET", f"http://{site['CLAIMSITE_BIND']}/", retries=False)
        return False
    return True


def wait_for(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.1)
