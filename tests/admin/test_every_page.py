"""Every page of the admin loads, in the look that this run wears, and in the other one."""

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from claimsite.foundation.admin.pages import ReadOnlyModelAdmin
from claimsite.foundation.admin.site import OperatorSite
from claimsite.foundation.origin import Door, Origin
from claimsite.foundation.uuids import new_uuid
from placement_app.claims import Claim, Owner
from placement_app.models import ConflictRecord
from placement_app.services import allocations
from tests import other_look
from tests.builders import provider
from tests.commands.faults import held, plant

PAGES = [(model, page) for model, page in admin.site._registry.items() if isinstance(page, ReadOnlyModelAdmin)]
NAMES = [model._meta.label for model, _ in PAGES]


@pytest.fixture
def world(db):
    """One row at least of most things."""
    host = provider(vcpu=8, traits=("HW_CPU_X86_AVX2",), aggregates=(new_uuid(),))
    claim = Claim(new_uuid(), {host.uuid: {"VCPU": 2}}, Owner("project", "user"), None, "INSTANCE")
    allocations.replace(claims=[claim], origin=Origin(door=Door.PLACEMENT))
    ConflictRecord.objects.create(
        operation="allocations.replace", reason="CapacityExceeded", text="No room.", door="placement"
    )
    held()
    for code in ("orphan_allocation", "allocation_without_node", "no_node"):
        plant(code)


class TestEveryPage:
    @pytest.mark.parametrize(
        "page",
        ["index", "find", "password_change", "auth_user_changelist", "auth_user_add"]
        + [page.name for page in OperatorSite.pages],
    )
    def test_of_the_site_itself_opens(self, administrator, world, page):
        assert administrator.get(reverse(f"admin:{page}")).status_code == 200

    def test_to_log_in_opens(self, anonymous):
        assert anonymous.get(reverse("admin:login")).status_code == 200

    @pytest.mark.parametrize(("model", "page"), PAGES, ids=NAMES)
    def test_that_lists_rows_opens(self, viewer, world, model, page):
        assert viewer.get(page.list_url).status_code == 200

    @pytest.mark.parametrize(("model", "page"), PAGES, ids=NAMES)
    def test_that_lists_rows_is_called_the_same_in_the_menu_and_on_the_way_there(self, model, page):
        if model is LogEntry:
            return  # Django's own, and so are its words.

        assert str(model._meta.verbose_name_plural).lower().endswith(page.menu_name.lower())

    @pytest.mark.parametrize(("model", "page"), PAGES, ids=NAMES)
    def test_that_searches_opens(self, viewer, world, model, page):
        assert viewer.get(page.list_url, {"q": "4f6e78e1"}).status_code == 200

    @pytest.mark.parametrize(("model", "page"), PAGES, ids=NAMES)
    def test_of_one_row_opens(self, viewer, world, model, page):
        row = model._default_manager.first()
        if row is None:
            return

        assert viewer.get(page.url_of(row)).status_code == 200
        assert viewer.get(f"{page.list_url}{row.pk}/history/").status_code == 200

    @pytest.mark.parametrize(("model", "page"), PAGES, ids=NAMES)
    def test_that_asks_before_an_act_opens(self, administrator, world, model, page):
        row = model._default_manager.first()
        for act in page.bound_acts if row else ():
            assert administrator.get(page.act_url(act, row)).status_code == 200

    @pytest.mark.parametrize("file_format", ["csv", "json"])
    @pytest.mark.parametrize(("model", "page"), PAGES, ids=NAMES)
    def test_that_exports_answers(self, viewer, world, model, page, file_format):
        response = viewer.get(f"{page.list_url}export/", {"format": file_format})

        assert response.status_code == 200
        assert b"".join(response.streaming_content)

    @other_look.not_in_itself
    def test_opens_in_the_other_look_too(self):
        other_look.passes(__file__)
