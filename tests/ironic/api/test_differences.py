"""Where this site answers otherwise than Ironic 39, on purpose: the table of docs/ironic.md, row by row."""

import pytest

from ironic_app.models import PortGroup
from tests.ironic.builders import add, make_node, make_port, remove, replace

pytestmark = pytest.mark.django_db(transaction=True)

A = "aaaaaaaa-0000-4000-8000-00000000000a"
NODE, PORT, GROUP = f"nodes/{A}", f"ports/{A}", f"portgroups/{A}"
NEW = {"driver": "fake-hardware"}
# method, path, body, version, what is answered
ANSWERS = [
    # A field, filter or verb that the version does not know is refused whatever is done with it.
    ("PATCH", NODE, [remove("/owner")], "1.49", 406),
    ("PATCH", PORT, [replace("/description", "d")], "1.96", 406),
    ("POST", "portgroups", {"node_uuid": A, "category": "x"}, "1.102", 406),
    ("GET", "nodes?description_contains=x", None, "1.50", 406),
    ("GET", "nodes?retired=True", None, "1.60", 406),
    ("GET", "nodes?project=p1", None, "1.64", 406),
    ("PUT", f"{NODE}/traits", {"traits": []}, "1.36", 406),
    ("DELETE", f"{NODE}/traits", None, "1.36", 406),
    ("PUT", f"{NODE}/states/provision", {"target": "undeploy"}, "1.72", 406),
    ("PUT", f"{NODE}/states/provision", {"target": "service"}, "1.86", 406),
    # What Ironic breaks at.
    ("POST", "nodes", b"{", "1.109", 400),
    ("PATCH", NODE, b"[{", "1.109", 400),
    ("PATCH", NODE, [replace("/description", None)], "1.109", 200),
    ("PATCH", NODE, [replace("/maintenance", None)], "1.109", 200),
    ("PATCH", NODE, [remove("/automated_clean")], "1.109", 200),
    ("PATCH", NODE, [remove("/conductor_group")], "1.109", 200),
    ("PATCH", PORT, [remove("/pxe_enabled")], "1.109", 200),
    ("GET", "nodes?fields=bogus", None, "1.109", 400),
    ("GET", "nodes?fields=uuid,links", None, "1.109", 200),
    ("GET", f"{NODE}/states/power", None, "1.109", 405),
    ("DELETE", "allocations", None, "1.109", 405),
    ("POST", "allocations", {"node": A}, "1.109", 409),
    # What Ironic lets in.
    ("PATCH", NODE, [replace("/owner", "x" * 256)], "1.109", 400),
    ("POST", "allocations", {"resource_class": "x", "uuid": "x"}, "1.109", 400),
    ("POST", "allocations", {"resource_class": "x", "name": A}, "1.109", 400),
    ("POST", "portgroups", {"node_uuid": A, "name": A}, "1.109", 400),
    ("PATCH", PORT, [replace("/name", "a b")], "1.109", 400),
    ("PATCH", GROUP, [replace("/mode", None)], "1.109", 400),
    ("PUT", f"{NODE}/maintenance", [], "1.109", 400),
    # What Ironic keeps out.
    ("GET", f"nodes/{A.upper()}", None, "1.109", 200),
    ("GET", f"nodes/{A.replace('-', '')}", None, "1.109", 200),
    ("PATCH", NODE, [replace("/name", None)], "1.109", 200),
    ("PATCH", NODE, [replace("/parent_node", None)], "1.109", 200),
    ("PATCH", NODE, [add("/conductor_group", "cellar")], "1.109", 200),
    ("PATCH", NODE, [add("/extra/a b", 1)], "1.109", 200),
    ("POST", "nodes", NEW | {"owner": "p1"}, "1.109", 201),
    ("GET", "nodes?provision_state=ENROLL", None, "1.109", 200),
    ("GET", "nodes?sort_key=chassis_uuid", None, "1.109", 200),
    ("GET", "nodes/detail?detail=True", None, "1.109", 200),
    ("GET", f"portgroups?node={A}&address=52:54:00:00:00:01", None, "1.109", 200),
    ("PUT", f"{NODE}/states/provision", {"target": "deploy", "configdrive": "H4sI"}, "1.109", 202),
    # What Ironic can do and this site can't.
    ("PATCH", PORT, [replace("/node_uuid", "bbbbbbbb-0000-4000-8000-00000000000b")], "1.109", 400),
    ("HEAD", "", None, "1.109", 405),
]


@pytest.fixture(autouse=True)
def something():
    node = make_node(uuid=A, name="node-1", owner="p1")
    make_port(node, uuid=A, address="52:54:00:00:00:01")
    PortGroup.objects.create(uuid=A, node=node)


@pytest.mark.parametrize(
    ("method", "path", "body", "version", "status"),
    ANSWERS,
    ids=[f"{number}-{method}-{path.partition('?')[0]}" for number, (method, path, *_) in enumerate(ANSWERS)],
)
def test_is_as_told(baremetal, method, path, body, version, status):
    response = baremetal.send(method, f"/v1/{path}", body, version=version)

    assert response.status_code == status, response.content
