"""HEAD, asked of the application itself: Django's test client takes bodies away on its own."""

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
