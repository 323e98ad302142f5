"""/v1/volume: connectors and targets."""

from typing import Any

import pytest

from ironic_app.models import Node, VolumeConnector, VolumeTarget
from tests.ironic.builders import fault, make_node, project, replace

pytestmark = pytest.mark.django_db(transaction=True)

CONNECTOR = {"type": "iqn", "connector_id": "iqn.2017-07.org.example:1"}
TARGET = {"volume_type": "iscsi", "volume_id": "04452bed-5367-4202-8bf5-de4335ac56d2", "boot_index": 0}
KINDS: dict[str, dict[str, Any]] = {"connectors": CONNECTOR, "targets": TARGET}


def make(baremetal, kind, node, **values):
    return baremetal.post(f"/v1/volume/{kind}", KINDS[kind] | {"node_uuid": node.uuid} | values)


class TestVolume:
    def test_links_to_its_lists(self, baremetal):
        node = make_node(name="node-1")

        everywhere = baremetal.get("/v1/volume").json()
        of_node = baremetal.get("/v1/nodes/node-1/volume").json()

        assert everywhere["targets"][0]["href"].endswith("/v1/volume/targets")
        assert of_node["connectors"][0]["href"].endswith(f"/v1/nodes/{node.uuid}/volume/connectors")

    @pytest.mark.parametrize("path", ["/v1/volume", "/v1/volume/targets", "/v1/nodes/node-1/volume/connectors"])
    def test_was_not_there_before_its_version(self, baremetal, path):
        make_node(name="node-1")

        assert baremetal.get(path, version="1.31").status_code == 404
        assert baremetal.get(path, version="1.32").status_code == 200


@pytest.mark.parametrize("kind", KINDS)
class TestRecords:
    def test_are_made_listed_changed_and_deleted(self, baremetal, kind):
        node = make_node(name="node-1")

        made = make(baremetal, kind, node)
        path = f"/v1/volume/{kind}/{made.json()['uuid']}"

        assert made.status_code == 201
        assert made["Location"].endswith(path)
        assert baremetal.get(path).json() == made.json()
        for listed in (f"/v1/volume/{kind}", f"/v1/volume/{kind}?node=node-1", f"/v1/nodes/node-1/volume/{kind}"):
            assert [shown["uuid"] for shown in baremetal.get(listed).json()[kind]] == [made.json()["uuid"]], listed
        assert baremetal.patch(path, [replace("/extra", {"a": 1})]).json()["extra"] == {"a": 1}
        assert baremetal.delete(path).status_code == 204
        assert baremetal.get(path).status_code == 404

    def test_show_all_of_themselves_to_the_first_version_that_knows_them(self, baremetal, kind):
        node = make_node(name="node-1")
        make(baremetal, kind, node)

        (shown,) = baremetal.get(f"/v1/volume/{kind}?node=node-1&detail=True", version="1.32").json()[kind]

        assert "extra" in shown

    def test_of_the_same_thing_are_refused(self, baremetal, kind):
        node = make_node()
        make(baremetal, kind, node)

        response = make(baremetal, kind, node)

        assert response.status_code == 409
        assert fault(response)["faultstring"].endswith("already exists.")

    def test_stay_as_they_are_while_the_machine_runs(self, baremetal, kind):
        node = make_node(power_state="power off")
        path = f"/v1/volume/{kind}/{make(baremetal, kind, node).json()['uuid']}"
        Node.objects.update(power_state="power on")

        changed = baremetal.patch(path, [replace("/extra", {"a": 1})])
        deleted = baremetal.delete(path)

        told = (
            f'The requested action "volume {kind[:-1]} {{}}" can not be performed on node "{node.uuid}" while it is in '
            'state "power on".'
        )
        assert (changed.status_code, fault(changed)["faultstring"]) == (400, told.format("update"))
        assert (deleted.status_code, fault(deleted)["faultstring"]) == (400, told.format("deletion"))
        assert baremetal.get(path).json()["extra"] == {}

    def test_have_no_names(self, baremetal, kind):
        response = baremetal.get(f"/v1/volume/{kind}/some")

        assert (response.status_code, fault(response)["faultstring"]) == (
            400,
            f"Expected UUID for {kind[:-1]}_uuid: some",
        )

    @pytest.mark.parametrize("values", [{"node_uuid": None}, {"bogus": 1}, {"extra": 7}, {"uuid": "x"}])
    def test_that_make_no_sense_are_refused(self, baremetal, kind, values):
        assert make(baremetal, kind, make_node(), **values).status_code == 400


class TestValues:
    @pytest.mark.parametrize("boot_index", ["0", -1, None, True, 2**31])
    def test_of_a_boot_index_are_small_numbers(self, baremetal, boot_index):
        assert make(baremetal, "targets", make_node(), boot_index=boot_index).status_code == 400
        assert not VolumeTarget.objects.exists()

    @pytest.mark.parametrize("values", [{"type": ""}, {"type": None}, {"connector_id": "x" * 256}, {"connector_id": 7}])
    def test_of_a_connector_are_words(self, baremetal, values):
        assert make(baremetal, "connectors", make_node(), **values).status_code == 400
        assert not VolumeConnector.objects.exists()


class TestPropertiesOfATarget:
    """They say how the volume is reached: by the rule ``baremetal:volume:view_target_properties``."""

    SECRETS = {"target_iqn": "iqn.1", "auth_username": "me", "auth_password": "s3cret", "more": [{"chapsecret": "s3"}]}

    def test_never_show_a_password(self, baremetal):
        made = make(baremetal, "targets", make_node(), properties=self.SECRETS)
        path = f"/v1/volume/targets/{made.json()['uuid']}"

        listed = baremetal.get("/v1/volume/targets?detail=True").json()["targets"][0]
        patched = baremetal.patch(path, [replace("/extra", {})])

        hidden = self.SECRETS | {"auth_password": "******", "more": [{"chapsecret": "******"}]}
        assert [made.json()["properties"], listed["properties"], patched.json()["properties"]] == [hidden] * 3
        assert VolumeTarget.objects.get().properties == self.SECRETS

    @pytest.mark.parametrize(
        ("caller", "shown"),
        [
            (project("p1", "manager"), False),
            (project("p2", "member"), False),
            (project("p9", "admin"), True),
            (project("p9", "service"), True),
            ({"token": "auditor", "headers": {"X-Roles": "reader", "OpenStack-System-Scope": "all"}}, True),
        ],
        ids=["owner", "lessee", "administrator", "service", "auditor"],
    )
    def test_are_shown_to_operators_only(self, baremetal, caller, shown):
        node = make_node(owner="p1", lessee="p2")
        uuid = make(baremetal, "targets", node, properties=self.SECRETS).json()["uuid"]

        for path, key in (
            (f"/v1/volume/targets/{uuid}", None),
            ("/v1/volume/targets?fields=properties", "targets"),
            (f"/v1/nodes/{node.uuid}/volume/targets?detail=True", "targets"),
        ):
            document = baremetal.get(path, **caller).json()
            properties = (document[key][0] if key else document)["properties"]
            assert ("target_iqn" in properties) == shown, path
            assert properties.keys() == (self.SECRETS.keys() if shown else {"redacted_contents"})

    def test_are_not_told_to_whoever_may_change_them(self, baremetal):
        uuid = make(baremetal, "targets", make_node(lessee="p2"), properties=self.SECRETS).json()["uuid"]

        response = baremetal.patch(
            f"/v1/volume/targets/{uuid}", [replace("/extra", {"a": 1})], **project("p2", "manager")
        )

        assert response.json()["properties"].keys() == {"redacted_contents"}
        assert VolumeTarget.objects.get().properties == self.SECRETS
