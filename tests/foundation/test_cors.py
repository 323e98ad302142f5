"""Which pages of other sites may call the APIs from a browser."""

import pytest
from django.test import Client

from tests.clients import BaremetalClient, PlacementClient

FRIEND = "http://valid.example.com"
STRANGER = "http://invalid.example.com"


@pytest.fixture
def open_to_a_friend(settings):
    settings.CORS_ALLOWED_ORIGINS = [FRIEND]


def cors_headers(response) -> dict[str, str]:
    return {name.lower(): value for name, value in response.items() if name.lower().startswith("access-control-")}


def preflight(client, url: str, origin: str | None = FRIEND, *, method: str | None = "GET", asks_for: str = ""):
    headers = {"Origin": origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": asks_for}
    return client.send(
        "OPTIONS", url, version=None, token=None, headers={name: value for name, value in headers.items() if value}
    )


class TestSwitchedOff:
    def test_options_is_a_method_like_any_other(self, api):
        assert preflight(api, "/").status_code == 405
        assert preflight(api, "/traits").status_code == 401

    def test_no_answer_says_anything_about_origins(self, api):
        response = api.get("/", headers={"Origin": FRIEND})

        assert response.status_code == 200
        assert cors_headers(response) == {}
        assert response.headers["vary"] == "openstack-api-version"


@pytest.mark.usefixtures("open_to_a_friend")
class TestPreflight:
    @pytest.mark.parametrize("url", ["/", "/traits", "/traits/CUSTOM_GOLD", "/nowhere/at/all"])
    def test_a_friend_may_call_any_path(self, api, url):
        response = preflight(api, url, method="PUT", asks_for="openstack-api-version")

        assert response.status_code == 200
        assert response.content == b""
        assert "content-type" not in response.headers
        assert response.headers["vary"] == "Origin"
        assert response.headers["x-openstack-request-id"].startswith("req-")
        assert cors_headers(response) == {
            "access-control-allow-origin": FRIEND,
            "access-control-allow-headers": "openstack-api-version",
            "access-control-allow-methods": "PUT",
            "access-control-allow-credentials": "true",
            "access-control-max-age": "3600",
        }

    def test_the_headers_that_were_asked_for_are_echoed(self, api):
        response = preflight(api, "/", asks_for="X-Auth-Token, Content-Type,openstack-api-version")

        assert cors_headers(response)["access-control-allow-headers"] == (
            "X-Auth-Token,Content-Type,openstack-api-version"
        )

    def test_without_asking_for_headers_none_are_named(self, api):
        assert "access-control-allow-headers" not in cors_headers(preflight(api, "/"))

    @pytest.mark.parametrize(
        "request_of",
        [
            {"origin": STRANGER},
            {"origin": None},
            {"origin": "null"},
            {"origin": f"{FRIEND}.evil.example.com"},
            {"origin": FRIEND.upper()},
            {"method": None},
            {"method": "TRACE"},
            {"asks_for": "openstack-api-version, x-secret"},
        ],
        ids=str,
    )
    def test_others_are_told_nothing(self, api, request_of):
        response = preflight(api, "/", **request_of)

        assert response.status_code == 200
        assert cors_headers(response) == {}

    def test_also_for_the_bare_prefix(self, settings):
        response = Client().options(f"/{settings.PLACEMENT_PREFIX}")

        assert response.status_code == 200


@pytest.mark.usefixtures("open_to_a_friend")
class TestAnswers:
    @pytest.mark.parametrize(
        ("url", "options", "status"),
        [
            ("/", {}, 200),
            ("/traits?name=startswith:CUSTOM_", {}, 200),
            ("/traits", {"token": None}, 401),
            ("/traits", {"version": "9.9"}, 406),
            ("/traits/CUSTOM_NOT_THERE", {}, 404),
            ("/nowhere", {}, 404),
        ],
    )
    def test_a_friend_sees_them_and_their_headers(self, api, url, options, status):
        response = api.get(url, headers={"Origin": FRIEND}, **options)

        assert response.status_code == status
        assert cors_headers(response)["access-control-allow-origin"] == FRIEND
        assert cors_headers(response)["access-control-allow-credentials"] == "true"
        exposed = cors_headers(response)["access-control-expose-headers"].split(",")
        assert {"X-Auth-Token", "X-Openstack-Request-Id", "X-Subject-Token", "X-Service-Token"} < set(exposed)
        assert "OpenStack-API-Version" in exposed
        assert "Origin" in response.headers["vary"].split(", ")

    @pytest.mark.parametrize("origin", [STRANGER, None])
    def test_others_get_the_answer_alone(self, api, origin):
        response = api.get("/", headers={"Origin": origin} if origin else {})

        assert response.status_code == 200
        assert cors_headers(response) == {}
        # A cache must not give this one to the friend.
        assert response.headers["vary"] == "openstack-api-version, Origin"


class TestSeveralOrigins:
    def test_each_is_told_its_own(self, api, settings):
        settings.CORS_ALLOWED_ORIGINS = [FRIEND, "https://other.example.com"]

        told = [
            cors_headers(api.get("/", headers={"Origin": origin}))["access-control-allow-origin"]
            for origin in settings.CORS_ALLOWED_ORIGINS
        ]

        assert told == settings.CORS_ALLOWED_ORIGINS

    def test_anybody_comes_without_credentials(self, api, settings):
        settings.CORS_ALLOWED_ORIGINS = ["*"]

        allowed = cors_headers(preflight(api, "/", STRANGER))

        assert allowed["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in allowed


@pytest.mark.django_db
@pytest.mark.usefixtures("open_to_a_friend")
class TestTheRestOfTheSite:
    @pytest.mark.parametrize("url", ["/admin/login/", "/healthcheck", "/readiness", "/"])
    def test_is_not_shared(self, url):
        client = Client()

        answer = client.get(url, headers={"Origin": FRIEND})
        refused = client.options(url, headers={"Origin": FRIEND, "Access-Control-Request-Method": "GET"})

        assert answer.status_code == 200
        assert cors_headers(answer) == {}
        assert cors_headers(refused) == {}


def test_both_services_are_meant():
    """Ironic's clients have headers of their own: a browser may send them too."""
    from claimsite.foundation.openstack.cors import REQUEST_HEADERS

    for client in (PlacementClient(), BaremetalClient()):
        assert {name.lower() for name in client.version_header("1.1")} <= REQUEST_HEADERS
