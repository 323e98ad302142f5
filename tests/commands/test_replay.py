"""The replay as a command, over real HTTP against the site itself."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from claimsite.operations import replaying
from placement_app.models import Allocation, Consumer, Inventory
from tests import builders

pytestmark = pytest.mark.django_db(transaction=True)

NODES = "sn,cpu_milli,memory_mib,gpu,model\nnode-0,16000,65536,0,\nnode-1,32000,131072,2,T4\nnode-2,32000,131072,4,G2\n"
HEADER = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n"


@pytest.fixture(autouse=True)
def var(settings, tmp_path):
    settings.VAR_DIR = tmp_path


@pytest.fixture
def cluster(tmp_path):
    path = tmp_path / "nodes.csv"
    path.write_text(NODES)
    call_command("load_machines", str(path), stdout=io.StringIO())


@pytest.fixture
def trace(tmp_path):
    """Fourteen requests for half a GPU each, of which six GPUs serve twelve, whichever of several clients is faster."""
    path = tmp_path / "pods.csv"
    rows = [f"half-{number},1500,1024,1,500," for number in range(12)] + [
        f"{name},1000,1024,1,500," for name in ("one", "two")
    ]
    path.write_text(HEADER + "".join(f"{row}\n" for row in rows))
    return path


@pytest.fixture
def replay(live_server):
    def replay(path, *arguments):
        output = io.StringIO()
        call_command("replay", str(path), f"--url={live_server.url}/placement", "--json", *arguments, stdout=output)
        return json.loads(output.getvalue())

    return replay


def held():
    return dict(Allocation.objects.values_list("consumer_id", "resource_class__name"))


@pytest.mark.usefixtures("cluster")
class TestReplay:
    def test_fills_the_cluster_from_several_clients_and_every_invariant_holds(self, replay, trace):
        report = replay(trace, "--clients=4", "--look-into-database")

        assert (report["requests"], report["claimed"]) == (14, 12)
        assert report["refused"]["no_room_why"] == {"CUSTOM_GPU_MILLI": 2}
        assert [invariant["name"] for invariant in report["invariants"] if not invariant["holds"]] == []
        assert Inventory.objects.get(provider__name="node-2", resource_class__name="CUSTOM_GPU_MILLI").used == 4000

    def test_a_started_core_is_claimed_whole(self, replay, trace):
        replay(trace, "--limit=1")

        assert set(Allocation.objects.values_list("resource_class__name", "used")) == {
            ("VCPU", 2),
            ("MEMORY_MB", 1024),
            ("CUSTOM_GPU_MILLI", 500),
        }

    def test_a_second_replay_releases_the_first_ones_claims_and_ends_the_same(self, replay, trace):
        first = replay(trace)

        second = replay(trace)

        assert (first["released_earlier"], second["released_earlier"]) == (0, 12)
        assert second["claimed"] == first["claimed"]
        assert Consumer.objects.count() == 12

    def test_a_shorter_replay_releases_what_a_longer_one_left(self, replay, trace):
        replay(trace)

        report = replay(trace, "--limit=3")

        assert (report["released_earlier"], report["claimed"]) == (12, 3)
        assert Consumer.objects.count() == 3

    def test_claims_of_others_are_respected_and_left_alone(self, replay, trace, api):
        node = Inventory.objects.get(provider__name="node-2", resource_class__name="CUSTOM_GPU_MILLI").provider
        somebody = "11111111-1111-1111-1111-111111111111"
        api.put(f"/allocations/{somebody}", builders.claim({node: {"CUSTOM_GPU_MILLI": 3000}}))

        report = replay(trace)
        again = replay(trace)

        assert report["claimed"] == again["claimed"] == 6
        assert Allocation.objects.get(consumer=somebody).used == 3000

    def test_bare_metal_is_neither_claimed_nor_counted(self, replay, trace, tmp_path):
        path = tmp_path / "bare-metal.jsonl"
        whole = {"name": "big-1", "site": "s", "cluster": "big", "arch": "x86_64", "threads": 9999, "cores": 9999}
        path.write_text(json.dumps(whole | {"ram_mb": 99_999_999, "gpus": {"T4": 8}}))
        call_command("load_machines", str(path), stdout=io.StringIO())
        trace.write_text(HEADER + "".join(f"small-{number},1000,1024,0,0,\n" for number in range(90)))

        report = replay(trace)

        assert report["claimed"] == 80
        assert report["machines"] == 3
        assert not Allocation.objects.filter(provider__name="big-1").exists()

    def test_only_machines_of_the_models_asked_for_are_claimed(self, replay, tmp_path):
        path = tmp_path / "picky.csv"
        path.write_text(HEADER + "".join(f"picky-{number},1000,1024,1,1000,T4|A10\n" for number in range(3)))

        report = replay(path)

        assert (report["claimed"], report["refused"]["no_room"]) == (2, 1)
        assert set(Allocation.objects.values_list("provider__name", flat=True)) == {"node-1"}

    def test_what_only_the_database_shows_is_found_there(self, replay, trace, capsys):
        Consumer.objects.create(uuid="22222222-2222-2222-2222-222222222222", project_id="p", user_id="u")

        with pytest.raises(SystemExit) as stopped:
            replay(trace, "--look-into-database")

        assert stopped.value.code == 3

    def test_a_page_for_people_tells_the_same(self, live_server, trace):
        output = io.StringIO()

        call_command("replay", str(trace), f"--url={live_server.url}/placement", stdout=output)

        page = output.getvalue()
        assert "12 claims, and every one is accounted for." in page
        assert "no machine had enough GPUs free" in page
        assert "\x1b" not in page


class TestAReplayThatCannotBe:
    def test_a_site_that_is_not_there(self, trace):
        with pytest.raises(CommandError, match="can't be reached"):
            call_command("replay", str(trace), "--url=http://127.0.0.1:21499/placement")

    def test_an_address_that_is_none(self, trace):
        with pytest.raises(CommandError, match="can't be reached"):
            call_command("replay", str(trace), "--url=http://[")

    def test_a_site_that_is_not_placement(self, live_server, trace):
        with pytest.raises(CommandError, match="was answered 404"):
            call_command("replay", str(trace), f"--url={live_server.url}/elsewhere")

    def test_a_second_one_at_the_same_time(self, trace):
        with replaying.alone(), pytest.raises(CommandError, match="Another replay is running"):
            call_command("replay", str(trace))

    @pytest.mark.parametrize("argument", ["--clients=0", "--limit=-1", "--limit=many"])
    def test_wrong_usage(self, trace, argument):
        with pytest.raises(CommandError):
            call_command("replay", str(trace), argument)
