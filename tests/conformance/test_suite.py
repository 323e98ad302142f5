"""Placement's own tests, file by file. The table of ``docs/conformance.md`` comes from the same runs."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance import suite
from tests.wsgi import application_in_a_test

FILES = suite.files()
RESULTS = "CLAIMSITE_CONFORMANCE_RESULTS"
"""A file to which every outcome is added as one line of JSON."""


@pytest.fixture
def site(db, settings, file) -> Iterator[suite.Site]:
    """This site as the file expects it. Built after the settings are in force: middleware looks at them only then."""
    settings.ROOT_URLCONF = "tests.conformance.urls"
    settings.PLACEMENT_PREFIX = ""
    for name, value in suite.scene_of(file).settings.items():
        setattr(settings, name, value)
    with application_in_a_test() as application:
        yield suite.Site(application=with_path_as_bytes(application))


def with_path_as_bytes(application):
    """WSGI's way to write a path: each byte of it one character. gabbi's client hands over text."""

    def call(environ, start_response):
        path = environ["PATH_INFO"].encode().decode("latin-1")
        return application(environ | {"PATH_INFO": path}, start_response)

    return call


def test_the_suite_is_complete():
    tests = sum(suite.count(file) for file in FILES)

    assert (len(FILES), tests) == (79, 1316)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_test_of_the_file_passes(file, site):
    outcome = suite.run(file, site)

    _record(outcome)
    assert not outcome.failures, str(outcome)


def _record(outcome: suite.Outcome) -> None:
    if path := os.environ.get(RESULTS):
        line = json.dumps({"file": outcome.file, "tests": outcome.tests, "passed": outcome.passed})
        with Path(path).open("a") as results:
            results.write(f"{line}\n")
