import json
from datetime import timedelta

import pytest
from django.core.management import CommandError
from django.utils import timezone

from claimsite.foundation.uuids import new_uuid
from ironic_app.models import OwnershipEvent
from placement_app.models import Allocation, ClaimEvent, ConflictRecord
from tests import builders
from tests.commands import running
from tests.commands.running import run

pytestmark = pytest.mark.django_db


def conflict(*, days):
    row = ConflictRecord.objects.create(operation="o", reason="r", text="t", door="placement")
    ConflictRecord.objects.filter(pk=row.pk).update(created_at=timezone.now() - timedelta(days=days))


def ownership(event, *, days):
    row = OwnershipEvent.objects.create(event=event, node_uuid=new_uuid(), door="baremetal")
    OwnershipEvent.objects.filter(pk=row.pk).update(created_at=timezone.now() - timedelta(days=days))


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
