"""Queries that are put into SQL once."""

import pytest
from django.db import transaction

from ironic_app.models import Node
from ironic_app.models.prepared import Prepared
from tests.ironic.builders import make_node


class TestPrepared:
    def test_reads_what_django_reads(self, db):
        node = make_node(name="node-1", extra={"a": [1, None]}, maintenance=True, traits=["CUSTOM_A"])
        by_name = Prepared(lambda name: Node.objects.filter(name=name))

        for _ in range(2):
            (row,) = by_name.rows("node-1")
            assert row == Node.objects.values_list(*(field.attname for field in Node._meta.concrete_fields)).get(
                pk=node.pk
            )

    def test_reads_the_columns_that_are_named_in_their_order(self, db):
        make_node(name="node-1", extra={"a": 1})

        rows = Prepared(lambda name: Node.objects.filter(name=name).values_list("extra", "name")).rows("node-1")

        assert rows == [({"a": 1}, "node-1")]

    def test_finds_nothing_for_another_parameter(self, db):
        make_node(name="node-1")
        by_name = Prepared(lambda name: Node.objects.filter(name=name))

        assert (len(by_name.rows("node-1")), by_name.rows("node-2")) == (1, [])

    @pytest.mark.parametrize("text", ["'; --", "%s", "%", '"', "\\"])
    def test_takes_any_parameter_for_text(self, db, text):
        assert Prepared(lambda name: Node.objects.filter(name=name)).rows(text) == []

    def test_locks_where_it_shall(self, db):
        make_node(name="node-1")
        locking = Prepared(lambda name: Node.objects.select_for_update().filter(name=name))

        with transaction.atomic():
            assert len(locking.rows("node-1")) == 1
