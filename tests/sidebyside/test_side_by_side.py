"""A few sequences of each kind with every run of the tests, and as many as wanted by ``make side-by-side``."""

import json
import os
import warnings
from pathlib import Path

import pytest
from django.db import connection

from tests.sidebyside import page, sequences
from tests.sidebyside.comparing import SideBySide
from tests.sidebyside.here import Here
from tests.sidebyside.peer import Peer
from tests.wsgi import application_in_a_test

FIRST = int(os.environ.get("CLAIMSITE_SIDE_BY_SIDE_FIRST", "0"))
COUNT = int(os.environ.get("CLAIMSITE_SIDE_BY_SIDE_COUNT", "3"))
"""How many sequences of each kind, from which number on."""
RESULTS = os.environ.get(page.RESULTS)
MOST_FAILURES = 5


@pytest.fixture(scope="module")
def peer(tmp_path_factory) -> Peer:
    pytest.importorskip("placement")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # On SQLite even if we are not: on PostgreSQL the peer's own SQL fails, that of forbidden traits and of usages.
        return Peer(f"sqlite:///{tmp_path_factory.mktemp('peer')}/placement.sqlite3")


@pytest.fixture
def both(db, settings, peer):
    settings.ROOT_URLCONF = "tests.conformance.urls"
    settings.PLACEMENT_PREFIX = ""
    settings.POLICY_ENFORCE_NEW_DEFAULTS = False
    with application_in_a_test() as application, warnings.catch_warnings():
        # The peer uses what its libraries have deprecated.
        warnings.simplefilter("ignore")
        yield SideBySide(peer, Here(application))


@pytest.mark.parametrize("kind", sequences.KINDS)
def test_both_answer_alike(kind, both):
    assert_alike(kind, both)


def test_both_judge_callers_alike_by_the_new_rules_alone(both, peer, settings):
    settings.POLICY_ENFORCE_NEW_DEFAULTS = True
    peer.enforce_new_defaults(True)

    try:
        assert_alike("callers", both)
    finally:
        peer.enforce_new_defaults(False)


def assert_alike(kind: str, both: SideBySide) -> None:
    failures = []
    for number in range(FIRST, FIRST + COUNT):
        if found := both.play(sequences.sequence(kind, number)):
            failures.append(f"{kind} {number}: {both.shrink(found)}")
        if len(failures) >= MOST_FAILURES:
            break

    if RESULTS:
        with Path(RESULTS).open("a") as results:
            told = {"kind": kind, "database": connection.vendor, **both.books.as_data()}
            results.write(json.dumps(told) + "\n")
    assert not failures, "\n\n".join(failures)
