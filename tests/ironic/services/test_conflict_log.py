"""Records of refusals: kept, but not for ever."""

import datetime

import pytest
from django.db import DatabaseError
from django.utils import timezone

from ironic_app import errors
from ironic_app.models import ConflictRecord, OwnershipEvent
from ironic_app.services import conflict_log
from tests.ironic.builders import ORIGIN

OLD = timezone.now() - datetime.timedelta(days=60)


def refuse(error):
    @conflict_log.records_refusals("tests.refuse")
    def verb(*, origin):
        raise error

    with pytest.raises(type(error)):
        verb(origin=ORIGIN)


class TestRecords:
    def test_are_left_by_conflicts_and_stale_writes_only(self, db):
        refuse(errors.DuplicateName(name="node-1"))
        refuse(errors.NodeChanged(node="n", expected="1-1", actual="1-2"))
        refuse(errors.NodeNotFound(node="node-1"))
        refuse(errors.Invalid(text="no"))

        assert set(ConflictRecord.objects.values_list("reason", flat=True)) == {"DuplicateName", "NodeChanged"}

    def test_that_cannot_be_written_change_nothing_for_the_caller(self, db, monkeypatch, caplog):
        def fail(*_, **__):
            raise DatabaseError("disk full")

        monkeypatch.setattr("claimsite.foundation.statements.insert", fail)

        refuse(errors.DuplicateName(name="node-1"))

        assert "could not be recorded" in caplog.text

    def test_go_with_age_but_what_happened_stays(self, db):
        ConflictRecord.objects.create(operation="o", reason="r", text="t")
        for event in ("claimed", "refused", "released", "refused"):
            OwnershipEvent.objects.create(event=event, node_uuid="n")
        ConflictRecord.objects.update(created_at=OLD)
        OwnershipEvent.objects.update(created_at=OLD)
        OwnershipEvent.objects.create(event="refused", node_uuid="n")

        assert conflict_log.prune() == 3

        assert not ConflictRecord.objects.exists()
        assert list(OwnershipEvent.objects.order_by("pk").values_list("event", flat=True)) == [
            "claimed",
            "released",
            "refused",
        ]

    def test_go_with_number_the_oldest_first(self, db, settings):
        settings.CONFLICT_RECORDS_MAX_COUNT = 2
        for number in range(5):
            ConflictRecord.objects.create(operation="o", reason=f"r{number}", text="t")

        assert conflict_log.prune() == 3
        assert set(ConflictRecord.objects.values_list("reason", flat=True)) == {"r3", "r4"}
