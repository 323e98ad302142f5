"""PUT …/states/provision and …/states/power, as clients speak to them."""

import json

import pytest
from django.utils import timezone

from ironic_app.models import Node, Transition
from ironic_app.services import conductors
from tests.ironic.builders import make_node

pytestmark = pytest.mark.django_db(transaction=True)


def fault(response):
    return json.loads(response.json()["error_message"])["faultstring"]


def provision(baremetal, node, target, *, version="newest", **brought_along):
    path = f"/v1/nodes/{node.uuid}/states/provision"
    return baremetal.put(path, {"target": target, **brought_along}, version=version)


class TestProvision:
    def test_is_accepted_with_the_address_of_the_states(self, baremetal):
        node = make_node(provision_state="enroll", name="node-1")

        response = baremetal.put("/v1/nodes/node-1/states/provision", {"target": "manage"})

        assert (response.status_code, response.content) == (202, b"")
        assert response["Location"] == "http://testserver/baremetal/v1/nodes/node-1/states"
        assert baremetal.get(f"/v1/nodes/{node.uuid}").json()["provision_state"] == "manageable"

    def test_takes_a_node_through_its_life(self, baremetal):
        node = make_node(provision_state="enroll")

        shown = []
        for target in ("manage", "provide", "active", "rebuild", "deleted", "manage"):
            assert provision(baremetal, node, target).status_code == 202
            shown.append(baremetal.get(f"/v1/nodes/{node.uuid}").json()["provision_state"])

        assert shown == ["manageable", "available", "active", "active", "available", "manageable"]

    def test_shows_the_way_while_a_conductor_is_on_it(self, baremetal):
        conductors.sign_on(hostname="conductor-1", conductor_group="", drivers=[])
        node = make_node(provision_state="available")

        provision(baremetal, node, "active")

        states = baremetal.get(f"/v1/nodes/{node.uuid}/states").json()
        assert (states["provision_state"], states["target_provision_state"]) == ("deploying", "active")
        shown = baremetal.get(f"/v1/nodes/{node.uuid}").json()
        assert (shown["reservation"], shown["conductor"]) == ("conductor-1", "conductor-1")

    def test_is_refused_with_400_where_the_verb_leads_nowhere(self, baremetal):
        node = make_node(provision_state="enroll")

        response = provision(baremetal, node, "active")

        assert response.status_code == 400
        assert fault(response) == (
            f'The requested action "active" can not be performed on node "{node.uuid}" while it is in state "enroll".'
        )

    def test_is_refused_with_409_where_somebody_works_on_the_node(self, baremetal, settings):
        settings.NODE_LOCK_WAIT_SECONDS = 0
        node = make_node(provision_state="deploying", target_provision_state="active", reservation="conductor-1")

        response = provision(baremetal, node, "deleted")

        assert response.status_code == 409
        assert "is locked by host conductor-1" in fault(response)
        assert response["Retry-After"] == "1"

    def test_is_refused_with_403_for_a_protected_node(self, baremetal):
        node = make_node(provision_state="active", protected=True)

        assert provision(baremetal, node, "deleted").status_code == 403

    def test_of_a_node_that_is_not_there_is_404(self, baremetal):
        assert baremetal.put("/v1/nodes/nope/states/provision", {"target": "manage"}).status_code == 404

    @pytest.mark.parametrize(
        ("target", "since"),
        [
            ("manage", "1.4"), ("provide", "1.4"), ("inspect", "1.6"), ("abort", "1.13"), ("clean", "1.15"),
            ("adopt", "1.17"), ("rescue", "1.38"), ("unrescue", "1.38"), ("deploy", "1.73"), ("undeploy", "1.73"),
            ("unhold", "1.85"), ("service", "1.87"),
        ],
    )  # fmt: skip
    def test_knows_a_verb_from_its_version_on(self, baremetal, target, since):
        node = make_node(provision_state="verifying")
        before = f"1.{int(since[2:]) - 1}"

        assert provision(baremetal, node, target, version=before).status_code == 406
        assert provision(baremetal, node, target, version=since).status_code == 400

    @pytest.mark.parametrize(
        ("state", "version", "status", "next_state"),
        [
            ("clean wait", "1.12", 406, "clean wait"),
            ("clean wait", "1.13", 202, "clean failed"),
            ("inspect wait", "1.40", 406, "inspect wait"),
            ("inspect wait", "1.41", 202, "inspect failed"),
            ("rescue wait", "1.13", 202, "rescue failed"),
            ("wait call-back", "newest", 406, "wait call-back"),
            ("deploy hold", "newest", 202, "deploy failed"),
            ("service failed", "newest", 202, "active"),
            ("active", "newest", 400, "active"),
        ],
    )
    def test_is_aborted_from_the_version_on_that_knows_the_state_to_be_abortable(
        self, baremetal, state, version, status, next_state
    ):
        node = make_node(provision_state=state, target_provision_state="active")

        response = provision(baremetal, node, "abort", version=version)

        node.refresh_from_db()
        assert (response.status_code, node.provision_state) == (status, next_state)

    def test_was_possible_from_the_first_version_on(self, baremetal):
        node = make_node()

        assert provision(baremetal, node, "active", version="1.1").status_code == 202
        assert provision(baremetal, node, "deleted", version="1.1").status_code == 202
        assert baremetal.get(f"/v1/nodes/{node.uuid}", version="1.1").json()["provision_state"] is None

    @pytest.mark.parametrize(
        ("body", "text"),
        [
            (None, "Missing mandatory parameter: target"),
            ({}, "Missing mandatory parameter: target"),
            ([1], "Missing mandatory parameter: target"),
            ({"target": 7}, "Expected string for target: 7"),
            ({"target": "manage", "bogus": 1}, "Unexpected arguments: bogus"),
            ({"target": "active", "configdrive": 7}, "Invalid value for configdrive: 7"),
            (
                {"target": "active", "configdrive": {"bad": 1}},
                "Invalid configdrive format: Additional properties are not allowed ('bad' was unexpected)",
            ),
            ({"target": "clean", "clean_steps": "x"}, "Invalid value for clean_steps: 'x'"),
            ({"target": "clean", "clean_steps": [{"step": "x"}]}, "Invalid clean_steps: 'interface' is a required"),
            (
                {"target": "active", "deploy_steps": [{"interface": "deploy", "step": "x"}]},
                "Invalid deploy_steps: 'args' is a required property",
            ),
            ({"target": "clean", "disable_ramdisk": "maybe"}, "Invalid disable_ramdisk: Unrecognized value 'maybe'"),
            ({"target": None}, 'The requested action "None" can not be performed'),
        ],
    )
    def test_says_what_is_wrong_with_a_body(self, baremetal, body, text):
        node = make_node()

        response = baremetal.put(f"/v1/nodes/{node.uuid}/states/provision", body)

        assert response.status_code == 400
        assert fault(response).startswith(text)
        assert Node.objects.get().generation == 0

    def test_takes_a_configuration_drive_as_text_or_as_data_which_is_never_shown(self, baremetal):
        node = make_node()

        assert provision(baremetal, node, "active", configdrive="H4sI", version="1.55").status_code == 202
        assert provision(baremetal, node, "rebuild", configdrive={"meta_data": {}}).status_code == 202

        assert baremetal.get(f"/v1/nodes/{node.uuid}").json()["instance_info"] == {"configdrive": "******"}

    def test_takes_a_configuration_drive_as_data_from_its_version_on(self, baremetal):
        response = provision(baremetal, make_node(), "active", configdrive={"meta_data": {}}, version="1.55")

        assert response.status_code == 400
        assert fault(response).endswith("only supported starting with API version 1.56")

    @pytest.mark.parametrize(
        ("target", "configdrive", "version", "told"),
        [
            ("active", "no base64!", "newest", "it is neither a JSON, nor a URL, nor a base64 string"),
            ("active", "http://192.0.2.1/drive?a=b", "newest", None),
            ("active", "H4sI\nAA+/=", "newest", None),
            ("rebuild", "H4sI", "1.34", "is only supported when setting provision state to active"),
            ("rebuild", "H4sI", "1.35", None),
            ("active", {"vendor_data": {}}, "1.58", "only supported starting with API version 1.59"),
            ("active", {"vendor_data": {}}, "1.59", None),
        ],
    )
    def test_takes_what_is_a_configuration_drive_to_its_version(self, baremetal, target, configdrive, version, told):
        node = make_node(provision_state="active" if target == "rebuild" else "available")

        response = provision(baremetal, node, target, configdrive=configdrive, version=version)

        assert response.status_code == (400 if told else 202)
        assert told is None or fault(response).endswith(told)

    @pytest.mark.parametrize(
        ("state", "target", "version", "status"),
        [
            ("manageable", "clean", "1.69", 406),
            ("manageable", "clean", "1.70", 202),
            ("active", "service", "1.107", 406),
            ("active", "service", "1.108", 202),
            ("available", "active", "newest", 400),
        ],
    )
    def test_does_without_a_ramdisk_from_its_version_on(self, baremetal, state, target, version, status):
        steps = {f"{target}_steps": [{"interface": "deploy", "step": "x"}]} if target != "active" else {}
        node = make_node(provision_state=state)

        response = provision(baremetal, node, target, disable_ramdisk=True, version=version, **steps)

        assert response.status_code == status

    def test_takes_long_bodies(self, baremetal):
        assert provision(baremetal, make_node(), "active", configdrive="x" * 3_000_000).status_code == 202

    def test_is_for_those_whom_the_policy_allows(self, baremetal):
        node = make_node(owner="p1")
        path, body = f"/v1/nodes/{node.uuid}/states/provision", {"target": "active"}

        answers = [
            baremetal.put(path, body, token=f"user:{project}", headers={"X-Roles": role}).status_code
            for project, role in [("p1", "reader"), ("p2", "member"), ("p1", "member")]
        ]

        assert answers == [403, 404, 202]


class TestPower:
    def test_is_accepted_with_the_address_of_the_states(self, baremetal):
        node = make_node()

        response = baremetal.put(f"/v1/nodes/{node.uuid}/states/power", {"target": "power on", "timeout": 5})

        assert (response.status_code, response.content) == (202, b"")
        assert response["Location"].endswith(f"/v1/nodes/{node.uuid}/states")
        assert baremetal.get(f"/v1/nodes/{node.uuid}").json()["power_state"] == "power on"

    @pytest.mark.parametrize(
        ("body", "version", "status"),
        [
            ({"target": "on"}, "newest", 400),
            ({"target": None}, "newest", 400),
            ({}, "newest", 400),
            ({"target": "power on", "x": 1}, "newest", 400),
            ({"target": "power on", "timeout": 0}, "newest", 400),
            ({"target": "power on", "timeout": "x"}, "newest", 400),
            ({"target": "power on", "timeout": 5}, "1.26", 406),
            ({"target": "soft rebooting"}, "1.26", 406),
            ({"target": "soft power off"}, "1.26", 406),
            ({"target": "rebooting"}, "1.26", 202),
            ({"target": "soft power off"}, "1.27", 202),
        ],
    )
    def test_judges_what_is_asked_for(self, baremetal, body, version, status):
        node = make_node()

        response = baremetal.put(f"/v1/nodes/{node.uuid}/states/power", body, version=version)

        assert response.status_code == status

    def test_is_refused_with_409_while_the_machine_is_waited_for(self, baremetal):
        node = make_node(provision_state="wait call-back", target_provision_state="active")
        Transition.objects.create(node=node, kind="provision", verb="deploy", due_at=timezone.now())

        response = baremetal.put(f"/v1/nodes/{node.uuid}/states/power", {"target": "power off"})

        assert response.status_code == 409
        assert fault(response) == f"Node {node.uuid} can not be updated while a state transition is in progress."

    def test_is_refused_with_409_where_it_must_stay_on(self, baremetal):
        node = make_node(disable_power_off=True)

        response = baremetal.put(f"/v1/nodes/{node.uuid}/states/power", {"target": "power off"})

        assert response.status_code == 409
        assert fault(response) == "Failed to set node power state to power off."
