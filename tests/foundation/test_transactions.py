"""The one way to write: durable, tried again when it lost a race, and honest about what it gave up on."""

import logging
import sqlite3
import threading

import pytest
from django.db import InterfaceError, InternalError, OperationalError, ProgrammingError, connection, transaction
from django.db.models import F

from claimsite.foundation import transactions
from claimsite.foundation.errors import Busy, DatabaseRaceLost, DomainError, Kind, LostRace
from claimsite.foundation.transactions import current_attempt, is_unavailable, needs_transaction, write_transaction
from placement_app.models import ConflictRecord, Trait

LOG = "claimsite.foundation.transactions"


class ChangedUnderneath(LostRace):
    message = "Row {row} was changed."


class NoRoom(DomainError):
    kind = Kind.CONFLICT
    message = "No room."


class PostgresFault(Exception):
    """Looks like psycopg2's errors."""

    def __init__(self, pgcode: str | None) -> None:
        self.pgcode = pgcode
        super().__init__(pgcode)


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def operational(pgcode: str | None) -> Exception:
    return caused(OperationalError("from the database"), PostgresFault(pgcode))


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(transactions, "_LONGEST_PAUSE_SECONDS", 0)


@pytest.fixture
def told(caplog):
    caplog.set_level(logging.DEBUG, LOG)

    def levels() -> list[str]:
        return [record.levelname for record in caplog.records if record.name == LOG]

    return levels


def failing(*errors: Exception):
    """A verb that raises these one after the other and then comes through; and the tries it took."""
    ahead = list(errors)
    tries: list[int] = []

    @write_transaction
    def verb() -> str:
        tries.append(current_attempt())
        Trait.objects.create(id=20_000 + len(tries), name=f"CUSTOM_TRY_{len(tries)}")
        if ahead:
            raise ahead.pop(0)
        return "done"

    return verb, tries


@pytest.mark.django_db
class TestALostRace:
    @pytest.mark.parametrize(
        "error", [ChangedUnderneath(row=1), operational("40001"), operational("40P01")], ids=["ours", "40001", "40P01"]
    )
    def test_is_run_again_from_the_start(self, told, error):
        verb, tries = failing(error, error)

        result = verb()

        assert result == "done"
        assert tries == [1, 2, 3]
        assert told() == ["DEBUG", "DEBUG"]
        assert [trait.name for trait in Trait.objects.filter(name__startswith="CUSTOM_")] == ["CUSTOM_TRY_3"]

    @pytest.mark.parametrize("retries", [0, 1, 10])
    def test_reaches_the_caller_when_the_tries_are_spent(self, told, settings, retries):
        settings.ALLOCATION_CONFLICT_RETRY_COUNT = retries
        verb, tries = failing(*[ChangedUnderneath(row=1)] * 50)

        with pytest.raises(ChangedUnderneath) as raised:
            verb()

        assert len(tries) == retries + 1
        assert raised.value.attempts == retries + 1
        assert told() == ["DEBUG"] * retries + ["WARNING"]
        assert not Trait.objects.filter(name__startswith="CUSTOM_").exists()

    def test_that_the_database_told_of_becomes_a_conflict_like_any_other(self, settings):
        settings.ALLOCATION_CONFLICT_RETRY_COUNT = 2
        verb, _ = failing(*[operational("40P01")] * 50)

        with pytest.raises(DatabaseRaceLost) as raised:
            verb()

        assert raised.value.kind is Kind.CONFLICT
        assert raised.value.code == "concurrent_update"
        assert raised.value.attempts == 3
        assert isinstance(raised.value.__cause__, OperationalError)

    def test_is_not_run_again_for_longer_than_a_lock_is_waited_for(self, settings, monkeypatch):
        settings.LOCK_WAIT_SECONDS = 10
        hours = iter(range(0, 100 * 3600, 3600))
        monkeypatch.setattr("time.monotonic", lambda: next(hours))
        verb, tries = failing(*[ChangedUnderneath(row=1)] * 50)

        with pytest.raises(ChangedUnderneath):
            verb()

        assert tries == [1]


@pytest.mark.django_db
class TestOtherErrors:
    def test_are_not_run_again_and_say_which_try_it_was(self, told):
        verb, tries = failing(ChangedUnderneath(row=1), NoRoom())

        with pytest.raises(NoRoom) as raised:
            verb()

        assert tries == [1, 2]
        assert raised.value.attempts == 2
        assert raised.value.__cause__ is None
        assert told() == ["DEBUG"]

    @pytest.mark.parametrize(
        "error",
        [operational("55P03"), caused(OperationalError("database is locked"), sqlite3.OperationalError())],
        ids=["postgresql", "sqlite"],
    )
    def test_a_lock_that_was_not_free_in_time_is_busy(self, told, error):
        verb, tries = failing(error)

        with pytest.raises(Busy) as raised:
            verb()

        assert tries == [1]
        assert raised.value.kind is Kind.UNAVAILABLE
        assert raised.value.__cause__ is error
        assert told() == []

    @pytest.mark.parametrize("error", [operational(None), operational("57P01"), ValueError("a bug")])
    def test_what_is_neither_refusal_nor_race_passes_as_it_is(self, error):
        verb, tries = failing(error)

        with pytest.raises(type(error)) as raised:
            verb()

        assert raised.value is error
        assert tries == [1]
        assert not Trait.objects.filter(name__startswith="CUSTOM_").exists()


@pytest.mark.django_db(transaction=True)
class TestDurability:
    def test_a_verb_refuses_to_run_inside_another_transaction(self):
        verb, tries = failing()

        with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
            verb()

        assert tries == []

    def test_a_verb_never_calls_a_verb(self):
        inner, _ = failing()
        outer = write_transaction(lambda: inner())

        with pytest.raises(RuntimeError, match="durable"):
            outer()

        assert not Trait.objects.filter(name__startswith="CUSTOM_").exists()

    def test_what_lives_beneath_refuses_to_run_without_a_verb(self):
        @needs_transaction
        def beneath() -> str:
            return "done"

        with pytest.raises(RuntimeError, match="needs the transaction of a service verb"):
            beneath()
        assert write_transaction(beneath)() == "done"


@pytest.mark.django_db(transaction=True)
class TestRealLocks:
    @pytest.fixture
    def impatient(self, monkeypatch):
        """This thread's connection waits for a fifth of a second only."""
        options = {**connection.settings_dict["OPTIONS"]}
        if connection.vendor == "sqlite":
            options["timeout"] = 0.2
        else:
            options["options"] = "-c lock_timeout=200ms"
        monkeypatch.setitem(connection.settings_dict, "OPTIONS", options)
        connection.close()
        yield
        connection.close()

    def test_a_writer_that_waits_too_long_is_told_that_the_service_is_busy(self, impatient):
        row = ConflictRecord.objects.create(operation="held", facts={})
        holds, may_go_on = threading.Event(), threading.Event()

        def hold() -> None:
            with transaction.atomic():
                ConflictRecord.objects.filter(pk=row.pk).update(attempts=2)
                holds.set()
                may_go_on.wait(timeout=30)
            connection.close()

        holder = threading.Thread(target=hold)
        holder.start()
        holds.wait(timeout=10)
        try:
            with pytest.raises(Busy):
                write_transaction(lambda: ConflictRecord.objects.filter(pk=row.pk).update(attempts=3))()
        finally:
            may_go_on.set()
            holder.join(timeout=30)

        row.refresh_from_db()
        assert row.attempts == 2

    @pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer: no deadlocks.")
    def test_a_deadlock_ends_with_both_writes_done(self, monkeypatch):
        first, second = (ConflictRecord.objects.create(operation=name, attempts=0, facts={}) for name in "ab")
        both_hold_one = threading.Barrier(2)
        tries: list[int] = []

        def work(pks: list[int]) -> None:
            @write_transaction
            def add_to_both() -> None:
                tries.append(current_attempt())
                for pk in pks:
                    ConflictRecord.objects.filter(pk=pk).update(attempts=F("attempts") + 1)
                    if current_attempt() == 1 and pk == pks[0]:
                        both_hold_one.wait(timeout=10)

            add_to_both()
            connection.close()

        threads = [threading.Thread(target=work, args=(pks,)) for pks in ([first.pk, second.pk], [second.pk, first.pk])]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=30)

        assert list(ConflictRecord.objects.values_list("attempts", flat=True)) == [2, 2]
        assert sorted(tries) == [1, 1, 2]


class TestIsUnavailable:
    @pytest.mark.parametrize(
        "error",
        [
            operational(None),
            operational("08006"),
            operational("53300"),
            operational("57P01"),
            operational("57P03"),
            caused(InternalError("read-only"), PostgresFault("25006")),
            InterfaceError("connection already closed"),
        ],
    )
    def test_a_database_that_is_away_may_come_back(self, error):
        assert is_unavailable(error)

    @pytest.mark.parametrize(
        "error",
        [
            caused(ProgrammingError("no such table"), PostgresFault("42P01")),
            operational("54001"),
            ValueError("a bug"),
        ],
    )
    def test_a_mistake_stays_one(self, error):
        assert not is_unavailable(error)

    def test_on_sqlite_the_two_come_as_one_class(self, tmp_path):
        told = {}
        for statement, place in [("SELECT * FROM nowhere", ":memory:"), ("SELECT 1", str(tmp_path / "no" / "such"))]:
            try:
                sqlite3.connect(place).execute(statement)
            except sqlite3.OperationalError as error:
                told[str(error)] = is_unavailable(caused(OperationalError(str(error)), error))

        assert told == {"no such table: nowhere": False, "unable to open database file": True}
