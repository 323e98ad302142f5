"""GET /v1/nodes/<node> and its states: the fields of every version, secrets, tags."""

import pytest

from tests.ironic.builders import add, fault, make_node, remove

ADDED = {
    1: "uuid created_at updated_at chassis_uuid console_enabled driver driver_info extra instance_info instance_uuid "
    "last_error maintenance maintenance_reason power_state properties provision_state provision_updated_at reservation "
    "target_power_state target_provision_state links ports",
    3: "driver_internal_info",
    5: "name",
    6: "inspection_finished_at inspection_started_at",
    7: "clean_step",
    12: "raid_config target_raid_config",
    14: "states",
    20: "network_interface",
    21: "resource_class",
    24: "portgroups",
    31: "boot_interface console_interface deploy_interface inspect_interface management_interface power_interface "
    "raid_interface vendor_interface",
    32: "volume",
    33: "storage_interface",
    37: "traits",
    38: "rescue_interface",
    40: "bios_interface",
    42: "fault",
    44: "deploy_step",
    46: "conductor_group",
    47: "automated_clean",
    48: "protected protected_reason",
    49: "conductor",
    50: "owner",
    51: "description",
    52: "allocation_uuid",
    61: "retired retired_reason",
    65: "lessee",
    66: "network_data",
    75: "boot_mode secure_boot",
    82: "shard",
    83: "parent_node",
    86: "firmware_interface",
    87: "service_step",
    95: "disable_power_off",
    104: "instance_name",
    109: "health",
}


def known_at(minor):
    return {name for since, names in ADDED.items() if since <= minor for name in names.split()}


class TestFields:
    @pytest.mark.parametrize("minor", range(1, 110))
    def test_are_those_of_the_version(self, baremetal, minor):
        node = make_node()

        shown = baremetal.get(f"/v1/nodes/{node.uuid}", version=f"1.{minor}").json()

        assert shown.keys() == known_at(minor)

    def test_have_their_defaults(self, baremetal):
        node = make_node()

        shown = baremetal.get(f"/v1/nodes/{node.uuid}").json()

        assert {name for name, value in shown.items() if value == {}} == {
            "clean_step", "deploy_step", "driver_info", "driver_internal_info", "extra", "instance_info",
            "network_data", "properties", "raid_config", "service_step", "target_raid_config",
        }  # fmt: skip
        assert {name for name, value in shown.items() if value is False} == {
            "console_enabled",
            "disable_power_off",
            "maintenance",
            "protected",
            "retired",
        }
        assert (shown["traits"], shown["conductor_group"], shown["automated_clean"]) == ([], "", None)

    def test_can_be_chosen(self, baremetal):
        node = make_node(name="node-1")

        shown = baremetal.get(f"/v1/nodes/{node.uuid}?fields=name,states").json()

        assert shown.keys() == {"name", "states", "links"}

    def test_link_to_the_node_and_what_belongs_to_it(self, baremetal):
        node = make_node()

        shown = baremetal.get(f"/v1/nodes/{node.uuid}").json()

        assert shown["links"] == [
            {"href": f"http://testserver/baremetal/v1/nodes/{node.uuid}", "rel": "self"},
            {"href": f"http://testserver/baremetal/nodes/{node.uuid}", "rel": "bookmark"},
        ]
        assert shown["ports"][0]["href"] == f"http://testserver/baremetal/v1/nodes/{node.uuid}/ports"

    def test_show_times_to_the_microsecond_with_their_zone(self, baremetal):
        node = make_node()

        assert baremetal.get(f"/v1/nodes/{node.uuid}").json()["created_at"] == node.created_at.isoformat()


class TestStatesByVersion:
    @pytest.mark.parametrize(
        ("state", "version", "shown"),
        [
            ("available", "1.1", None),
            ("available", "1.2", "available"),
            ("inspect wait", "1.38", "inspecting"),
            ("inspect wait", "1.39", "inspect wait"),
            ("active", "1.1", "active"),
        ],
    )
    def test_are_shown_in_the_words_of_their_time(self, baremetal, state, version, shown):
        node = make_node(provision_state=state)

        for url in (f"/v1/nodes/{node.uuid}", f"/v1/nodes/{node.uuid}/states"):
            assert baremetal.get(url, version=version).json()["provision_state"] == shown


class TestSecrets:
    def test_are_not_shown(self, baremetal):
        node = make_node(
            driver_info={"ipmi_password": "x", "redfish_password": "x", "snmp_community": "x", "ipmi_address": "a"},
            instance_info={"configdrive": "x", "image_url": "x", "image_source": "s"},
        )

        for shown in (
            baremetal.get(f"/v1/nodes/{node.uuid}").json(),
            *baremetal.get("/v1/nodes/detail").json()["nodes"],
            baremetal.patch(f"/v1/nodes/{node.uuid}", [add("/extra/a", 1)]).json(),
        ):
            assert shown["driver_info"] == {
                "ipmi_password": "******",
                "redfish_password": "******",
                "snmp_community": "******",
                "ipmi_address": "a",
            }
            assert shown["instance_info"] == {"configdrive": "******", "image_url": "******", "image_source": "s"}

    def test_are_not_shown_however_deep_they_lie(self, baremetal):
        info = {"a": [{"b": {"api_token": "x", "c": "d"}}], "Passphrase": {"is": "x"}}
        node = make_node(driver_info=info, instance_info=info)

        shown = baremetal.get(f"/v1/nodes/{node.uuid}").json()

        hidden = {"a": [{"b": {"api_token": "******", "c": "d"}}], "Passphrase": "******"}
        assert (shown["driver_info"], shown["instance_info"]) == (hidden, hidden)

    def test_survive_a_patch_beside_them(self, baremetal):
        node = make_node(driver_info={"ipmi_password": "x"})

        baremetal.patch(f"/v1/nodes/{node.uuid}", [add("/driver_info/ipmi_address", "a")])

        node.refresh_from_db()
        assert node.driver_info == {"ipmi_password": "x", "ipmi_address": "a"}


class TestAddress:
    def test_is_the_uuid_in_any_spelling(self, baremetal):
        node = make_node()

        for spelling in (node.uuid, node.uuid.upper(), node.uuid.replace("-", "")):
            assert baremetal.get(f"/v1/nodes/{spelling}").json()["uuid"] == node.uuid

    @pytest.mark.parametrize("name", ["node-1", "node.example.org", "n~1", "node_1"])
    def test_is_the_name_too(self, baremetal, name):
        node = make_node(name=name)

        for path in (f"/v1/nodes/{name}", f"/v1/nodes/{name}/", f"/nodes/{name}"):
            assert baremetal.get(path, version="1.5").json()["uuid"] == node.uuid

    def test_is_no_name_before_there_were_any(self, baremetal):
        make_node(name="node-1")

        assert baremetal.get("/v1/nodes/node-1", version="1.4").status_code == 404

    def test_may_end_in_json_before_that_was_part_of_a_name(self, baremetal):
        node = make_node(name="node-1")

        for ident in (node.uuid, "node-1"):
            assert baremetal.get(f"/v1/nodes/{ident}.json", version="1.90").status_code == 200
            assert baremetal.get(f"/v1/nodes/{ident}.json", version="1.91").status_code == 404

    def test_may_be_a_name_that_ends_so(self, baremetal):
        make_node(name="node-1.json")

        for version in ("1.90", "1.91"):
            assert baremetal.get("/v1/nodes/node-1.json", version=version).status_code == 200

    @pytest.mark.parametrize("path", ["", "/states", "/validate", "/traits", "/children"])
    def test_of_no_node_is_not_found(self, baremetal, path):
        response = baremetal.get(f"/v1/nodes/node-1{path}")

        assert response.status_code == 404
        assert fault(response)["faultstring"] == "Node node-1 could not be found."

    @pytest.mark.parametrize("ident", ["a%00b", "%00", "%ff", "%f0%9f%98%80", "x" * 300, "{}", "'", "%25"])
    def test_may_be_any_text_without_doing_harm(self, baremetal, ident):
        for send in (baremetal.get, baremetal.delete):
            assert send(f"/v1/nodes/{ident}").status_code == 404


class TestTag:
    def test_is_the_same_until_the_node_changes(self, baremetal):
        node = make_node()
        url = f"/v1/nodes/{node.uuid}"

        tags = [
            baremetal.get(url)["ETag"],
            baremetal.get(f"{url}?fields=uuid", version="1.8")["ETag"],
            baremetal.patch(url, [])["ETag"],
            baremetal.patch(url, [add("/extra/a", 1)])["ETag"],
            baremetal.get(url)["ETag"],
            baremetal.patch(url, [remove("/extra/a")])["ETag"],
        ]

        assert tags[0] == tags[1] == tags[2] != tags[3] == tags[4] != tags[5]

    def test_never_comes_back_with_a_node_of_the_same_uuid(self, baremetal):
        body = {"driver": "fake-hardware", "uuid": make_node().uuid}
        before = baremetal.get(f"/v1/nodes/{body['uuid']}")["ETag"]
        baremetal.delete(f"/v1/nodes/{body['uuid']}")

        after = baremetal.post("/v1/nodes", body)["ETag"]

        assert before != after

    @pytest.mark.parametrize("prefix", ["", "W/", '"other", '])
    def test_lets_a_write_pass_that_expects_it(self, baremetal, prefix):
        node = make_node()
        tag = baremetal.get(f"/v1/nodes/{node.uuid}")["ETag"]

        response = baremetal.patch(f"/v1/nodes/{node.uuid}", [add("/extra/a", 1)], headers={"If-Match": prefix + tag})

        assert response.status_code == 200

    def test_of_any_state_will_do_for_a_star(self, baremetal):
        node = make_node()

        response = baremetal.patch(f"/v1/nodes/{node.uuid}", [add("/extra/a", 1)], headers={"If-Match": "*"})

        assert response.status_code == 200

    @pytest.mark.parametrize(
        ("method", "path", "body"),
        [
            ("PATCH", "", [add("/extra/a", 1)]),
            ("PATCH", "", []),
            ("DELETE", "", None),
            ("PUT", "/maintenance", {}),
            ("DELETE", "/maintenance", None),
            ("PUT", "/traits/CUSTOM_A", None),
            ("PUT", "/states/provision", {"target": "manage"}),
            ("PUT", "/states/power", {"target": "power on"}),
        ],
    )
    @pytest.mark.parametrize("tag", ['"1-99"', "nonsense", '""'])
    def test_of_another_state_refuses_the_write(self, baremetal, method, path, body, tag):
        node = make_node()

        response = baremetal.send(method, f"/v1/nodes/{node.uuid}{path}", body, headers={"If-Match": tag})

        assert (response.status_code, fault(response)["code"]) == (412, "NodeChanged")
        node.refresh_from_db()
        assert (node.generation, node.reservation) == (0, None)

    def test_of_another_state_does_not_keep_from_reading(self, baremetal):
        node = make_node()

        assert baremetal.get(f"/v1/nodes/{node.uuid}", headers={"If-Match": '"1-99"'}).status_code == 200


class TestStates:
    def test_are_a_part_of_the_node(self, baremetal):
        node = make_node(power_state="power on", last_error="e", target_provision_state="active")

        shown = baremetal.get(f"/v1/nodes/{node.uuid}/states").json()

        whole = baremetal.get(f"/v1/nodes/{node.uuid}").json()
        assert shown.keys() == {
            "power_state", "provision_state", "target_power_state", "target_provision_state", "provision_updated_at",
            "last_error", "console_enabled", "raid_config", "target_raid_config", "boot_mode", "secure_boot",
        }  # fmt: skip
        assert shown == {name: whole[name] for name in shown}

    def test_grow_with_the_versions(self, baremetal):
        node = make_node()

        assert "raid_config" not in baremetal.get(f"/v1/nodes/{node.uuid}/states", version="1.11").json()
        assert "boot_mode" not in baremetal.get(f"/v1/nodes/{node.uuid}/states", version="1.74").json()


class TestValidation:
    def test_says_of_every_interface_whether_it_works(self, baremetal):
        node = make_node(rescue_interface="no-rescue")

        shown = baremetal.get(f"/v1/nodes/{node.uuid}/validate").json()

        assert shown.keys() == {
            "bios", "boot", "console", "deploy", "firmware", "inspect", "management", "network", "power", "raid",
            "rescue", "storage",
        }  # fmt: skip
        assert shown["deploy"] == {"result": True}
        assert shown["rescue"]["result"] is None
