import json
import os
import signal
from datetime import timedelta

import pytest
from django.apps import apps
from django.core.management import CommandError
from django.utils import timezone

from claimsite.foundation.uuids import new_uuid
from claimsite.operations import prunings
from ironic_app.models import ConflictRecord as NodeConflict
from ironic_app.models import OwnershipEvent
from placement_app.models import Allocation, ClaimEvent, ConflictRecord, ProviderEvent
from tests import builders
from tests.commands import running
from tests.commands.running import run

pytestmark = pytest.mark.django_db


def conflict(*, days):
    row = ConflictRecord.objects.create(operation="o", reason="r", text="t", door="placement")
    ConflictRecord.objects.filter(pk=row.pk).update(created_at=timezone.now() - timedelta(days=days))


PRESENT = {
    "Allocation", "Chassis", "Conductor", "Consumer", "Inventory", "Node", "Port", "PortGroup", "ProviderAggregate",
    "ProviderTrait", "ResourceClass", "ResourceProvider", "Trait", "Transition", "VifAttachment", "VolumeConnector",
    "VolumeTarget",
}  # fmt: skip
"""The tables that say what is so now."""
OTHERS = (
    (ConflictRecord, {"operation": "o", "reason": "r", "text": "t", "door": "placement"}),
    (NodeConflict, {"operation": "o", "reason": "r", "text": "t", "door": "baremetal"}),
    (ProviderEvent, {"subject": "traits", "provider_uuid": builders.A_UUID, "generation": 1, "door": "placement"}),
    (ClaimEvent, {"event": "claimed", "consumer_uuid": builders.A_UUID, "consumer_generation": 1}),
)


def ownership(event, *, days):
    row = OwnershipEvent.objects.create(event=event, node_uuid=new_uuid(), door="baremetal")
    OwnershipEvent.objects.filter(pk=row.pk).update(created_at=timezone.now() - timedelta(days=days))
    return row


class TestWhatIsForgotten:
    def test_is_every_table_that_grows_by_itself(self):
        """A new table has to be told to one of the two, or to be no history."""
        now = timezone.now()
        pruned = {pile.rows.model for pile in (*prunings.conflicts(now), *prunings.history(now))}

        left = {
            model.__name__
            for label in ("placement_app", "ironic_app")
            for model in apps.get_app_config(label).get_models()
            if model not in pruned
        }

        assert left == PRESENT

    def test_is_each_row_of_it_exactly_once(self):
        rows = [
            *(ownership(event, days=400) for event in OwnershipEvent.Event.values),
            *(model.objects.create(**values) for model, values in OTHERS),
        ]
        for model in {type(row) for row in rows}:
            model.objects.update(created_at=timezone.now() - timedelta(days=400))

        run("prune_conflicts", "--delete")
        kept = sum(type(row).objects.filter(pk=row.pk).count() for row in rows)
        run("prune_history", "--delete")

        assert kept == 3 + 2, "what happened"
        assert not any(type(row).objects.filter(pk=row.pk).exists() for row in rows)


class TestPruneConflicts:
    def test_says_what_is_old_and_leaves_it(self):
        conflict(days=20)

        status, output = run("prune_conflicts")

        assert status == 3
        assert "1  conflicts of claims" in output
        assert ConflictRecord.objects.count() == 1

    def test_forgets_what_is_old_and_nothing_else(self):
        conflict(days=20)
        conflict(days=5)
        ownership("refused", days=20)
        ownership("claimed", days=20)

        assert run("prune_conflicts", "--delete")[0] == 4
        assert ConflictRecord.objects.count() == 1
        assert OwnershipEvent.objects.get().event == "claimed"
        assert run("prune_conflicts", "--delete")[0] == 0


class TestPruneHistory:
    def test_forgets_the_story_and_keeps_the_claims(self):
        running.hold(builders.provider(vcpu=8), vcpu=2)
        ClaimEvent.objects.update(created_at=timezone.now() - timedelta(days=400))
        ownership("claimed", days=400)
        ownership("refused", days=400)

        status, output = run("prune_history", "--delete", "--json")

        assert status == 4
        assert json.loads(output)["rows"]["history of claims"] == 1
        assert Allocation.objects.count() == 1
        assert not ClaimEvent.objects.exists()
        assert OwnershipEvent.objects.get().event == "refused"

    def test_ctrl_c_ends_it_between_two_parts_and_tells_what_is_gone(self, monkeypatch):
        monkeypatch.setattr("claimsite.operations.prunings.AT_ONCE", 2)
        for _ in range(5):
            ownership("claimed", days=400)
        prune = prunings.prune

        def interrupted(pile):
            for gone in prune(pile):
                os.kill(os.getpid(), signal.SIGINT)
                yield gone

        monkeypatch.setattr(prunings, "prune", interrupted)

        status, output = run("prune_history", "--delete", "--json")

        document = json.loads(output)
        assert status == document["exit"] == 130
        assert document["rows"]["history of the ownership of nodes"] == 2
        assert OwnershipEvent.objects.count() == 3

    def test_goes_on_until_all_parts_are_gone(self, monkeypatch):
        monkeypatch.setattr("claimsite.operations.prunings.AT_ONCE", 2)
        for _ in range(5):
            ownership("claimed", days=400)

        assert run("prune_history", "--delete")[0] == 4
        assert not OwnershipEvent.objects.exists()

    def test_nothing_is_older_than_the_world(self):
        with pytest.raises(CommandError) as refusal:
            run("prune_history", "--older-than", "999999d")

        assert refusal.value.returncode == 2
