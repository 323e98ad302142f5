"""SQLite's one writer: threads queue for it outside SQLite, and nothing that goes wrong keeps the queue blocked."""

import gc
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from django.db import IntegrityError, OperationalError, connection, connections, transaction

from placement_app.models import ConflictRecord, ProviderAggregate, Trait
from tests.builders import provider

pytestmark = [
    pytest.mark.skipif(connection.vendor != "sqlite", reason="About SQLite."),
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def patience(monkeypatch) -> Iterator[Callable[[float], None]]:
    """Sets how many seconds this test's connections wait, also inside SQLite."""

    def wait(seconds: float) -> None:
        options = {**connection.settings_dict["OPTIONS"], "timeout": seconds}
        monkeypatch.setitem(connections.settings["default"], "OPTIONS", options)
        monkeypatch.setitem(connections["default"].settings_dict, "OPTIONS", options)
        connections["default"].close()

    yield wait
    connections["default"].close()


@pytest.fixture
def another_process() -> Iterator[sqlite3.Connection]:
    """A writer that does not stand in this process's queue."""
    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as other:
        yield other


def in_threads(count: int, work: Callable[[int], None]) -> list[BaseException]:
    """Run ``work`` in so many threads at once, each with a connection of its own; what they raised."""
    raised: list[BaseException] = []
    start = threading.Barrier(count)

    def run(number: int) -> None:
        try:
            start.wait(timeout=10)
            work(number)
        except BaseException as error:
            raised.append(error)
        finally:
            connections["default"].close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads)
    return raised


class Holder:
    """A thread in the middle of a write, until it is told to go on."""

    def __init__(self, end: Callable[[], None] = lambda: None) -> None:
        self.end = end
        self.writes = threading.Event()
        self.may_go_on = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self) -> None:
        try:
            with transaction.atomic():
                Trait.objects.create(id=20_000, name="CUSTOM_HELD")
                self.writes.set()
                self.may_go_on.wait(timeout=30)
                self.end()
        except (RuntimeError, OperationalError):
            pass
        finally:
            connections["default"].close()

    def __enter__(self) -> "Holder":
        self.thread.start()
        assert self.writes.wait(timeout=10)
        return self

    def __exit__(self, *_: object) -> None:
        self.let_go()

    def let_go(self) -> None:
        self.may_go_on.set()
        self.thread.join(timeout=30)


def write_in_another_thread() -> list[BaseException]:
    def write(number: int) -> None:
        with transaction.atomic():
            Trait.objects.create(id=30_000 + Trait.objects.count(), name=f"CUSTOM_LATER_{time.monotonic_ns()}")

    return in_threads(1, write)


class TestManyWriters:
    def test_all_get_their_turn_and_none_waits_for_seconds(self):
        """Errors leave dead cursors in cycles: the collector that meets them in the lock holder was the stall."""
        longest = [0.0] * 8
        gc_threshold = gc.get_threshold()
        gc.set_threshold(50)

        def write(number: int) -> None:
            for step in range(25):
                started = time.monotonic()
                with transaction.atomic():
                    Trait.objects.create(id=10_000 + number * 100 + step, name=f"CUSTOM_{number}_{step}")
                with pytest.raises(IntegrityError), transaction.atomic():
                    Trait.objects.create(id=10_000 + number * 100 + step, name="CUSTOM_TWICE")
                ConflictRecord.objects.create(operation="alone", facts={})
                longest[number] = max(longest[number], time.monotonic() - started)

        try:
            raised = in_threads(8, write)
        finally:
            gc.set_threshold(*gc_threshold)

        assert raised == []
        assert Trait.objects.filter(id__gte=10_000).count() == 200
        assert ConflictRecord.objects.filter(operation="alone").count() == 200
        assert max(longest) < 3

    def test_read_modify_write_in_a_transaction_loses_nothing(self):
        counter = ConflictRecord.objects.create(operation="counter", attempts=0, facts={})

        def count(number: int) -> None:
            for _ in range(20):
                with transaction.atomic():
                    row = ConflictRecord.objects.get(pk=counter.pk)
                    row.attempts += 1
                    row.save()

        raised = in_threads(6, count)

        assert raised == []
        counter.refresh_from_db()
        assert counter.attempts == 120


class TestReaders:
    def test_do_not_wait_for_a_writer(self, patience):
        patience(5)

        with Holder():
            started = time.monotonic()
            names = list(Trait.objects.filter(name="CUSTOM_HELD"))
            took = time.monotonic() - started

        assert names == []
        assert took < 1


class TestALongWait:
    def test_ends_with_an_error_that_says_so(self, patience):
        patience(0.2)

        with Holder():
            started = time.monotonic()
            with pytest.raises(OperationalError) as raised, transaction.atomic():
                pytest.fail("This writer must not come in.")
            took = time.monotonic() - started

        assert str(raised.value) == "database is locked: no turn to write within 0.2 s"
        assert 0.15 < took < 2
        assert write_in_another_thread() == []

    def test_of_a_single_statement_ends_likewise(self, patience):
        patience(0.2)

        with Holder(), pytest.raises(OperationalError, match="no turn to write"):
            ConflictRecord.objects.create(operation="alone", facts={})

        assert write_in_another_thread() == []

    def test_for_another_process_ends_and_frees_the_queue(self, patience, another_process):
        patience(0.2)
        another_process.execute("BEGIN IMMEDIATE")

        with pytest.raises(OperationalError, match="database is locked"), transaction.atomic():
            pytest.fail("This writer must not come in.")
        with pytest.raises(OperationalError, match="database is locked"):
            ConflictRecord.objects.create(operation="alone", facts={})
        another_process.execute("ROLLBACK")

        assert write_in_another_thread() == []


class TestTheQueueIsFree:
    """After whatever may happen to a writer."""

    def test_after_a_commit(self):
        with Holder() as holder:
            holder.let_go()

        assert write_in_another_thread() == []
        assert Trait.objects.filter(name="CUSTOM_HELD").exists()

    def test_after_an_error(self):
        def fail() -> None:
            raise RuntimeError

        with Holder(fail):
            pass

        assert write_in_another_thread() == []
        assert not Trait.objects.filter(name="CUSTOM_HELD").exists()

    def test_after_the_connection_was_closed_in_the_middle(self):
        with Holder(lambda: connections["default"].close()):
            pass

        assert write_in_another_thread() == []

    def test_after_a_commit_that_fails(self):
        host = provider()

        # Foreign keys are looked at when the transaction ends.
        with pytest.raises(IntegrityError), transaction.atomic():
            ProviderAggregate.objects.create(provider_id=host.pk + 1, aggregate_uuid=host.uuid)

        assert write_in_another_thread() == []

    def test_after_a_savepoint_is_rolled_back_the_writer_still_has_it(self, patience):
        patience(0.2)
        with transaction.atomic():
            with pytest.raises(RuntimeError), transaction.atomic():
                raise RuntimeError
            (refused,) = write_in_another_thread()

        assert "no turn to write" in str(refused)
        assert write_in_another_thread() == []

    def test_after_single_statements(self):
        record = ConflictRecord.objects.create(operation="alone", facts={})
        ConflictRecord.objects.filter(pk=record.pk).update(attempts=7)
        with pytest.raises(IntegrityError):
            ConflictRecord.objects.create(pk=record.pk, operation="twice", facts={})
        with connection.cursor() as cursor:
            cursor.executemany("UPDATE placement_app_trait SET name = %s WHERE id = %s", [("A", -1), ("B", -2)])

        assert write_in_another_thread() == []
        assert ConflictRecord.objects.get().attempts == 7


class TestReturnedRows:
    """A statement that writes on its own and returns rows has been committed when they are read."""

    @pytest.fixture
    def cursor(self):
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO placement_app_trait (id, name, created_at, updated_at) "
                "VALUES (10001, 'CUSTOM_A', '', ''), (10002, 'CUSTOM_B', '', ''), (10003, 'CUSTOM_C', '', '') "
                "RETURNING id"
            )
            yield cursor

    def test_are_committed(self, cursor, another_process):
        (count,) = another_process.execute("SELECT count(*) FROM placement_app_trait WHERE id > 10000").fetchone()

        assert count == 3

    def test_come_one_by_one(self, cursor):
        assert [cursor.fetchone() for _ in range(4)] == [(10001,), (10002,), (10003,), None]

    def test_come_in_parts(self, cursor):
        assert [cursor.fetchmany(2), cursor.fetchmany(2), cursor.fetchmany(2)] == [[(10001,), (10002,)], [(10003,)], []]

    def test_come_at_once(self, cursor):
        assert cursor.fetchall() == [(10001,), (10002,), (10003,)]
        assert cursor.fetchall() == []

    def test_come_in_a_loop(self, cursor):
        assert list(cursor) == [(10001,), (10002,), (10003,)]

    def test_are_forgotten_by_the_next_statement(self, cursor):
        cursor.execute("SELECT 1")

        assert cursor.fetchall() == [(1,)]
