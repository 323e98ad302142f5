"""Whatever is sent to whichever route, it is answered or refused: never a 500."""

import re
from typing import Any

import pytest

from ironic_app.api import urls
from tests.ironic.builders import fault, make_allocation, make_node, make_port

pytestmark = pytest.mark.django_db(transaction=True)

NODE = "11111111-1111-4111-8111-111111111111"
DEEP = b'{"a":' * 600 + b"1" + b"}" * 600
BODIES = [
    b"",
    b"[]",
    b"null",
    b"\xff",
    DEEP,
    b'[{"op":"add","path":"/extra","value":' + DEEP + b"}]",
    b'[{"op":"add","path":"/name","value":"\\ud800"}]',
    b'[{"op":"remove","path":"/extra/a/b"}]',
    b'{"target":["x"],"enabled":{},"boot_device":[],"id":[],"logical_disks":7}',
    b'{"target":"active","configdrive":{"meta_data":' + DEEP + b"}}",
    b'{"resource_class":"x","traits":[["x"]],"candidate_nodes":["\\u0000"]}',
    b'{"node_uuid":"' + NODE.encode() + b'","address":"52:54:00:00:00:09","extra":' + DEEP + b"}",
]
QUERIES = [
    "?detail=zz&fields=",
    "?limit=99999999999999999999",
    "?marker=%00",
    "?sort_key=%ff",
    "?node=%00",
    "?state=%ff",
]
IDENTS = [NODE, "x" * 300, "%00"]


@pytest.fixture(autouse=True)
def something():
    node = make_node(uuid=NODE, name="node-1", provision_state="manageable")
    make_port(node, address="52:54:00:00:00:01", name="node-1")
    make_allocation(name="node-1", state="error")


def addresses(route):
    for ident in IDENTS if "<" in route else [""]:
        yield "/v1/" + re.sub(r"<\w+>", ident, route)


@pytest.mark.parametrize("route", [pattern.name for pattern in urls.resources])
def test_answers_or_refuses(baremetal, route):
    answers: dict[tuple[str, str, object], Any] = {}

    for address in addresses(route):
        for query in QUERIES:
            answers["GET", address, query] = baremetal.get(address + query)
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            for body in BODIES:
                answers[method, address, body[:50]] = baremetal.send(method, address, body)

    assert {what: answer.status_code for what, answer in answers.items() if answer.status_code >= 500} == {}


ROUTES = {
    pattern.name: sorted(pattern.callback.actions.keys() - {"head"})  # type: ignore[attr-defined]
    for pattern in urls.resources
}
# Whatever else stands there is for the machine's own methods, of which there are none.
TAKE_ANYTHING = {
    "nodes/<node>/vendor_passthru",
    "nodes/<node>/vendor_passthru/<method>",
    "nodes/<node>/vendor_passthru/methods",
}


@pytest.mark.parametrize(
    ("method", "route"),
    [(method, route) for route, methods in ROUTES.items() if route not in TAKE_ANYTHING for method in methods],
)
def test_refuses_arguments_that_it_does_not_know(baremetal, method, route):
    """Whoever misspells a filter shall not take everything for what fits it; nor a condition of a write for granted."""
    address = "/v1/" + re.sub(r"<\w+>", NODE, route)

    response = baremetal.send(method.upper(), f"{address}?bogus=1")

    assert response.status_code == 400
    assert fault(response)["faultstring"] == "Unexpected arguments: bogus"
