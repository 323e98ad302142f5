"""The first page reads itself again, while somebody can see it and nothing of it is in their hands."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.builders import provider

HIDE = """hidden => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def reads(screen) -> list[str]:
    """How often the page was asked for since it was opened, by a clock that the test winds."""
    provider(name="first", vcpu=4)
    screen.page.clock.install()
    screen.open("/admin/")
    asked: list[str] = []
    screen.page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/admin/") else None)
    return asked


def providers(screen):
    return screen.page.locator(".cs-number-card", has_text="providers").locator(".cs-big")


class TestTheFirstPage:
    def test_shows_new_numbers_without_being_asked(self, screen, reads):
        provider(name="second", vcpu=4)

        screen.page.clock.run_for(11_000)

        expect(providers(screen)).to_have_text("2")
        assert reads == [f"{screen.address}/admin/"]

    def test_says_when_it_was_read_and_when_it_reads_again(self, screen, reads):
        screen.page.clock.run_for(3_000)

        expect(screen.page.locator(".cs-next")).to_have_text("next in 7 s")

    def test_rests_while_its_tab_is_hidden_and_catches_up_at_once(self, screen, reads):
        provider(name="second", vcpu=4)
        screen.page.evaluate(HIDE, True)
        screen.page.clock.run_for(60_000)

        assert reads == []

        screen.page.evaluate(HIDE, False)

        expect(providers(screen)).to_have_text("2")

    def test_rests_when_told_to_and_on_the_next_page_too(self, screen, reads):
        screen.page.click("text=Pause")
        screen.page.clock.run_for(60_000)

        assert reads == []
        expect(screen.page.locator(".cs-next")).to_have_text("paused")

        screen.open("/admin/")

        expect(screen.page.locator(".cs-pause")).to_have_text("Go on")

    def test_leaves_alone_what_somebody_is_about_to_copy(self, screen, reads):
        screen.page.evaluate("getSelection().selectAllChildren(document.querySelector('.cs-article'))")
        screen.page.clock.run_for(60_000)

        assert reads == []

    def test_leaves_whoever_goes_by_keyboard_where_they_are(self, screen, reads):
        link = ".cs-number-card >> nth=1"
        screen.page.focus(link)
        provider(name="second", vcpu=4)

        screen.page.clock.run_for(11_000)
        expect(providers(screen)).to_have_text("2")

        assert screen.page.evaluate("document.activeElement.textContent").split() == ["0", "consumers"]

    def test_says_so_when_the_server_does_not_answer(self, screen, reads):
        screen.page.route("**/admin/", lambda route: route.abort())
        screen.page.clock.run_for(11_000)

        expect(screen.page.locator(".cs-next")).to_contain_text("not read again")
        screen.errors.clear()

    def test_asks_to_log_in_when_that_is_over(self, screen, reads):
        screen.page.context.clear_cookies()
        screen.page.clock.run_for(11_000)

        expect(screen.page.locator("[name=password]")).to_be_visible()


class TestOtherPages:
    def test_do_not_read_themselves_again(self, screen):
        screen.open("/admin/placement_app/consumer/")

        expect(screen.page.locator(".cs-pause")).to_be_hidden()
