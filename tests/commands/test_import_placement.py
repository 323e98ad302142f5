import json
import os
import signal

import pytest
from django.core.management import CommandError, call_command

from claimsite.foundation.uuids import new_uuid
from claimsite.operations.management.commands import import_placement
from claimsite.operations.takeover.placement import PlacementTakeover
from claimsite.operations.takeover.service import NoService
from claimsite.replay.client import Answer
from placement_app.models import Allocation, Inventory, ResourceProvider
from placement_app.services import providers
from tests import builders
from tests.commands import running
from tests.commands.running import run

pytestmark = pytest.mark.django_db(transaction=True)

FAST = "HW_CPU_X86_AVX2"


class Recorded:
    """A service as it answered when it was asked about everything."""

    def __init__(self, api):
        self.answers = {}
        rows = self._record(api, "/resource_providers")["resource_providers"]
        self._record(api, "/resource_classes")
        self._record(api, "/traits")
        for row in rows:
            path = f"/resource_providers/{row['uuid']}"
            for part in ("inventories", "traits", "aggregates", "usages"):
                self._record(api, f"{path}/{part}")
            for consumer in self._record(api, f"{path}/allocations")["allocations"]:
                self._record(api, f"/allocations/{consumer}")

    def _record(self, api, path):
        response = api.get(path)
        self.answers[path] = Answer(response.status_code, response.json(), 0.0)
        return response.json()

    def get(self, path):
        return self.answers[path]


@pytest.fixture
def remote(api):
    """Its site is wiped, so that there is an empty one to take it over."""
    members = builders.tree({"root": {"left": {}, "right": {"leaf": {}}}})
    builders.inventory(members["leaf"], "CUSTOM_GPU", total=4)
    host = builders.provider(name="host", vcpu=8, traits=(FAST, "CUSTOM_FINE"), aggregates=(new_uuid(),))
    running.hold(host, vcpu=2)
    running.hold(members["leaf"], custom_gpu=3)
    recorded = Recorded(api)
    call_command("flush", interactive=False, verbosity=0)
    return recorded


def take(remote, **options):
    return PlacementTakeover(remote=remote, origin=running.ORIGIN, **options).run()


class TestImportPlacement:
    def test_takes_all_there_is_through_the_same_checks(self, remote, api):
        report = take(remote)

        assert report.faults == []
        again = Recorded(api)
        assert again.answers.keys() == remote.answers.keys()
        for path in again.answers:
            if path.endswith(("/usages", "/aggregates", "/traits", "/inventories")):
                ours, theirs = again.get(path).document, remote.get(path).document
                for document in (ours, theirs):
                    document.pop("resource_provider_generation", None)
                assert ours == theirs

    def test_a_rehearsal_writes_nothing(self, remote):
        report = take(remote, is_rehearsal=True)

        assert report.taken["provider"] == 5
        assert report.taken["consumer"] == 2
        assert not ResourceProvider.objects.exists()

    def test_goes_on_where_it_broke_off(self, remote):
        class Broken(Exception):
            pass

        def break_off(name, done, total):
            if name == "consumers":
                raise Broken

        with pytest.raises(Broken):
            take(remote, stepped=break_off)

        report = take(remote)

        assert report.faults == []
        assert report.present["provider"] == 5
        assert report.taken["consumer"] == 1
        assert take(remote).taken.total() == 0

    def test_tells_what_is_different_here_and_leaves_it(self, remote):
        take(remote)
        Inventory.objects.filter(resource_class__name="VCPU").update(total=4)
        consumer = Allocation.objects.filter(resource_class__name="VCPU").get().consumer_id
        Allocation.objects.filter(resource_class__name="VCPU").update(used=1)

        report = take(remote)

        assert any(fault.startswith("inventories of provider") for fault in report.faults)
        assert f"consumer {consumer} holds something else here" in report.faults
        assert Inventory.objects.get(resource_class__name="VCPU").total == 4

    def test_shows_an_overfull_provider_and_goes_on(self, remote):
        [path] = [
            path
            for path, answer in remote.answers.items()
            if path.endswith("/inventories") and "VCPU" in answer.document["inventories"]
        ]
        remote.answers[path].document["inventories"]["VCPU"]["total"] = 1

        report = take(remote)

        assert any("consumer" in fault for fault in report.faults)
        assert report.taken["consumer"] == 1

    @pytest.mark.parametrize("document", [None, [], {}, {"resource_providers": None}])
    def test_what_answers_like_no_placement_is_refused(self, remote, document):
        remote.answers["/resource_providers"] = Answer(200, document, 0.0)

        with pytest.raises(NoService, match=r"no Placement of version 1\.39"):
            take(remote)

    def test_a_refusal_is_told_in_its_own_words(self, remote):
        refusal = {"errors": [{"status": 401, "detail": "The token\nhas expired."}]}
        remote.answers["/resource_providers"] = Answer(401, refusal, 0.0)

        with pytest.raises(NoService, match="answered with 401: The token has expired"):
            take(remote)

    def test_ctrl_c_ends_it_between_two_and_tells_what_was_done(self, remote, monkeypatch):
        monkeypatch.setattr(import_placement.Command, "client", staticmethod(lambda url, token: remote))
        create = providers.create

        def interrupted(**arguments):
            create(**arguments)
            os.kill(os.getpid(), signal.SIGINT)

        monkeypatch.setattr(providers, "create", interrupted)

        status, output = run("import_placement", "http://127.0.0.1:23000", "--json")

        document = json.loads(output)
        assert status == document["exit"] == 130
        assert document["taken"]["provider"] == ResourceProvider.objects.count() == 1

    def test_a_service_that_is_not_there_is_told(self):
        with pytest.raises(CommandError) as failure:
            run("import_placement", "http://127.0.0.1:21999")

        assert failure.value.returncode == 1
