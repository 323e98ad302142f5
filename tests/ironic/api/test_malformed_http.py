"""Requests that no well-behaved client sends: each gets an answer in Ironic's own format, and never a 500."""

import json

import pytest

from tests.foundation.test_malformed_http import HOSTILE_PARTS
from tests.ironic.builders import make_node

PATHS = [
    ("GET", "/{}"),
    ("GET", "/v1/{}"),
    ("GET", "/v1/nodes/{}"),
    ("PATCH", "/v1/nodes/{}"),
    ("DELETE", "/v1/nodes/{}"),
    ("GET", "/v1/nodes/{}/states"),
    ("PUT", "/v1/nodes/{}/states/provision"),
    ("PUT", "/v1/nodes/{}/maintenance"),
    ("GET", "/v1/nodes/{}/traits"),
    ("PUT", "/v1/nodes/NODE/traits/{}"),
    ("DELETE", "/v1/nodes/NODE/traits/{}"),
    ("GET", "/v1/nodes/NODE/history/{}"),
    ("DELETE", "/v1/nodes/NODE/vifs/{}"),
    ("GET", "/v1/allocations/{}"),
    ("DELETE", "/v1/allocations/{}"),
    ("GET", "/v1/ports/{}"),
    ("GET", "/v1/portgroups/{}"),
    ("GET", "/v1/chassis/{}"),
    ("GET", "/v1/drivers/{}"),
    ("GET", "/v1/conductors/{}"),
]
PARAMETERS = [
    "associated",
    "chassis_uuid",
    "conductor_group",
    "description_contains",
    "detail",
    "driver",
    "fault",
    "fields",
    "instance_uuid",
    "lessee",
    "limit",
    "marker",
    "owner",
    "parent_node",
    "project",
    "provision_state",
    "resource_class",
    "shard",
    "sort_dir",
    "sort_key",
]
BODIES = [
    b" ",
    b"null",
    b"17",
    b"[1]",
    b"[{}]",
    b"[" * 100_000,
    b'{"a":' * 500 + b"1" + b"}" * 500,
    b"\xff",
    b'{"driver": "fake-hardware", "name": "\\u0000"}',
    b'{"driver": "fake-hardware", "name": "\\ud800"}',
    b'{"driver": "fake-hardware", "extra": {"\\u0000": 1}}',
    b'{"driver": "fake-hardware", "extra": {"a": 1e400}}',
    b'{"driver": "fake-hardware", "owner": 1}',
    b'{"driver": "fake-hardware", "owner": "' + b"x" * 300 + b'"}',
    b'{"driver": "fake-hardware", "properties": []}',
    b'[{"op": "replace", "path": "/extra/a", "value": "\\u0000"}]',
    b'[{"op": "replace", "path": "/\\u0000", "value": "a"}]',
    b'[{"op": "replace", "path": "/instance_uuid", "value": 1}]',
    b'[{"op": "replace", "path": "/instance_uuid", "value": "zz"}]',
    b'[{"op": "x", "path": "/a"}]',
    b'{"target": "\\u0000"}',
    b'{"target": []}',
    b'{"traits": ["\\u0000"]}',
    b'{"traits": [1]}',
    b'{"name": 1, "resource_class": 2}',
    b'{"resource_class": "x", "node": "\\u0000"}',
    b'{"resource_class": "x", "traits": [{}]}',
    b'{"resource_class": "x", "candidate_nodes": ["a", 1]}',
    b'{"reason": 1}',
    b'{"node_uuid": 1, "address": 2}',
]


def is_in_ironics_format(answer) -> bool:
    """A success, or a refusal as its clients read them."""
    if answer.status_code < 400:
        return True
    return answer.status_code < 500 and isinstance(json.loads(answer.json()["error_message"]), dict)


class TestGarbage:
    @pytest.mark.parametrize(("method", "url"), PATHS)
    def test_in_a_path_is_refused(self, baremetal, method, url):
        node = make_node()

        answers = [baremetal.send(method, url.replace("NODE", node.uuid).format(part)) for part in HOSTILE_PARTS]

        assert all(answer.status_code >= 400 for answer in answers)
        assert all(is_in_ironics_format(answer) for answer in answers)

    @pytest.mark.parametrize("url", ["/v1/nodes", "/v1/nodes/detail", "/v1/allocations", "/v1/ports"])
    @pytest.mark.parametrize("parameter", PARAMETERS)
    def test_in_a_query_finds_nothing_or_is_refused(self, baremetal, url, parameter):
        answers = [baremetal.get(f"{url}?{parameter}={part}") for part in HOSTILE_PARTS]

        assert all(is_in_ironics_format(answer) for answer in answers)

    @pytest.mark.parametrize(
        ("method", "url"),
        [
            ("POST", "/v1/nodes"),
            ("PATCH", "/v1/nodes/NODE"),
            ("PUT", "/v1/nodes/NODE/states/provision"),
            ("PUT", "/v1/nodes/NODE/states/power"),
            ("PUT", "/v1/nodes/NODE/traits"),
            ("POST", "/v1/allocations"),
            ("POST", "/v1/ports"),
            ("POST", "/v1/portgroups"),
            ("POST", "/v1/nodes/NODE/vifs"),
        ],
    )
    def test_in_a_body_is_refused(self, baremetal, method, url):
        node = make_node()

        answers = [baremetal.send(method, url.replace("NODE", node.uuid), raw) for raw in BODIES]

        assert all(answer.status_code >= 400 for answer in answers)
        assert all(is_in_ironics_format(answer) for answer in answers)

    @pytest.mark.parametrize("host", ["evil.example.com", "", "a b"])
    def test_in_the_host_is_refused(self, baremetal, host):
        answer = baremetal.get("/v1/nodes", headers={"Host": host})

        assert answer.status_code == 400
        assert is_in_ironics_format(answer)
