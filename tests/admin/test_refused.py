"""What operators see where there is no page, none for them, or none because something broke."""

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.test import RequestFactory
from django.urls import reverse

from claimsite.foundation.admin import refused
from tests.admin.acting import text_of


class TestAPageThatIsNotThere:
    @pytest.mark.parametrize("address", ["/admin/nonsense/", "/admin/placement_app/nonsense/7/"])
    def test_is_told_in_the_site_s_look_with_a_way_back(self, viewer, address):
        response = viewer.get(address)

        assert response.status_code == 404
        assert f"There is no such page. Nothing is at {address}." in text_of(response)
        assert f'href="{reverse("admin:index")}"' in response.content.decode()
        assert 'id="cs-find"' in response.content.decode()

    def test_says_what_is_missing_where_that_is_known(self, viewer):
        response = viewer.get(reverse("admin:placement_app_consumer_act", args=["marry"]))

        assert response.status_code == 404
        assert "There is no act called marry." in text_of(response)

    def test_of_strangers_is_where_they_log_in(self, anonymous):
        assert reverse("admin:login") in anonymous.get("/admin/nonsense/").url

    def test_of_others_is_told_in_plain_words(self, anonymous):
        response = anonymous.get("/nonsense")

        assert response.status_code == 404
        assert b"cs-" not in response.content


class TestAPageForOthers:
    def test_is_told_in_the_site_s_look(self, viewer):
        response = viewer.get(reverse("admin:placement_app_consumer_act", args=["release"]))

        assert response.status_code == 403
        assert "Your rights don't reach that far." in text_of(response)

    def test_of_nobody_in_particular_is_told_in_plain_words(self):
        response = refused.forbidden(RequestFactory().get("/placement/"), PermissionDenied())

        assert response.status_code == 403
        assert b"cs-" not in response.content


class TestAPageThatBroke:
    def test_asks_no_database(self):
        request = RequestFactory().get("/admin/")
        request.request_id = "req-7"  # type: ignore[attr-defined]

        with connection.execute_wrapper(_away):
            response = refused.broken(request)

        assert response.status_code == 500
        assert "The log has more under request req-7 ." in text_of(response)

    def test_is_told_by_the_site(self, viewer, monkeypatch):
        viewer.raise_request_exception = False
        monkeypatch.setattr("claimsite.foundation.admin.site.OperatorSite.home", staticmethod(_broken))

        response = viewer.get(reverse("admin:index"))

        assert response.status_code == 500
        assert "Something broke, and this page could not be made." in text_of(response)

    def test_of_others_is_told_in_plain_words(self):
        response = refused.broken(RequestFactory().get("/placement/"))

        assert response.status_code == 500
        assert b"cs-" not in response.content


def _away(*_):
    raise AssertionError("The database is away.")


def _broken(request):
    raise RuntimeError("Broken on purpose.")
