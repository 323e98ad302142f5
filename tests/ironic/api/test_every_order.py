"""Every verb and every power target to a node in every state: done to the end, or refused and nothing changed."""

from typing import Any

import pytest

from ironic_app import states
from ironic_app.models import Node, Transition
from tests.ironic.builders import make_node
from tests.ironic.test_states import EVERY_STATE, MOVES

pytestmark = pytest.mark.django_db(transaction=True)

STEPS = [{"interface": "deploy", "step": "x"}]
NEEDED: dict[str, dict[str, Any]] = {
    "clean": {"clean_steps": STEPS},
    "service": {"service_steps": STEPS},
    "rescue": {"rescue_password": "x"},
}
VERBS = sorted({verb for verb, *_ in MOVES})
LEADS_SOMEWHERE = {(verb, state) for verb, state, *_ in MOVES}
POWER = ["power on", "power off", "rebooting", "soft rebooting", "soft power off"]


def node_in(state: str) -> Node:
    target = None if state in states.STABLE else "available"
    return make_node(provision_state=state, target_provision_state=target, power_state="power on")


@pytest.mark.parametrize("state", sorted(EVERY_STATE))
@pytest.mark.parametrize("maintenance", [False, True], ids=["", "in maintenance"])
def test_verbs_lead_somewhere_or_are_refused(baremetal, state, maintenance):
    for verb in VERBS:
        node = node_in(state)
        Node.objects.update(maintenance=maintenance)
        before = Node.objects.values().get(pk=node.pk)

        response = baremetal.put(f"/v1/nodes/{node.uuid}/states/provision", {"target": verb, **NEEDED.get(verb, {})})

        after = Node.objects.values().get(pk=node.pk)
        assert response.status_code == expected(verb, state, maintenance), verb
        if response.status_code == 202:
            assert after["generation"] > before["generation"]
            assert (after["reservation"], Transition.objects.count()) == (None, 0), verb
            assert after["provision_state"] not in states.WORK or state in states.HELD, verb
        else:
            assert after == before


def expected(verb: str, state: str, maintenance: bool) -> int:
    if maintenance and verb in {"deploy", "rebuild"}:
        return 400
    if (verb, state) == ("abort", "wait call-back"):
        # Ironic learned that in a later version than is spoken here.
        return 406
    return 202 if (verb, state) in LEADS_SOMEWHERE else 400


@pytest.mark.parametrize("state", sorted(EVERY_STATE))
def test_power_is_switched_or_stays(baremetal, state):
    for target in POWER:
        node = node_in(state)

        response = baremetal.put(f"/v1/nodes/{node.uuid}/states/power", {"target": target})

        node.refresh_from_db()
        assert response.status_code == (400 if state in {"cleaning", "clean wait"} else 202)
        end = states.power_end(target) if response.status_code == 202 else "power on"
        assert (node.power_state, node.target_power_state, node.reservation) == (end, None, None)
        assert node.provision_state == state
