"""A real browser before a real server, both on this machine. Whatever leaves it fails the test."""

from __future__ import annotations

import os
import random
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import Permission, User
from playwright.sync_api import Browser, Page, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests.browser import chromium

PASSWORD = "correct horse battery staple"
PORTS = range(21800, 21900)

# What a browser shows doesn't depend on the database beneath.
collect_ignore_glob = ["test_*.py"] if os.environ.get("CLAIMSITE_TEST_DATABASE") == "postgres" else []


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium.program()
    if path is None:
        pytest.skip(chromium.MISSING)
    # Playwright keeps an event loop in this thread, and Django would refuse to touch its database beside one.
    with pytest.MonkeyPatch.context() as patched, sync_playwright() as playwright:
        patched.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        running = playwright.chromium.launch(executable_path=path, args=chromium.ARGUMENTS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def _server(browser: Browser) -> Iterator[LiveServer]:
    server = LiveServer(f"127.0.0.1:{_free_port()}")
    yield server
    server.stop()


@pytest.fixture
def address(_server: LiveServer, transactional_db: None) -> str:
    return str(_server.url)


class Screen:
    """A window of somebody who is logged in; everything that it asks for is noted."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address
        self.left_the_machine: list[str] = []
        self.errors: list[str] = []
        page.on("request", lambda request: self._note(request.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)

    def _note(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in {"http", "https", "ws", "wss"} and parts.hostname != "127.0.0.1":
            self.left_the_machine.append(url)

    def log_in(self, name: str) -> None:
        self.open("/admin/")
        self.page.fill("[name=username]", name)
        self.page.fill("[name=password]", PASSWORD)
        self.page.click("[type=submit]")

    def open(self, path: str) -> None:
        self.page.goto(self.address + path)

    @property
    def text(self) -> str:
        return " ".join(self.page.inner_text("#content").split())

    @property
    def is_too_wide(self) -> bool:
        return bool(self.page.evaluate("document.documentElement.scrollWidth > window.innerWidth + 1"))


@pytest.fixture
def screen(browser: Browser, address: str, request: pytest.FixtureRequest) -> Iterator[Screen]:
    """Logged in as an operator, or as who the test's mark says: ``@pytest.mark.window(right="view", width=390)``."""
    wishes: dict[str, Any] = {"right": "operate", "width": 1400, "dark": False}
    for mark in request.node.iter_markers("window"):
        wishes |= mark.kwargs
    user = _user(wishes["right"])
    context = browser.new_context(
        viewport={"width": wishes["width"], "height": 900},
        color_scheme="dark" if wishes["dark"] else "light",
        permissions=["clipboard-read", "clipboard-write"],
    )
    context.set_default_timeout(15_000)
    window = Screen(context.new_page(), address)
    window.log_in(user.username)
    yield window
    context.close()
    assert window.left_the_machine == []
    assert window.errors == []


def _user(right: str) -> User:
    user = User.objects.create_user("operator", password=PASSWORD, is_staff=True)
    held = ["view", "operate", "administer"]
    codenames = held[: held.index(right) + 1]
    user.user_permissions.set(Permission.objects.filter(content_type__app_label="foundation", codename__in=codenames))
    return user


def _free_port() -> int:
    for port in random.sample(PORTS, k=len(PORTS)):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError(f"No port of {PORTS} is free.")
