"""Version negotiation, root documents and the form of errors: what every request meets first."""

import json

import pytest

NEWEST = "1.109"
USED, MINIMUM, MAXIMUM = (
    f"X-OpenStack-Ironic-API-{name}" for name in ("Version", "Minimum-Version", "Maximum-Version")
)


def fault(response):
    return json.loads(response.json()["error_message"])


class TestRoot:
    def test_needs_neither_token_nor_version(self, baremetal):
        response = baremetal.get("/", token=None, version=None)

        assert response.status_code == 200
        assert response.json()["default_version"] == {
            "id": "v1",
            "links": [{"href": "http://testserver/baremetal/v1/", "rel": "self"}],
            "status": "CURRENT",
            "min_version": "1.1",
            "version": NEWEST,
        }
        assert response.json()["versions"] == [response.json()["default_version"]]

    def test_answers_without_the_slash_too(self, baremetal):
        assert baremetal.get("", version=None).status_code == 200

    def test_does_not_mind_a_version_that_nobody_has(self, baremetal):
        assert baremetal.get("/", version="1.9999").status_code == 200


class TestV1:
    @pytest.mark.parametrize("path", ["/v1", "/v1/"])
    def test_lists_the_oldest_collections_to_whoever_names_no_version(self, baremetal, path):
        document = baremetal.get(path, version=None, token=None).json()

        assert document.keys() == {"id", "links", "media_types", "version", "chassis", "nodes", "ports", "drivers"}
        assert document["nodes"] == [
            {"href": "http://testserver/baremetal/v1/nodes/", "rel": "self"},
            {"href": "http://testserver/baremetal/nodes/", "rel": "bookmark"},
        ]

    @pytest.mark.parametrize(
        ("version", "collection"),
        [
            ("1.23", "portgroups"),
            ("1.32", "volume"),
            ("1.49", "conductors"),
            ("1.52", "allocations"),
            ("1.82", "shards"),
        ],
    )
    def test_lists_a_collection_from_its_version_on(self, baremetal, version, collection):
        before = f"1.{int(version[2:]) - 1}"

        assert collection in baremetal.get("/v1", version=version).json()
        assert collection not in baremetal.get("/v1", version=before).json()


class TestNegotiation:
    @pytest.mark.parametrize(
        ("headers", "used"),
        [
            ({}, "1.1"),
            ({USED: ""}, "1.1"),
            ({USED: "1.21"}, "1.21"),
            ({USED: "Latest"}, NEWEST),
            ({"OpenStack-API-Version": "baremetal 1.50"}, "1.50"),
            ({"OpenStack-API-Version": "baremetal latest"}, NEWEST),
            ({"OpenStack-API-Version": "compute 2.1, baremetal 1.50"}, "1.50"),
            ({"OpenStack-API-Version": "baremetal 1.50", USED: "1.21"}, "1.50"),
            ({"OpenStack-API-Version": "compute 2.1", USED: "1.21"}, "1.21"),
            ({"OpenStack-API-Version": "compute 2.1"}, "1.1"),
        ],
    )
    def test_takes_the_version_from_either_header(self, baremetal, headers, used):
        response = baremetal.get("/v1", version=None, headers=headers)

        assert response.status_code == 200
        assert (response[MINIMUM], response[MAXIMUM], response[USED]) == ("1.1", NEWEST, used)

    @pytest.mark.parametrize("version", ["1.0", "1.110", "1.9999"])
    def test_refuses_a_minor_out_of_range_and_tells_the_range(self, baremetal, version):
        response = baremetal.get("/v1", version=version)

        assert response.status_code == 406
        assert fault(response)["description"] == (
            f"Version {version} was requested but the minor version is not supported by this service. "
            f"The supported version range is: [1.1, {NEWEST}]."
        )
        assert (response[MINIMUM], response[MAXIMUM]) == ("1.1", NEWEST)
        assert USED not in response

    def test_refuses_another_major(self, baremetal):
        response = baremetal.get("/v1", version="2.1")

        assert response.status_code == 406
        assert fault(response)["description"].startswith("Mutually exclusive versions requested.")

    @pytest.mark.parametrize("version", ["abc", "1", "1.x", "1.2.3"])
    def test_refuses_what_is_no_version(self, baremetal, version):
        response = baremetal.get("/v1", version=version)

        assert response.status_code == 406
        assert fault(response) == {
            "code": 406,
            "title": "Not Acceptable",
            "description": "Invalid value for X-OpenStack-Ironic-API-Version header",
        }
        assert not {MINIMUM, MAXIMUM, USED} & set(response.headers)


class TestErrors:
    @pytest.mark.parametrize("path", ["/v1/nonsense", "/nonsense", "/v1/nodes/a/b/c/d"])
    def test_unknown_paths_answer_in_the_routers_form(self, baremetal, path):
        response = baremetal.get(path)

        assert response.status_code == 404
        assert response["Content-Type"] == "application/json"
        assert fault(response) == {"code": 404, "title": "Not Found", "description": ""}

    @pytest.mark.parametrize("method", ["POST", "HEAD", "OPTIONS", "DELETE"])
    def test_other_methods_are_not_allowed(self, baremetal, method):
        assert baremetal.send(method, "/v1").status_code == 405

    def test_every_answer_names_its_request_twice(self, baremetal):
        for response in (baremetal.get("/v1"), baremetal.get("/nonsense")):
            assert response["x-openstack-request-id"].startswith("req-")
            assert response["openstack-request-id"] == response["x-openstack-request-id"]

    def test_a_body_beyond_the_limit_is_refused_unread(self, baremetal):
        response = baremetal.client.generic(
            "POST", "/baremetal/v1/nodes", b"x" * (1024 * 1024 + 1), headers={"X-Auth-Token": "admin"}
        )

        assert response.status_code == 413
