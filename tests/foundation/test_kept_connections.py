"""PostgreSQL connections that outlive a request: whether one still stands is found out without asking the server."""

from unittest.mock import Mock

import pytest
from django.db import connection

pytestmark = [
    pytest.mark.skipif(connection.vendor != "postgresql", reason="About PostgreSQL."),
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def kept():
    """A connection that was opened by an earlier request."""
    connection.ensure_connection()
    yield connection
    connection.close()


def end_its_session(kept) -> None:
    other = kept.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [kept.connection.info.backend_pid])
    finally:
        other.close()


class TestKeptConnections:
    def test_a_healthy_one_is_used_without_a_word(self, kept, monkeypatch):
        monkeypatch.setattr(
            "django.db.backends.postgresql.base.DatabaseWrapper.is_usable",
            lambda _: pytest.fail("The server was asked."),
        )

        assert kept.is_usable()

    def test_one_that_the_server_closed_is_not_used(self, kept):
        end_its_session(kept)

        assert not kept.is_usable()

    def test_after_an_error_the_server_is_asked(self, kept, monkeypatch):
        asked = Mock(return_value=True)
        monkeypatch.setattr("django.db.backends.postgresql.base.DatabaseWrapper.is_usable", asked)
        kept.errors_occurred = True

        assert kept.is_usable()
        asked.assert_called_once()

    def test_a_request_after_the_server_closed_it_gets_a_new_one(self, kept):
        end_its_session(kept)
        kept.health_check_enabled = True
        kept.close_if_unusable_or_obsolete()

        with kept.cursor() as cursor:
            cursor.execute("SELECT 1")
            found = cursor.fetchone()

        assert found == (1,)
