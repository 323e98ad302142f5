"""The list of inventories: how full each is, as people mean it."""

import pytest
from django.urls import reverse

from placement_app.admin.providers import EXTENT, OVERDRAWN
from placement_app.models import Inventory
from tests.admin.acting import claimed, text_of
from tests.builders import provider

LIST = reverse("admin:placement_app_inventory_changelist")


@pytest.fixture
def machine(db) -> Inventory:
    """A whole machine that somebody has: shut to others while they have it."""
    host = provider(name="rack1-n3", custom_machine=1)
    claimed({host: {"CUSTOM_MACHINE": 1}})
    Inventory.objects.update(reserved=1)
    return Inventory.objects.get()


class TestAWholeMachineThatSomebodyHas:
    def test_is_full_and_not_over_in_the_list(self, viewer, machine):
        text = text_of(viewer.get(LIST))

        assert "1 / 1 100 % FULL" in text
        assert "OVER" not in text

    @pytest.mark.parametrize("page", ["its own", "its provider's", "the classes'", "home"])
    def test_is_so_on_every_page(self, viewer, machine, page):
        url = {
            "its own": reverse("admin:placement_app_inventory_change", args=[machine.pk]),
            "its provider's": reverse("admin:placement_app_resourceprovider_change", args=[machine.provider.uuid]),
            "the classes'": reverse("admin:placement_app_resourceclass_changelist") + "?q=MACHINE",
            "home": reverse("admin:index"),
        }[page]

        text = text_of(viewer.get(url))

        assert "1 / 1 100 % FULL" in text
        assert "OVER" not in text

    def test_is_found_among_the_full_and_not_among_the_overdrawn(self, viewer, machine):
        assert viewer.get(LIST, {"full": "full"}).context["cl"].result_count == 1
        assert viewer.get(LIST, {"full": "over"}).context["cl"].result_count == 0


class TestTheList:
    def test_is_ordered_by_fullness_even_where_nothing_can_be_had(self, viewer):
        half, shut, full = provider(vcpu=4), provider(vcpu={"total": 4, "reserved": 4}), provider(vcpu=4)
        claimed({half: {"VCPU": 2}})
        claimed({full: {"VCPU": 4}})
        column = list(viewer.get(LIST).context["cl"].list_display).index("fullness")

        response = viewer.get(LIST, {"o": f"-{column}"})

        order = [row.provider_id for row in response.context["cl"].result_list if row.provider_id != shut.pk]
        assert order == [full.pk, half.pk]

    @pytest.mark.parametrize(
        ("total", "reserved", "ratio", "used"),
        [
            (8, 0, 1.0, 3),
            (8, 2, 1.5, 0),
            (1, 1, 1.0, 1),
            (1, 1, 1.0, 0),
            (4, 6, 1.0, 0),
            (4, 4, 1.0, 9),
            (8, 0, 1.0, 9),
        ],
    )
    def test_means_the_same_in_the_database_and_out_of_it(self, db, total, reserved, ratio, used):
        provider(vcpu={"total": total, "reserved": reserved, "allocation_ratio": ratio, "used": used})

        stock = Inventory.objects.annotate(in_database=EXTENT).get()

        assert stock.in_database == stock.extent
        assert Inventory.objects.filter(OVERDRAWN).exists() is stock.is_overdrawn(used)
