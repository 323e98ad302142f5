"""The main pages light and dark, wide and narrow, and in the other look: nothing spills, nothing leaves the machine."""

import pytest
from django.conf import settings

from tests import other_look
from tests.admin.acting import claimed
from tests.admin.test_conflicts import refused_claim
from tests.builders import provider
from tests.commands.faults import plant


@pytest.fixture
def paths(screen) -> list[str]:
    """The main pages, with something on each."""
    root = provider(name="cmp-03", vcpu=4, memory_mb=65536, traits=("HW_CPU_X86_AVX2",))
    child = provider(name="cmp-03-numa0", parent=root, pcpu=4)
    consumer = claimed({root: {"VCPU": 4}, child: {"PCPU": 1}})
    record = refused_claim(root, 1)
    orphan = plant("orphan_allocation")
    stock = root.inventories.get(resource_class__name="VCPU")
    return [
        "/admin/",
        "/admin/placement_app/consumer/",
        f"/admin/placement_app/consumer/{consumer.uuid}/change/",
        f"/admin/placement_app/consumer/act/release/?target={consumer.uuid}",
        "/admin/placement_app/resourceprovider/",
        f"/admin/placement_app/resourceprovider/{root.uuid}/change/",
        "/admin/placement_app/conflictrecord/",
        f"/admin/placement_app/conflictrecord/{record.pk}/change/",
        f"/admin/placement_app/inventory/act/edit/?target={stock.pk}",
        "/admin/explain/?resources=VCPU:1",
        "/admin/heat/",
        "/admin/commands/",
        "/admin/ironic_app/node/",
        f"/admin/ironic_app/node/{orphan}/change/",
        "/admin/find/?q=cmp-03",
    ]


def brightness(screen) -> float:
    """Of what lies behind the page, from 0 to 1, as it was painted."""
    script = """() => {
        const canvas = document.createElement("canvas");
        const brush = canvas.getContext("2d", { willReadFrequently: true });
        const behind = [document.querySelector("#main"), document.body, document.documentElement];
        const colours = behind.map((element) => getComputedStyle(element).backgroundColor);
        brush.fillStyle = colours.find((colour) => colour !== "rgba(0, 0, 0, 0)") || "white";
        brush.fillRect(0, 0, 1, 1);
        const [red, green, blue] = brush.getImageData(0, 0, 1, 1).data;
        return (red + green + blue) / 765;
    }"""
    return float(screen.page.evaluate(script))


class TestMainPages:
    @pytest.mark.window(right="administer")
    def test_load_without_errors_and_from_this_machine_only(self, screen, paths):
        for path in paths:
            screen.open(path)

            assert screen.page.locator(".cs-article, .cs-filters").count() > 0, path

    @pytest.mark.window(right="administer", width=390)
    def test_fit_a_narrow_screen(self, screen, paths):
        for path in paths:
            screen.open(path)

            assert not screen.is_too_wide, path

    @pytest.mark.window(width=390)
    def test_show_every_column_of_an_explanation_on_a_narrow_screen(self, screen, paths):
        screen.open("/admin/explain/?resources=VCPU:2,MEMORY_MB:4096&required=HW_CPU_X86_AVX2")

        cut = "[...document.querySelectorAll('.cs-panel')].filter((it) => it.scrollWidth > it.clientWidth).length"
        assert screen.page.locator(".cs-panel table").count() >= 3
        assert screen.page.evaluate(cut) == 0

    @pytest.mark.window(right="administer", dark=True)
    def test_are_dark_where_that_is_wanted(self, screen, paths):
        for path in paths:
            screen.open(path)

            panels = "getComputedStyle(document.documentElement).getPropertyValue('--cs-panel')"
            assert screen.page.evaluate(panels).strip() == "#161b22", path

    def test_are_light_otherwise(self, screen, paths):
        screen.open(paths[0])

        assert brightness(screen) > 0.8

    @pytest.mark.skipif(settings.ADMIN_LOOK != "unfold", reason="The plain look has no script for charts.")
    def test_draw_their_charts(self, screen, paths):
        screen.open("/admin/placement_app/conflictrecord/")

        assert screen.page.locator("[data-chart] canvas").count() == 1

    @other_look.not_in_itself
    def test_do_all_that_in_the_other_look_too(self, browser):
        other_look.passes(__file__)
