"""Requests that no well-behaved client sends: each gets a clear answer in the service's own format, and never a 500."""

import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from django.db import connection, transaction

from placement_app.models import Trait
from tests.builders import provider

PROJECT = Path(__file__).resolve().parents[2]
UUID = "6f2b1d0c-7a7e-4d53-9a3c-1e9a5f0b7c11"
HOSTILE_PARTS = [
    "%00",
    "a%00b",
    "%ff",
    "%C3%28",
    "%ED%A0%80",
    "%zz",
    "%",
    "%25",
    "%2F",
    "%2e%2e",
    "..",
    "%0a",
    "a%0d%0aX-Header:%20b",
    "%F0%9F%A4%96",
    "x" * 5_000,
    "'%20OR%201=1--",
    "%22%3E%3Cscript%3E",
]


def refusal(answer, status: int) -> dict:
    """The one error of an answer in Placement's format."""
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/json"
    (error,) = answer.json()["errors"]
    assert error["status"] == status
    assert set(error) >= {"status", "title", "detail", "request_id"}
    assert error["request_id"] == answer.headers["x-openstack-request-id"]
    return error


class TestHost:
    @pytest.mark.parametrize("host", ["evil.example.com", "evil.example.com:80", "a b", "", "127.0.0.1@evil", "[::1"])
    @pytest.mark.parametrize("url", ["/", "/traits", "/nowhere"])
    def test_that_is_not_ours_is_refused(self, api, host, url):
        answer = api.get(url, headers={"Host": host})

        error = refusal(answer, 400)
        assert "evil" not in error["detail"]

    def test_that_is_ours_is_used_in_links(self, api):
        answer = api.put("/traits/CUSTOM_HERE", headers={"Host": "localhost:8123"})

        assert answer.headers["location"].startswith("http://localhost:8123/")


class TestPath:
    @pytest.mark.parametrize(
        ("method", "url"),
        [
            ("GET", "/{}"),
            ("GET", "/traits/{}"),
            ("PUT", "/traits/{}"),
            ("DELETE", "/traits/{}"),
            ("GET", "/resource_classes/{}"),
            ("PUT", "/resource_classes/{}"),
            ("DELETE", "/resource_classes/{}"),
            ("GET", "/resource_providers/{}"),
            ("DELETE", "/resource_providers/{}"),
            ("GET", "/resource_providers/{}/inventories"),
            ("GET", "/resource_providers/host/inventories/{}"),
            ("DELETE", "/resource_providers/host/inventories/{}"),
            ("GET", "/resource_providers/{}/traits"),
            ("GET", "/resource_providers/{}/aggregates"),
            ("DELETE", "/allocations/{}"),
        ],
    )
    def test_that_is_garbage_is_not_found_or_bad(self, api, method, url):
        host = provider(vcpu=8)

        answers = [api.send(method, url.replace("host", host.uuid).format(part)) for part in HOSTILE_PARTS]

        for answer in answers:
            assert answer.status_code in {400, 404, 405}
            refusal(answer, answer.status_code)

    def test_a_consumer_that_cannot_be_has_no_claims(self, api):
        answers = [api.get(f"/allocations/{part}") for part in HOSTILE_PARTS]

        for answer in answers:
            if answer.status_code == 200:
                assert answer.json() == {"allocations": {}}
            else:
                refusal(answer, 404)

    def test_without_rights_garbage_is_not_told_apart(self, api):
        assert api.get("/traits/%ff", token="user").status_code == 403
        assert api.get("/traits/%00", token=None).status_code == 401


class TestQuery:
    @pytest.mark.parametrize(
        "url",
        [
            "/traits?name=startswith:{}",
            "/traits?name=in:{}",
            "/traits?{}=1",
            "/resource_providers?name={}",
            "/resource_providers?uuid={}",
            "/resource_providers?member_of={}",
            "/resource_providers?in_tree={}",
            "/resource_providers?resources={}",
            "/resource_providers?resources=VCPU:{}",
            "/resource_providers?required={}",
            "/usages?project_id={}",
            "/usages?project_id=p&user_id={}",
            "/usages?project_id=p&consumer_type={}",
            "/allocation_candidates?resources={}",
            "/allocation_candidates?resources=VCPU:1&required={}",
            "/allocation_candidates?resources=VCPU:1&limit={}",
            "/allocation_candidates?{}=VCPU:1",
        ],
    )
    def test_that_is_garbage_finds_nothing_or_is_bad(self, api, url):
        answers = [api.get(url.format(part)) for part in HOSTILE_PARTS]

        for answer in answers:
            if answer.status_code == 200:
                assert all(not found for found in answer.json().values())
            else:
                refusal(answer, 400)

    def test_bytes_that_nobody_escaped_are_read_as_utf_8(self, api):
        host = provider(name="hôst")

        answer = api.client.get(
            api.path("/resource_providers"),
            headers={"X-Auth-Token": "admin"},
            QUERY_STRING="name=hôst".encode().decode("latin-1"),
        )

        assert [found["uuid"] for found in answer.json()["resource_providers"]] == [host.uuid]


class TestMethod:
    @pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "PATCH", "TRACE", "PROPFIND", "get", "X"])
    def test_that_a_route_does_not_know_is_not_allowed(self, api, method):
        answer = api.client.generic(method, api.path("/traits"), headers={"X-Auth-Token": "admin"})

        assert answer.status_code == (405 if method != "get" else 404)
        if method != "get":
            assert answer.headers["allow"] == "GET"
            assert answer.headers["openstack-api-version"] == "placement 1.0"


class TestBody:
    @pytest.mark.parametrize(
        "raw",
        [
            b" ",
            b"null",
            b"[]",
            b"[" * 100_000,
            b"{" * 1_000,
            b'{"name":' * 500 + b"1" + b"}" * 500,
            b'{"name": "\\u0000"}',
            b'{"name": "a\\u0000b"}',
            b'{"name": "\\ud800"}',
            b'{"name": "\xff"}',
            b'{"name": NaN}',
            b'{"name": 1e999}',
            b'{"name": "' + b"x" * 1_000_000 + b'"}',
            b'{"\\u0000": 1}',
            b'{"name": "ok", "uuid": "\\u0000"}',
            b'{"name": {"name": "x"}}',
            b"\x1f\x8b\x08\x00",
        ],
        ids=lambda raw: repr(raw[:20]),
    )
    @pytest.mark.parametrize(
        ("method", "url"),
        [
            ("POST", "/resource_providers"),
            ("POST", "/resource_classes"),
            ("POST", "/allocations"),
            ("PUT", f"/allocations/{UUID}"),
            ("POST", "/reshaper"),
        ],
    )
    def test_that_is_garbage_is_bad(self, api, method, url, raw):
        answer = api.send(method, url, raw, headers={"X-Roles": "admin,service"})

        error = refusal(answer, 400)
        assert "Malformed JSON:" in error["detail"] or "JSON does not validate:" in error["detail"]
        assert len(answer.content) < 20_000

    @pytest.mark.parametrize("number", ["1e300", "123456789012345678901234567890", "9223372036854775808", "-1e300"])
    @pytest.mark.parametrize(
        ("url", "raw", "status"),
        [
            ("/resource_providers/HOST/inventories", '{"resource_provider_generation": N, "inventories": {}}', 409),
            ("/resource_providers/HOST/inventories/VCPU", '{"resource_provider_generation": N, "total": 1}', 409),
            ("/resource_providers/HOST/inventories/VCPU", '{"resource_provider_generation": 0, "total": N}', 400),
            ("/resource_providers/HOST/traits", '{"resource_provider_generation": N, "traits": []}', 409),
            ("/resource_providers/HOST/aggregates", '{"resource_provider_generation": N, "aggregates": []}', 409),
            (
                f"/allocations/{UUID}",
                '{"allocations": {"HOST": {"resources": {"VCPU": 1}}}, "project_id": "p", "user_id": "u", '
                '"consumer_type": "X", "consumer_generation": N}',
                409,
            ),
        ],
    )
    def test_numbers_beyond_every_column_are_refused(self, api, url, raw, status, number):
        host = provider(vcpu=8)

        answer = api.put(
            url.replace("HOST", host.uuid),
            raw.replace("HOST", host.uuid).replace("N,", f"{number},").replace("N}", f"{number}}}"),
        )

        refusal(answer, status)

    def test_that_is_empty_is_bad(self, api):
        answer = api.post("/resource_providers", b"", headers={"Content-Type": "application/json"})

        assert "Malformed JSON:" in refusal(answer, 400)["detail"]

    def test_that_is_too_long_is_refused_before_it_is_read(self, api, settings):
        settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000

        answer = api.post("/resource_providers", {"name": "x" * 2_000})

        error = refusal(answer, 413)
        assert error["title"] == "Request Entity Too Large"

    @pytest.mark.parametrize("length", ["hi mom", "-5", "1.5", "0x10", "9" * 10_000, "\xb2"])
    def test_a_length_that_is_no_number_is_refused(self, api, length):
        answer = api.client.generic(
            "POST",
            api.path("/resource_providers"),
            b"{}",
            "application/json",
            headers={"X-Auth-Token": "admin", "Accept": "application/json"},
            CONTENT_LENGTH=length,
        )

        if length.isdecimal():
            refusal(answer, 413)
        else:
            assert "content-length header must be an integer" in refusal(answer, 400)["detail"]

    def test_without_its_type_is_refused(self, api):
        answer = api.client.generic(
            "POST", api.path("/resource_providers"), b"{}", "", headers={"X-Auth-Token": "admin"}
        )

        assert "content-type header required" in refusal(answer, 400)["detail"]


class TestChunkedBody:
    def send(self, api, raw: bytes, **environ):
        return api.client.generic(
            "POST",
            api.path("/resource_classes"),
            headers={"X-Auth-Token": "admin", "OpenStack-API-Version": "placement 1.39"},
            **{
                "HTTP_TRANSFER_ENCODING": "chunked",
                "CONTENT_LENGTH": "",
                "CONTENT_TYPE": "application/json",
                "wsgi.input": io.BytesIO(raw),
                **environ,
            },
        )

    def test_is_read_to_its_end(self, api):
        answer = self.send(api, b'{"name": "CUSTOM_CHUNKS"}', **{"wsgi.input_terminated": True})

        assert answer.status_code == 201

    def test_that_is_too_long_is_refused(self, api, settings):
        settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000

        answer = self.send(api, b" " * 1_001, **{"wsgi.input_terminated": True})

        refusal(answer, 413)

    def test_that_a_server_does_not_put_together_is_not_read(self, api):
        answer = self.send(api, b"19\r\n{}")

        assert "Malformed JSON" in refusal(answer, 400)["detail"]


class TestHeaders:
    @pytest.mark.parametrize(
        "headers",
        [
            {"Accept": ";;;,,,q=q"},
            {"Accept": "\xff"},
            {"Content-Type": "application/json; charset=\xff"},
            {"Content-Type": "application/json; charset=klingon"},
            {"OpenStack-API-Version": "placement \xff"},
            {"OpenStack-API-Version": "placement 1." + "9" * 10_000},
            {"X-Openstack-Request-Id": "\xff" * 1_000},
            {"X-Auth-Token": "\xff:\xfe"},
            {"X-Roles": ",,\xff,"},
            {"X-Project-Id": "x" * 10_000},
        ],
        ids=lambda headers: next(iter(headers)),
    )
    def test_that_are_garbage_do_no_harm(self, api, headers):
        for answer in (
            api.put("/traits/CUSTOM_GARBAGE", headers=headers),
            api.get("/traits?name=startswith:CUSTOM_G", headers=headers),
            api.post("/resource_providers", {"name": "host"}, headers=headers),
        ):
            assert answer.status_code < 500


@pytest.mark.django_db(transaction=True)
class TestABusyDatabase:
    def test_asks_the_client_to_come_again(self, api, monkeypatch):
        trait = Trait.objects.create(id=20_000, name="CUSTOM_HELD")
        options = {**connection.settings_dict["OPTIONS"]}
        options |= {"timeout": 0.2} if connection.vendor == "sqlite" else {"options": "-c lock_timeout=200ms"}
        monkeypatch.setitem(connection.settings_dict, "OPTIONS", options)
        connection.close()
        holds, may_go_on = threading.Event(), threading.Event()

        def hold() -> None:
            with transaction.atomic():
                list(Trait.objects.select_for_update().filter(pk=trait.pk))
                holds.set()
                may_go_on.wait(timeout=30)
            connection.close()

        holder = threading.Thread(target=hold)
        holder.start()
        holds.wait(timeout=10)
        try:
            answer = api.delete("/traits/CUSTOM_HELD")
        finally:
            may_go_on.set()
            holder.join(timeout=30)
            connection.close()

        refusal(answer, 503)
        assert int(answer.headers["retry-after"]) > 0
        assert api.get("/traits/CUSTOM_HELD").status_code == 204


class TestADatabaseThatIsAway:
    PROGRAM = """
import json, django
django.setup()
from django.test import Client
client = Client(raise_request_exception=False)
told = {}
for method, url in [("GET", "/placement/traits"), ("PUT", "/placement/traits/CUSTOM_X"), ("GET", "/placement/"),
                    ("GET", "/readiness"), ("GET", "/healthcheck"), ("GET", "/baremetal/v1/nodes")]:
    answer = client.generic(method, url, headers={
        "X-Auth-Token": "admin", "Host": "localhost", "OpenStack-API-Version": "placement 1.39"})
    told[f"{method} {url}"] = [answer.status_code, answer.headers.get("retry-after"), answer.content.decode()]
print(json.dumps(told))
"""

    @pytest.mark.parametrize("address", ["postgres://nobody@127.0.0.1:1/nothing", "sqlite:////nowhere/at/all.sqlite3"])
    def test_is_told_as_such(self, address):
        done = subprocess.run(
            [sys.executable, "-c", self.PROGRAM],
            cwd=PROJECT,
            env={**os.environ, "CLAIMSITE_DATABASE_URL": address, "DJANGO_SETTINGS_MODULE": "claimsite.settings"},
            capture_output=True,
            text=True,
            check=True,
        )

        told = json.loads(done.stdout)
        for request in ("GET /placement/traits", "PUT /placement/traits/CUSTOM_X"):
            status, retry_after, text = told[request]
            assert (status, retry_after) == (503, "2")
            assert json.loads(text)["errors"][0]["title"] == "Service Unavailable"
            assert "127.0.0.1" not in text
        assert told["GET /placement/"][0] == 200
        assert told["GET /healthcheck"][0] == 200
        assert told["GET /readiness"][:2] == [503, "2"]
        assert told["GET /baremetal/v1/nodes"][0] in {404, 503}
