"""What lies beneath the verbs of inventories, and what the API cannot show of them."""

from __future__ import annotations

import pytest
from django.db import transaction

from claimsite.foundation.origin import Door, Origin
from placement_app import errors, locks
from placement_app.models import ConflictRecord, Inventory
from placement_app.services import inventories
from placement_app.services.inventories import Record
from tests.builders import provider

ORIGIN = Origin(door=Door.COMMAND, actor="test")


class TestWriting:
    def test_can_keep_the_classes_that_are_not_named(self, db):
        """Reshaping needs the old and the new side by side for a while."""
        host = provider(vcpu=4, disk_gb=10)

        written = inventories.write(locks.provider(host.uuid), {"VCPU": Record(total=8)}, keep_others=True)

        assert {row.resource_class_id: row.total for row in written.inventories} == {"VCPU": 8, "DISK_GB": 10}
        assert written.before["VCPU"]["total"] == 4

    def test_leaves_rows_alone_that_say_the_same(self, db):
        host = provider(vcpu=4, disk_gb=10)
        before = Inventory.objects.get(resource_class__name="VCPU").updated_at

        inventories.write(locks.provider(host.uuid), {"VCPU": Record(total=4), "DISK_GB": Record(total=11)})

        assert Inventory.objects.get(resource_class__name="VCPU").updated_at == before
        assert Inventory.objects.get(resource_class__name="DISK_GB").updated_at > before

    def test_moves_no_generation(self, db):
        host = provider(vcpu=4)

        inventories.write(locks.provider(host.uuid), {})

        host.refresh_from_db()
        assert host.generation == 0

    def test_reads_how_much_is_claimed_and_never_writes_it(self, db):
        host = provider(vcpu={"total": 4, "used": 3})

        (row,) = inventories.write(locks.provider(host.uuid), {"VCPU": Record(total=2)}).inventories

        assert (row.used, Inventory.objects.get().used) == (3, 3)


class TestTheVerbs:
    @pytest.mark.django_db(transaction=True)
    def test_run_in_no_transaction_but_their_own(self):
        """So nobody can take the record of a conflict down with a transaction around it."""
        host = provider(vcpu=4)

        with transaction.atomic(), pytest.raises(RuntimeError, match="durable"):
            inventories.clear(provider=host.uuid, origin=ORIGIN)

    def test_leave_a_record_of_what_was_refused(self, db):
        host = provider(vcpu={"total": 4, "used": 3})

        with pytest.raises(errors.InventoryInUse):
            inventories.remove(provider=host.uuid, resource_class="VCPU", origin=ORIGIN)

        record = ConflictRecord.objects.get()
        assert (record.operation, record.reason) == ("inventories.remove", "InventoryInUse")
        assert (record.provider_uuid, record.actor, record.door) == (host.uuid, "test", "command")
