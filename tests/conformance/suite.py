"""One file of the suite, run against a site: in this process through WSGI, or behind an address."""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import unittest
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import httpx
import yaml
from gabbi import handlers, suitemaker
from gabbi.case import HTTPTestCase

from tests.conformance.loader import Loader
from tests.conformance.scenes import SCENES, Scene

Application = Callable[..., Any]


def files() -> list[Path]:
    """The suite, in the order of the names. Placement's package is looked up, never imported."""
    package = importlib.util.find_spec("placement")
    if package is None or not package.submodule_search_locations:
        return []
    return sorted(Path(package.submodule_search_locations[0], "tests", "functional", "gabbits").glob("*.yaml"))


def document(file: Path) -> dict[str, Any]:
    """Read anew each time: gabbi fills in the templates in place."""
    content: dict[str, Any] = yaml.safe_load(file.read_text())
    return content


def scene_of(file: Path) -> Scene:
    (name,) = document(file)["fixtures"]
    return SCENES[name]


def count(file: Path) -> int:
    return len(document(file)["tests"])


@dataclasses.dataclass(frozen=True)
class Site:
    """Where the requests go: ``application`` in this process, or else ``address`` (``http://127.0.0.1:8000``)."""

    application: Application | None = None
    address: str = "http://testserver"

    def client(self) -> httpx.Client:
        transport = httpx.WSGITransport(app=self.application) if self.application else None
        return httpx.Client(transport=transport, base_url=self.address)


@dataclasses.dataclass(frozen=True)
class Outcome:
    file: str
    tests: int
    failures: Mapping[str, str]
    """Name of the test → what went wrong and what the site answered, for people."""

    @property
    def passed(self) -> int:
        return self.tests - len(self.failures)

    def __str__(self) -> str:
        told = [f"{self.file}: {self.passed} of {self.tests} passed"]
        told += [f"\n--- {name}\n{text}" for name, text in self.failures.items()]
        return "\n".join(told)


def run(file: Path, site: Site) -> Outcome:
    """Every test of the file in its order, from an empty service.

    In this process an empty database and the scene's settings are the caller's business; behind an address everything
    that is there is deleted first.
    """
    scene = scene_of(file)
    names = scene.names()
    with site.client() as client, mock.patch.dict(os.environ, names):
        loader = Loader(client)
        if site.application is None:
            loader.clear()
        loader.load(scene.world, names)
        results = unittest.TestResult()
        _gabbi_suite(file, site).run(results)
    troubles = [
        *results.failures,
        *results.errors,
        *((test, "unexpected success") for test in results.unexpectedSuccesses),
    ]
    if results.skipped:
        raise RuntimeError(f"Nothing of the suite is skipped, but: {results.skipped}")
    return Outcome(file.name, count(file), {_name(test): _told(test, text) for test, text in troubles})


def _gabbi_suite(file: Path, site: Site) -> unittest.TestSuite:
    url = httpx.URL(site.address)
    intercept: Callable[[], Any] | None = (lambda: site.application) if site.application else None
    # The scene stands already, so the file's own fixtures have nothing left to do.
    content = document(file)
    del content["fixtures"]
    suite: unittest.TestSuite = suitemaker.test_suite_from_dict(
        unittest.TestLoader(),
        file.stem,
        content,
        str(file.parent),
        url.host,
        url.port,
        None,
        intercept,
        handlers=[handler() for handler in handlers.RESPONSE_HANDLERS],
    )
    return suite


def _name(test: Any) -> str:
    return str(test.test_data["name"]) if isinstance(test, HTTPTestCase) else str(test)


def _told(test: Any, text: str) -> str:
    """The assertion without the frames of the runner, and the exchange it is about."""
    lines = text.rstrip().splitlines()
    last_of_frames = max((i for i, line in enumerate(lines) if line.startswith(("  File ", "    self."))), default=-1)
    message = "\n".join(lines[last_of_frames + 1 :])
    response = getattr(test, "response", None)
    if not response:
        return text
    answer = f"{response['status']} {response['reason']} {str(test.output)[:1000]}"
    return f"{message}\n{test.test_data['method']} {test.url}\n{answer}"
