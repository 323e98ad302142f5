"""What an operator comes for, from the question to the answer, in a browser."""

from datetime import timedelta

import pytest
from playwright.sync_api import expect

from placement_app.models import Allocation, Consumer, Inventory
from tests.admin.acting import claimed, claims_again
from tests.admin.test_conflicts import refused_claim
from tests.builders import provider
from tests.commands.faults import plant


class TestJourneys:
    def test_who_holds_this_machine(self, screen):
        consumer = claimed({provider(name="rack1-n3", vcpu=8): {"VCPU": 2}})

        screen.page.fill("#cs-find", "rack1-n3")
        screen.page.press("#cs-find", "Enter")
        expect(screen.page).to_have_title("rack1-n3 | claimsite")
        screen.page.click(f"text={consumer.uuid[:8]} >> nth=0")

        expect(screen.page).to_have_title(f"Consumer {consumer.uuid} | claimsite")
        assert "rack1-n3" in screen.text
        assert "VCPU" in screen.text

    def test_release_a_stuck_claim_and_take_it_back(self, screen):
        host = provider(name="rack1-n3", vcpu=8)
        consumer = claimed({host: {"VCPU": 2}})
        screen.open(f"/admin/placement_app/consumer/{consumer.uuid}/change/")

        screen.page.click("text=Release claims…")
        button = screen.page.locator("button.cs-amber")
        expect(button).to_be_disabled()
        screen.page.fill("[name=reason]", "ticket 4711")
        screen.page.fill("[name=typed]", "wrong")
        expect(button).to_be_disabled()
        screen.page.fill("[name=typed]", consumer.uuid[-4:])
        button.click()
        expect(screen.page.locator("body")).to_contain_text("Released consumer")

        assert not Allocation.objects.exists()

        screen.page.click("text=Claim again…")
        screen.page.click("button.cs-green")
        expect(screen.page.locator("body")).to_contain_text("Claimed again")

        assert Allocation.objects.get().used == 2

    def test_a_page_that_went_stale_does_nothing(self, screen):
        host = provider(name="rack1-n3", vcpu=8)
        consumer = claimed({host: {"VCPU": 2}})
        screen.open(f"/admin/placement_app/consumer/act/release/?target={consumer.uuid}")
        claims_again(consumer, {host: {"VCPU": 3}}, actor="svc-nova")

        screen.page.fill("[name=reason]", "ticket 4711")
        screen.page.fill("[name=typed]", consumer.uuid[-4:])
        screen.page.click("button.cs-amber")
        expect(screen.page.locator("[role=alert]")).to_contain_text("by svc-nova (placement)")

        assert Allocation.objects.get().used == 3
        # The browser itself reports an answer of 409 as an error of the page.
        assert [error for error in screen.errors if "409" not in error] == []
        screen.errors.clear()

    def test_release_several_chosen_in_the_list(self, screen):
        host = provider(vcpu=8)
        for _ in range(3):
            claimed({host: {"VCPU": 1}})
        screen.open("/admin/placement_app/consumer/")

        for box in screen.page.locator("input.action-select").all()[:2]:
            box.check()
        screen.page.select_option("select[name=action]", "release")
        screen.page.click("button[name=index]")
        screen.page.fill("[name=reason]", "leftovers")
        screen.page.fill("[name=typed]", "release 2")
        screen.page.click("button.cs-amber")
        expect(screen.page.locator("body")).to_contain_text("Released consumer")

        assert Consumer.objects.count() == 1

    def test_clean_up_orphans_from_the_first_page(self, screen):
        for _ in range(3):
            plant("orphan_allocation")
        screen.open("/admin/")

        screen.page.click("text=orphan_allocation: a claim without an instance")
        screen.page.check("#action-toggle")
        screen.page.select_option("select[name=action]", "release-orphan")
        screen.page.click("button[name=index]")
        screen.page.fill("[name=reason]", "leftovers of the outage")
        screen.page.fill("[name=typed]", "release-orphan 3")
        screen.page.click("button.cs-amber")
        expect(screen.page.locator("body")).to_contain_text("released from")

        assert not Allocation.objects.exists()

        screen.open("/admin/")

        expect(screen.page.locator("body")).to_contain_text("Nothing was found that needs a person.")

    def test_understand_a_conflict(self, screen):
        host = provider(name="cmp-03", vcpu=4)
        claimed({host: {"VCPU": 3}})
        refused_claim(host, 2)

        screen.open("/admin/placement_app/conflictrecord/")
        screen.page.click("text=CapacityExceeded >> nth=-1")

        expect(screen.page.locator(".cs-story")).to_contain_text("only 1 of 4 were free")
        expect(screen.page.locator(".cs-story")).to_contain_text("would fail")

    def test_ask_why_nothing_fits(self, screen):
        provider(name="cmp-03", vcpu=4)
        screen.open("/admin/")

        screen.page.click("text=Why would it not land?")
        screen.page.fill("[name=resources]", "VCPU:8")
        screen.page.press("[name=resources]", "Enter")

        expect(screen.page.locator("body")).to_contain_text("cmp-03 lacks capacity VCPU:8: 4 free of 4")

    def test_narrow_a_list_and_keep_it_in_the_address(self, screen):
        host = provider(vcpu=8)
        claimed({host: {"VCPU": 1}}, age=timedelta(days=30))
        wanted = claimed({host: {"VCPU": 1}}, consumer_type="MIGRATION")
        screen.open("/admin/placement_app/consumer/")

        screen.page.fill("[name=type]", "MIGRATION")
        screen.page.press("[name=type]", "Enter")
        expect(screen.page).to_have_url(f"{screen.address}/admin/placement_app/consumer/?type=MIGRATION")

        assert wanted.uuid[:8] in screen.text
        with screen.page.expect_download() as download:
            screen.page.click("text=JSON")
        assert wanted.uuid in download.value.path().read_text()

    @pytest.mark.window(right="administer")
    def test_change_an_inventory(self, screen):
        host = provider(name="cmp-03", vcpu=4)
        screen.open(f"/admin/placement_app/resourceprovider/{host.uuid}/change/")

        screen.page.get_by_role("link", name="change", exact=True).click()
        screen.page.fill("[name=total]", "16")
        screen.page.click("button.cs-edit")
        expect(screen.page.locator("body")).to_contain_text("total 4 → 16")

        assert Inventory.objects.get().total == 16

    @pytest.mark.window(right="view")
    def test_a_viewer_is_offered_nothing_to_press(self, screen):
        consumer = claimed({provider(vcpu=8): {"VCPU": 2}})

        screen.open(f"/admin/placement_app/consumer/{consumer.uuid}/change/")

        assert screen.page.locator("a.cs-button, .cs-acts").count() == 0


class TestByHand:
    def test_the_slash_key_goes_to_the_search_box(self, screen):
        screen.open("/admin/")
        screen.page.keyboard.press("/")
        screen.page.keyboard.type("abc")

        assert screen.page.evaluate("document.activeElement.id") == "cs-find"
        assert screen.page.input_value("#cs-find") == "abc"

    def test_a_claim_is_released_without_a_mouse(self, screen):
        consumer = claimed({provider(vcpu=8): {"VCPU": 2}})
        screen.open(f"/admin/placement_app/consumer/act/release/?target={consumer.uuid}")

        screen.page.focus("[name=reason]")
        screen.page.keyboard.type("ticket 4711")
        screen.page.keyboard.press("Tab")
        screen.page.keyboard.type(consumer.uuid[-4:])
        screen.page.keyboard.press("Tab")
        screen.page.keyboard.press("Tab")
        screen.page.keyboard.press("Enter")
        expect(screen.page.locator("body")).to_contain_text("Released consumer")

        assert not Consumer.objects.exists()

    def test_cells_are_reached_by_the_arrow_keys(self, screen):
        for number in range(40):
            provider(name=f"cmp-{number}", vcpu=4)
        screen.open("/admin/heat/?group=none")

        screen.page.focus(".cs-heat a >> nth=0")
        screen.page.keyboard.press("ArrowRight")
        right = screen.page.evaluate("document.activeElement.title")
        screen.page.keyboard.press("ArrowDown")
        screen.page.keyboard.press("ArrowUp")
        back = screen.page.evaluate("document.activeElement.title")
        screen.page.keyboard.press("Enter")

        assert right == back == "cmp-1: 0 of 4, empty"
        expect(screen.page).to_have_title("cmp-1 | claimsite")

    def test_a_uuid_is_copied_whole(self, screen):
        consumer = claimed({provider(vcpu=8): {"VCPU": 2}})
        screen.open("/admin/placement_app/consumer/")

        screen.page.click(f"[data-copy='{consumer.uuid}']")
        expect(screen.page.locator(f"[data-copy='{consumer.uuid}']")).to_have_class("cs-copy cs-copied")

        assert screen.page.evaluate("navigator.clipboard.readText()") == consumer.uuid

    def test_a_moment_is_told_exactly_on_hover(self, screen):
        consumer = claimed({provider(vcpu=8): {"VCPU": 2}})
        screen.open(f"/admin/placement_app/consumer/{consumer.uuid}/change/")

        title = screen.page.locator("time").first.get_attribute("title")

        assert title.endswith("Z")
