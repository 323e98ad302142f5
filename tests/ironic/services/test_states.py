"""Orders to nodes: what they start, what they end in without a conductor, and what is refused."""

import pytest

from claimsite.foundation.uuids import new_uuid
from ironic_app import errors
from ironic_app.models import ConflictRecord, Node, NodeHistory, OwnershipEvent, Transition, VifAttachment
from ironic_app.services import conductors, states
from ironic_app.services.states import Order
from tests.ironic.builders import ORIGIN, make_allocation, make_node

pytestmark = pytest.mark.django_db(transaction=True)


def ask(node, target, **brought_along):
    states.provision(ident=node.uuid, order=Order(target, **brought_along), origin=ORIGIN)
    node.refresh_from_db()
    return node


@pytest.fixture
def conductor():
    conductors.sign_on(hostname="conductor-1", conductor_group="", drivers=["fake-hardware"])


class TestWithoutConductor:
    @pytest.mark.parametrize(
        ("state", "target", "end"),
        [
            ("enroll", "manage", "manageable"),
            ("manageable", "provide", "available"),
            ("manageable", "inspect", "manageable"),
            ("manageable", "adopt", "active"),
            ("available", "active", "active"),
            ("available", "deploy", "active"),
            ("available", "manage", "manageable"),
            ("active", "rebuild", "active"),
            ("active", "deleted", "available"),
            ("error", "undeploy", "available"),
            ("rescue", "unrescue", "active"),
            ("clean failed", "manage", "manageable"),
        ],
    )
    def test_an_order_is_carried_out_at_once(self, state, target, end):
        node = make_node(provision_state=state)

        ask(node, target)

        assert (node.provision_state, node.target_provision_state) == (end, None)
        assert (node.reservation, node.reserved_at, node.last_error) == (None, None, None)
        assert not Transition.objects.exists()

    def test_verifying_finds_out_the_power(self):
        node = make_node(provision_state="enroll", power_state=None)

        ask(node, "manage")

        assert node.power_state == "power off"

    def test_a_machine_runs_after_deploying_and_not_after_tearing_down(self):
        node = make_node(power_state="power off")

        assert ask(node, "active").power_state == "power on"
        assert ask(node, "deleted").power_state == "power off"

    def test_a_retired_node_ends_as_manageable(self):
        node = make_node(provision_state="active", retired=True, automated_clean=False)

        assert ask(node, "deleted").provision_state == "manageable"

    def test_the_configuration_drive_and_the_steps_stay_with_the_node(self):
        node = make_node(instance_info={"image_source": "x"})
        steps = [{"interface": "deploy", "step": "deploy", "args": {}, "priority": 50}]

        ask(node, "active", configdrive={"meta_data": {"name": "x"}}, deploy_steps=steps)

        assert node.instance_info == {"image_source": "x", "configdrive": {"meta_data": {"name": "x"}}}
        assert node.driver_internal_info["user_deploy_steps"] == steps

    def test_the_password_of_a_rescue_is_kept_nowhere(self):
        node = make_node(provision_state="active")

        ask(node, "rescue", rescue_password="secret")

        assert node.provision_state == "rescue"
        assert "secret" not in repr(Node.objects.values().get())

    def test_the_end_is_in_the_nodes_history(self):
        node = make_node(provision_state="manageable")

        ask(node, "provide")

        entry = NodeHistory.objects.get(node=node)
        assert (entry.event_type, entry.severity, entry.user) == ("provide_end", "INFO", ORIGIN.actor)
        assert entry.event == "provide: the node is available."


class TestTearingDown:
    def test_takes_the_node_from_its_instance_with_all_that_belonged_to_it(self):
        allocation = make_allocation(state="active")
        node = make_node(
            provision_state="active",
            instance_uuid=allocation.uuid,
            allocation=allocation,
            instance_info={"image_source": "x"},
            instance_name="x",
        )
        VifAttachment.objects.create(node=node, vif_id="vif-1")

        ask(node, "deleted")

        assert (node.instance_uuid, node.allocation_id, node.instance_info, node.instance_name) == (
            None,
            None,
            {},
            None,
        )
        assert not VifAttachment.objects.exists()
        with pytest.raises(type(allocation).DoesNotExist):
            allocation.refresh_from_db()
        event = OwnershipEvent.objects.get(event="released")
        assert (event.before, event.reason, event.actor) == (allocation.uuid, "undeployed", ORIGIN.actor)

    def test_keeps_the_node_with_its_instance_until_it_is_done(self, conductor):
        node = make_node(provision_state="active", instance_uuid=new_uuid())

        ask(node, "deleted")

        assert (node.provision_state, node.target_provision_state) == ("deleting", "available")
        assert node.instance_uuid is not None


class TestWithConductor:
    def test_an_order_is_queued_and_the_node_reserved(self, conductor):
        node = make_node(provision_state="enroll", last_error="old")

        ask(node, "manage")

        assert (node.provision_state, node.target_provision_state) == ("verifying", "manageable")
        assert (node.reservation, node.last_error) == ("conductor-1", None)
        assert node.reserved_at is not None
        assert Transition.objects.get(node=node).verb == "manage"

    def test_of_another_group_does_not_count(self, conductor):
        node = make_node(provision_state="enroll", conductor_group="rack-2")

        assert ask(node, "manage").provision_state == "manageable"

    def test_what_leads_nowhere_but_to_another_state_needs_no_conductor(self, conductor):
        node = make_node()

        assert ask(node, "manage").provision_state == "manageable"

    def test_a_wait_can_be_aborted(self, conductor):
        node = make_node(provision_state="wait call-back", target_provision_state="active")

        ask(node, "abort")

        assert (node.provision_state, node.target_provision_state) == ("deploy failed", "active")
        assert node.last_error == "Wait call-back was aborted by request."


class TestRefusals:
    @pytest.mark.parametrize("target", ["active", "deleted", "provide", "fly", "", None])
    def test_a_verb_that_leads_nowhere_from_here_changes_nothing(self, target):
        node = make_node(provision_state="enroll")

        with pytest.raises(errors.ActionNotPossible) as refusal:
            ask(node, target)

        assert str(refusal.value) == (
            f'The requested action "{target}" can not be performed on node "{node.uuid}" while it is in state "enroll".'
        )
        assert Node.objects.get().generation == node.generation

    def test_a_locked_node_says_who_holds_it_before_anything_else(self):
        node = make_node(provision_state="deploying", target_provision_state="active", reservation="other-host")

        with pytest.raises(errors.NodeLocked, match="locked by host other-host"):
            ask(node, "fly")

        assert ConflictRecord.objects.get().operation == "states.provision"

    @pytest.mark.parametrize(("state", "target"), [("available", "active"), ("active", "rebuild")])
    def test_nothing_is_deployed_in_maintenance(self, state, target):
        node = make_node(provision_state=state, maintenance=True)

        with pytest.raises(errors.NodeInMaintenance, match="because it's in maintenance mode"):
            ask(node, target)

    @pytest.mark.parametrize("target", ["deleted", "rebuild"])
    def test_a_protected_node_stays_as_it_is(self, target):
        node = make_node(provision_state="active", protected=True)

        with pytest.raises(errors.NodeProtected):
            ask(node, target)

    def test_a_retired_node_is_not_provided(self):
        node = make_node(provision_state="manageable", retired=True)

        with pytest.raises(errors.NodeIsRetired, match="providing"):
            ask(node, "provide")

    @pytest.mark.parametrize(
        ("state", "target", "brought_along", "text"),
        [
            ("enroll", "manage", {"configdrive": "x"}, "Adding a config drive is only supported"),
            ("enroll", "manage", {"clean_steps": [{}]}, '"clean_steps" is only valid'),
            ("enroll", "manage", {"service_steps": [{}]}, '"service_steps" is only valid'),
            ("enroll", "manage", {"deploy_steps": [{}]}, '"deploy_steps" is only valid'),
            ("enroll", "manage", {"rescue_password": "x"}, '"rescue_password" is only valid'),
            ("enroll", "manage", {"disable_ramdisk": True}, "disable_ramdisk is supported only"),
            ("manageable", "clean", {}, '"clean_steps" is required'),
            ("active", "service", {"service_steps": []}, '"service_steps" is required'),
            ("active", "rescue", {}, 'A non-empty "rescue_password" is required'),
            ("active", "rescue", {"rescue_password": "  "}, 'A non-empty "rescue_password" is required'),
        ],
    )
    def test_what_does_not_belong_to_the_verb_is_not_ignored(self, state, target, brought_along, text):
        node = make_node(provision_state=state)

        with pytest.raises(errors.InvalidOrder) as refusal:
            ask(node, target, **brought_along)

        assert str(refusal.value).startswith(text)


class TestPower:
    @pytest.mark.parametrize(
        ("target", "end"),
        [
            ("power on", "power on"),
            ("power off", "power off"),
            ("rebooting", "power on"),
            ("soft rebooting", "power on"),
            ("soft power off", "power off"),
        ],
    )
    def test_changes_at_once_without_a_conductor(self, target, end):
        node = make_node(provision_state="active", power_state=None)

        states.power(ident=node.uuid, target=target, origin=ORIGIN)

        node.refresh_from_db()
        assert (node.power_state, node.target_power_state, node.reservation) == (end, None, None)

    def test_shows_its_target_until_a_conductor_has_done_it(self, conductor):
        node = make_node(power_state="power off")

        states.power(ident=node.uuid, target="rebooting", origin=ORIGIN)

        node.refresh_from_db()
        assert (node.power_state, node.target_power_state) == ("power off", "power on")
        assert node.reservation == "conductor-1"

    @pytest.mark.parametrize("target", ["on", "", None])
    def test_knows_no_other_targets(self, target):
        node = make_node(power_state="power off")

        with pytest.raises(errors.ActionNotPossible, match='state "power off"'):
            states.power(ident=node.uuid, target=target, origin=ORIGIN)

    @pytest.mark.parametrize("state", ["cleaning", "clean wait"])
    def test_is_left_alone_while_cleaning(self, state):
        node = make_node(provision_state=state)

        with pytest.raises(errors.ActionNotPossible, match=state):
            states.power(ident=node.uuid, target="power on", origin=ORIGIN)

    @pytest.mark.parametrize("target", ["power off", "soft power off"])
    def test_stays_on_where_it_must(self, target):
        node = make_node(disable_power_off=True, power_state="power on")

        with pytest.raises(errors.PowerOffDisabled, match=f"to {target}"):
            states.power(ident=node.uuid, target=target, origin=ORIGIN)

    def test_belongs_to_whoever_waits_for_the_machine(self):
        node = make_node(provision_state="wait call-back", target_provision_state="active")
        Transition.objects.create(
            node=node, kind="provision", verb="deploy", due_at=node.created_at, taken_by="conductor-1", door="baremetal"
        )

        with pytest.raises(errors.NodeInTransition):
            states.power(ident=node.uuid, target="power off", origin=ORIGIN)
