"""What all clean-up commands have in common."""

import io
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection

from claimsite.foundation import findings
from claimsite.foundation.cleanup import CleanupCommand
from claimsite.foundation.uuids import new_uuid
from claimsite.operations import repairs
from ironic_app.models import Node
from placement_app.models import Consumer, Inventory
from placement_app.services import allocations
from tests import builders, racing
from tests.commands import running
from tests.commands.cleanups import COMMANDS, everything, running_command
from tests.commands.faults import held, plant
from tests.commands.running import report, run

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).resolve().parents[2]


class TestEveryCleanup:
    def test_is_covered_here(self):
        from django.core.management import get_commands, load_command_class

        ours = {
            name
            for name, app in get_commands().items()
            if app in {"claimsite.operations", "placement_app", "ironic_app"}
            and isinstance(load_command_class(app, name), CleanupCommand)
        }

        assert ours == set(COMMANDS)

    def test_says_that_there_is_nothing(self, command):
        name, _, acting, options = command

        assert run(name, *options)[0] == 0
        assert run(name, *options, *acting)[0] == 0

    def test_changes_nothing_unless_told_to_act(self, command):
        name, plant_it, _, options = command
        plant_it()
        before = everything()

        assert run(name, *options)[0] == 3
        assert everything() == before

    def test_is_done_after_one_run_and_says_so(self, command):
        name, plant_it, acting, options = command
        plant_it()

        assert run(name, *options, *acting)[0] == 4
        before = everything()
        assert run(name, *options, *acting)[0] == 0
        assert everything() == before

    def test_acts_on_nothing_when_there_is_more_than_the_limit(self, command):
        name, plant_it, acting, options = command
        plant_it()
        before = everything()

        assert run(name, *options, *acting, "--limit", "0")[0] == 6
        assert everything() == before

    def test_a_dry_run_says_what_it_would_act_on_and_changes_nothing(self, command):
        name, plant_it, acting, options = command
        plant_it()
        before = everything()

        status, output = run(name, *options, *acting, "--dry-run")

        assert status == 3
        assert "[dry-run] " in output
        assert "1 would be acted on. Nothing was changed." in output
        assert everything() == before

    def test_tells_where_the_same_can_be_looked_at_if_a_page_shows_it(self, command, admin_client):
        name, plant_it, _, options = command
        plant_it()

        _, output = run(name, *options)

        told, _, url = output.partition("\nDetails: ")
        assert bool(url) == (name not in {"stale_nodes", "orphan_allocations", "check_data"})
        assert told.splitlines()[-1].endswith("Nothing was changed.")
        assert not url or admin_client.get(url.strip()).status_code == 200

    @pytest.mark.parametrize("asked", [["--older-than", "0s"], ["--consumer"]])
    def test_names_no_page_that_shows_something_else(self, asked):
        plant("orphan_allocation")
        about = [Consumer.objects.get().uuid] if asked == ["--consumer"] else []

        status, output = run("reconcile", *asked, *about)

        assert status == 3
        assert "Details" not in output

    def test_says_so_when_it_leaves_something_of_another_colour(self):
        plant("orphan_allocation")
        plant("double_claim")

        status, output = run("reconcile", "--fix", "amber")

        assert "2 found (1 amber, 1 red). 1 fixed, 1 left." in output
        assert status == 5

    def test_can_be_about_one_consumer_only(self, command):
        name, plant_it, acting, options = command
        plant_it()

        assert run(name, *options, *acting, "--consumer", new_uuid())[0] == 0
        assert run(name, *options)[0] == 3

    def test_prints_exactly_one_document(self, command):
        name, plant_it, acting, options = command
        plant_it()
        output, errors = io.StringIO(), io.StringIO()

        with pytest.raises(SystemExit) as ended:
            call_command(name, *options, *acting, "--json", stdout=output, stderr=errors)

        document = json.loads(output.getvalue())
        assert document["command"] == name
        assert document["exit"] == ended.value.code == 4
        assert document["summary"]["fixed"] == 1
        assert errors.getvalue() == ""

    def test_says_crash_and_not_found_when_the_database_is_away(self, command, monkeypatch):
        name, _, _, options = command

        def unreachable(*_, **__):
            raise OperationalError("could not connect to server")

        monkeypatch.setattr("django.db.models.query.QuerySet._fetch_all", unreachable)
        monkeypatch.setattr("django.db.models.query.QuerySet.count", unreachable)

        with pytest.raises(CommandError, match="could not connect") as crash:
            run(name, *options)

        assert crash.value.returncode == 1

    def test_goes_on_after_one_that_fails(self, command, monkeypatch):
        name, plant_it, acting, options = command
        plant_it()
        plant_it()
        kind = type(running_command(name))
        put_right, tried = kind.put_right, []

        def fail_first(self, finding, *arguments):
            tried.append(finding.subject)
            if len(tried) == 1:
                raise RuntimeError("out of luck")
            return put_right(self, finding, *arguments)

        monkeypatch.setattr(kind, "put_right", fail_first)

        document = report(name, *options, *acting)

        assert document["exit"] == 5
        assert document["summary"]["failed"] == 1
        assert document["summary"]["fixed"] == len(tried) - 1 >= 1

    def test_looks_beyond_what_it_reads_at_once(self, command, monkeypatch):
        """LP #1367349: whoever took the first page for the whole overlooked the rest."""
        name, plant_it, _, options = command
        monkeypatch.setitem(findings.chunks.__kwdefaults__, "size", 2)
        for _ in range(5):
            plant_it()

        assert len(report(name, *options)["findings"]) == 5

    @pytest.mark.django_db(transaction=True)
    def test_keeps_nobody_waiting_while_it_looks_and_prints(self, command, monkeypatch):
        """LP #2027405: writers piled up behind the open transaction of a slow report."""
        name, plant_it, _, options = command
        plant_it()
        plant_it()
        monkeypatch.setitem(findings.chunks.__kwdefaults__, "size", 1)
        host = builders.provider(vcpu=100)
        kind = type(running_command(name))
        find = kind.find
        claimed = []

        def claim_meanwhile(*_):
            def claim():
                try:
                    return running.hold(host, vcpu=1)
                finally:
                    connection.close()

            with ThreadPoolExecutor(1) as thread:
                claimed.append(thread.submit(claim).result(timeout=10))

        class SlowPaper(io.StringIO):
            def write(self, text):
                claim_meanwhile()
                return super().write(text)

        monkeypatch.setattr(kind, "find", lambda self, scope, options, _: find(self, scope, options, claim_meanwhile))

        with pytest.raises(SystemExit):
            call_command(name, *options, stdout=SlowPaper())

        assert len(claimed) >= 2

    @pytest.mark.django_db(transaction=True)
    def test_two_at_once_do_it_once(self, command):
        name, plant_it, acting, options = command
        plant_it()

        def status():
            try:
                return run(name, *options, *acting)[0]
            except CommandError as refusal:
                return refusal.returncode

        statuses = racing.together([status] * 2)

        # Who came second was told that somebody is at it, or found nothing.
        assert sorted(statuses) in ([0, 4], [1, 4])
        assert run(name, *options)[0] == 0


class TestAClaimTakenBetweenReportAndAct:
    def test_keeps_its_node(self, living, monkeypatch, baremetal):
        """Two have read the same; one frees the node, somebody takes it, the other goes on."""
        node, _ = running.machine(instance_uuid=new_uuid())
        taken = new_uuid()
        free = repairs.free_node

        def after_the_other(**arguments):
            monkeypatch.setattr(repairs, "free_node", free)
            free(**arguments)
            body = [{"op": "add", "path": "/instance_uuid", "value": taken}]
            assert baremetal.patch(f"/v1/nodes/{node.uuid}", body).status_code == 200
            free(**arguments)

        monkeypatch.setattr(repairs, "free_node", after_the_other)

        status, output = run("stale_nodes", *living, "--delete")

        assert status == 5
        assert "changed meanwhile: dead_instance" in output
        assert Node.objects.get().instance_uuid == taken

    def test_keeps_its_allocation(self, living, monkeypatch):
        host = builders.provider(vcpu=8)
        consumer = running.hold(host, vcpu=2)
        release = repairs.release_dead

        def claim_again(**arguments):
            allocations.release(consumer_uuid=consumer, origin=running.ORIGIN)
            running.hold(host, consumer=consumer, vcpu=1)
            Consumer.objects.update(generation=2)
            release(**arguments)

        monkeypatch.setattr(repairs, "release_dead", claim_again)

        assert run("orphan_allocations", *living, "--delete")[0] == 5
        assert Inventory.objects.get().used == 1


class TestUsage:
    @pytest.mark.parametrize("name", COMMANDS)
    def test_help_shows_examples_and_exit_codes(self, name):
        text = running_command(name).create_parser("manage.py", name).format_help()

        assert f"manage.py {name}" in text
        assert "exit status: 0 nothing found" in text

    def test_no_living_claim_is_touched_by_any_of_them(self, tmp_path):
        node, _, consumer = held()
        other = running.hold(builders.provider(vcpu=8), vcpu=2)
        path = tmp_path / "living"
        path.write_text(f"{consumer}\n{other}\n")
        before = everything()

        for name, (_, acting, needs_list) in COMMANDS.items():
            options = ["--living", str(path)] if needs_list else []
            assert run(name, *options, *acting)[0] == 0

        assert everything() == before
        assert Node.objects.get().pk == node.pk

    def test_a_wrong_option_ends_with_two(self):
        ended = subprocess.run(
            [sys.executable, "manage.py", "reconcile", "--fix", "everything"],
            cwd=ROOT,
            capture_output=True,
            check=False,
        )

        assert ended.returncode == 2
