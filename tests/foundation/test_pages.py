"""Sessions, messages and forms' secrets are for the operators' pages; requests of the APIs go past them."""

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from claimsite.foundation import pages

CLASSES = [
    pages.SessionMiddleware,
    pages.CsrfViewMiddleware,
    pages.AuthenticationMiddleware,
    pages.MessageMiddleware,
]


def seen_by_a_view(path: str) -> dict:
    """The attributes of a request that came through all of them."""
    seen = {}

    def view(request):
        seen.update(vars(request))
        return HttpResponse()

    chain = view
    for middleware in reversed(CLASSES):
        chain = middleware(chain)
    chain(RequestFactory().get(path))
    return seen


class TestPages:
    def test_have_a_session_an_operator_and_messages(self):
        seen = seen_by_a_view("/admin/placement_app/")

        assert {"session", "user", "_messages"} <= seen.keys()

    @pytest.mark.parametrize(
        "path", ["/placement/traits", "/baremetal/v1/nodes", "/healthcheck", "/", "/administration"]
    )
    def test_are_all_that_has(self, path):
        seen = seen_by_a_view(path)

        assert seen.keys().isdisjoint({"session", "user", "_messages"})

    def test_of_forms_are_refused_without_the_secret(self, client, db):
        client.handler.enforce_csrf_checks = True

        answer = client.post("/admin/login/", {"username": "nobody", "password": "nothing"})

        assert answer.status_code == 403
