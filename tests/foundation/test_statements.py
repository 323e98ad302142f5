"""SQL of the hot paths: several statements at once, planned once a connection, to the same effect on both databases."""

import pytest
from django.db import DatabaseError, connection, transaction

from claimsite.foundation import statements
from claimsite.foundation.statements import Batch
from placement_app.models import Trait

needs_postgres = pytest.mark.skipif(connection.vendor != "postgresql", reason="About PostgreSQL.")
COUNT = "SELECT count(*) FROM placement_app_trait WHERE name = %s"
RENAME = "UPDATE placement_app_trait SET name = %s WHERE name = %s"


def prepared():
    """What the connection has ready, as the server tells it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements WHERE name LIKE 'claimsite_%'")
        return [statement for (statement,) in cursor.fetchall()]


@pytest.fixture
def fresh_connection(transactional_db):
    connection.close()


@pytest.mark.django_db
class TestBatch:
    def test_tells_of_its_last_statement(self):
        Trait.objects.create(pk=10000, name="CUSTOM_A")
        batch = Batch()
        batch.add(RENAME, ["CUSTOM_B", "CUSTOM_A"])
        batch.add(COUNT, ["CUSTOM_B"])

        assert batch.rows() == [(1,)]
        assert statements.send(RENAME, ["CUSTOM_C", "CUSTOM_B"]) == 1
        assert statements.send(RENAME, ["CUSTOM_C", "CUSTOM_B"]) == 0

    def test_is_empty_once_it_is_sent(self):
        batch = Batch()
        batch.add(RENAME, ["CUSTOM_B", "CUSTOM_A"])

        batch.send()

        assert batch.send() == 0

    def test_takes_statements_without_values(self):
        assert statements.rows("SELECT 1 + 1") == [(2,)]


@needs_postgres
class TestReadyStatements:
    def test_are_prepared_once(self, fresh_connection):
        for name in ("CUSTOM_A", "CUSTOM_B"):
            statements.rows(COUNT, [name])

        assert [text.partition(" AS ")[2] for text in prepared()] == [COUNT % "$1"]

    def test_outlive_a_transaction_that_was_rolled_back(self, fresh_connection):
        with transaction.atomic():
            statements.rows(COUNT, ["CUSTOM_A"])
            transaction.set_rollback(True)

        assert statements.rows(COUNT, ["CUSTOM_A"]) == [(0,)]

    def test_are_prepared_anew_on_a_new_connection(self, fresh_connection):
        statements.rows(COUNT, ["CUSTOM_A"])
        connection.close()

        assert statements.rows(COUNT, ["CUSTOM_A"]) == [(0,)]
        assert len(prepared()) == 1

    def test_are_not_kept_if_the_server_refuses_them(self, fresh_connection):
        for _ in range(2):
            with pytest.raises(DatabaseError, match="no_such_table"):
                statements.rows("SELECT 1 FROM no_such_table WHERE name = %s", ["CUSTOM_A"])

        assert prepared() == []

    def test_are_not_used_behind_a_pooler(self, fresh_connection, settings):
        settings.PREPARED_STATEMENTS = False

        assert statements.rows(COUNT, ["CUSTOM_A"]) == [(0,)]
        assert prepared() == []

    def test_are_bounded(self, fresh_connection, monkeypatch):
        monkeypatch.setattr("claimsite.foundation.postgresql.base.MOST_STATEMENTS", 1)
        monkeypatch.setattr("claimsite.foundation.postgresql.base.MOST_VALUES", 1)

        statements.send(RENAME, ["CUSTOM_A", "CUSTOM_B"])
        statements.rows(COUNT, ["CUSTOM_A"])
        statements.rows(f"{COUNT} OR name IS NULL", ["CUSTOM_A"])

        assert len(prepared()) == 1
