"""What can be asked of the machine behind a node, and the node's history."""

import pytest

from ironic_app.models import NodeHistory
from tests.ironic.builders import fault, make_node

pytestmark = pytest.mark.django_db(transaction=True)

RAID = {"logical_disks": [{"size_gb": 10}]}


@pytest.fixture
def node():
    return make_node(name="node-1", provision_state="manageable")


class TestSwitches:
    @pytest.mark.parametrize(
        ("path", "body", "status", "shown"),
        [
            ("states/console", {"enabled": True}, 202, ("console_enabled", True)),
            ("states/boot_mode", {"target": "uefi"}, 202, ("boot_mode", "uefi")),
            ("states/secure_boot", {"target": "on"}, 202, ("secure_boot", True)),
            ("states/raid", RAID, 204, ("target_raid_config", RAID)),
        ],
    )
    def test_are_set_and_shown(self, baremetal, node, path, body, status, shown):
        assert baremetal.put(f"/v1/nodes/node-1/{path}", body).status_code == status

        name, value = shown
        assert baremetal.get("/v1/nodes/node-1/states").json()[name] == value

    @pytest.mark.parametrize(
        ("path", "body"),
        [
            ("states/console", {}),
            ("states/console", {"enabled": "perhaps"}),
            ("states/boot_mode", {"target": "zz"}),
            ("states/boot_mode", []),
            ("states/secure_boot", {}),
            ("states/raid", {"logical_disks": []}),
            ("states/raid", None),
            ("management/boot_device", {"boot_device": "zz"}),
            ("management/inject_nmi", {}),
        ],
    )
    def test_refuse_what_can_not_be_meant(self, baremetal, node, path, body):
        assert baremetal.put(f"/v1/nodes/node-1/{path}", body).status_code == 400

    def test_of_a_locked_node_are_not_touched(self, baremetal):
        make_node(name="node-2", reservation="conductor-1")

        assert baremetal.put("/v1/nodes/node-2/states/console", {"enabled": True}).status_code == 409


class TestMachine:
    @pytest.mark.parametrize(
        ("path", "document"),
        [
            ("states/console", {"console_enabled": False, "console_info": None}),
            ("management/boot_device", {"boot_device": "pxe", "persistent": False}),
            ("management/boot_device/supported", {"supported_boot_devices": ["pxe"]}),
            ("management/indicators", {"indicators": []}),
            ("bios", {"bios": []}),
            ("firmware", {"firmware": []}),
            ("vendor_passthru/methods", {}),
        ],
    )
    def test_answers_as_one_that_does_not_exist(self, baremetal, node, path, document):
        response = baremetal.get(f"/v1/nodes/node-1/{path}")

        assert (response.status_code, response.json()) == (200, document)

    @pytest.mark.parametrize(
        ("method", "path", "status"),
        [
            ("GET", "bios/some", 404),
            ("GET", "inventory", 404),
            ("GET", "vmedia", 400),
            ("POST", "vmedia", 400),
            ("DELETE", "vmedia", 400),
            ("POST", "vendor_passthru/some", 400),
            ("GET", "vendor_passthru?method=some", 400),
            ("GET", "management/inject_nmi", 405),
            ("GET", "states/nonsense", 404),
        ],
    )
    def test_says_what_it_does_not_have(self, baremetal, node, method, path, status):
        assert baremetal.send(method, f"/v1/nodes/node-1/{path}").status_code == status

    def test_can_be_told_to_boot_from_the_network(self, baremetal, node):
        path = "/v1/nodes/node-1/management/boot_device"

        assert baremetal.put(path, {"boot_device": "pxe"}).status_code == 204

    @pytest.mark.parametrize("path", ["bios", "inventory", "states/console", "history", "management/boot_device"])
    def test_of_a_node_that_is_not_there_is_404(self, baremetal, path):
        assert baremetal.get(f"/v1/nodes/nope/{path}").status_code == 404


class TestHistory:
    @pytest.fixture(autouse=True)
    def story(self, baremetal, node):
        for target in ("provide", "active", "deleted"):
            baremetal.put("/v1/nodes/node-1/states/provision", {"target": target})

    def test_tells_what_happened_in_order(self, baremetal):
        found = baremetal.get("/v1/nodes/node-1/history").json()["history"]

        assert [entry["event"] for entry in found] == [
            "provide: the node is available.",
            "deploy: the node is active.",
            "undeploy: the node is available.",
        ]
        assert found[0].keys() == {"uuid", "created_at", "severity", "event", "links"}

    def test_tells_by_whom_when_asked_for_more(self, baremetal):
        entry = baremetal.get("/v1/nodes/node-1/history?detail=True").json()["history"][0]

        assert (entry["event_type"], entry["user"], entry["severity"]) == ("provide_end", "admin", "INFO")
        assert baremetal.get(f"/v1/nodes/node-1/history/{entry['uuid']}").json() == entry

    def test_is_read_page_by_page(self, baremetal):
        seen, link = [], "/v1/nodes/node-1/history?limit=2&detail=True"
        while link:
            page = baremetal.get(link).json()
            seen += [entry["event_type"] for entry in page["history"]]
            link = page.get("next")

        assert seen == ["provide_end", "deploy_end", "undeploy_end"]

    def test_knows_no_other_entries(self, baremetal):
        response = baremetal.get("/v1/nodes/node-1/history/nope")

        assert (response.status_code, fault(response)["faultstring"]) == (
            404,
            "Node history record nope could not be found.",
        )

    def test_was_not_there_before_its_version(self, baremetal):
        assert baremetal.get("/v1/nodes/node-1/history", version="1.77").status_code == 404

    def test_goes_with_its_node(self, baremetal):
        assert baremetal.delete("/v1/nodes/node-1").status_code == 204
        assert not NodeHistory.objects.exists()
