"""How answers end, asked of the application itself: Django's test client takes bodies away on its own."""

import pytest

from tests.sidebyside.exchange import Request, send
from tests.wsgi import application_in_a_test


@pytest.fixture
def application(db):
    with application_in_a_test() as application:
        yield application


class TestHead:
    @pytest.mark.parametrize(("path", "status"), [("/healthcheck", 200), ("/placement/traits", 405), ("/nowhere", 404)])
    def test_is_answered_without_a_body(self, application, path, status):
        answer = send(application, Request("HEAD", path))

        assert (answer.status, answer.content) == (status, b"")

    def test_leaves_the_answers_to_others_alone(self, application):
        answer = send(application, Request("POST", "/placement/traits"))

        assert answer.document["errors"][0]["status"] == 405


class TestLength:
    @pytest.mark.parametrize(
        "path", ["/placement/", "/placement/traits", "/placement/nowhere", "/baremetal/v1/nodes", "/"]
    )
    def test_is_told(self, application, path):
        answer = send(application, Request("GET", path))

        assert answer.headers["content-length"] == str(len(answer.content)) != "0"

    def test_of_an_answer_without_a_body_is_nought_unless_it_never_has_one(self, application):
        made = send(application, Request("PUT", "/placement/traits/CUSTOM_X"))
        known = send(application, Request("PUT", "/placement/traits/CUSTOM_X"))

        assert (made.status, made.headers.get("content-length")) == (201, "0")
        assert (known.status, known.headers.get("content-length")) == (204, None)
