import json

import pytest

from claimsite.foundation.uuids import new_uuid
from ironic_app.models import OwnershipEvent, Port
from placement_app.services import allocations
from tests import builders
from tests.commands import running
from tests.commands.faults import held, plant
from tests.commands.running import run
from tests.ironic.builders import make_allocation

pytestmark = pytest.mark.django_db


def kinds(term):
    status, output = run("whohas", term, "--json")
    assert status == 0
    return [each["kind"] for each in json.loads(output)]


class TestWhohas:
    def test_a_machine_is_node_and_provider_at_once(self):
        node, _, instance = held(name="rack1-n3")

        status, output = run("whohas", node.uuid.upper())

        assert status == 0
        assert "NODE\n" in output
        assert "PROVIDER\n" in output
        assert instance in output

    def test_an_instance_has_a_node_and_claims(self):
        _, _, instance = held()

        assert kinds(instance.replace("-", ""))[:2] == ["node of this instance", "consumer"]

    def test_things_are_found_by_name_too(self):
        running.machine(name="rack1-n3")
        builders.provider(name="cmp-07", vcpu=8)
        make_allocation(name="a1")

        assert kinds("rack1-n3") == ["node"]
        assert kinds("cmp-07") == ["provider"]
        assert kinds("a1") == ["node allocation"]

    def test_a_port_is_found_by_its_address(self):
        node, _ = running.machine()
        Port.objects.create(uuid=new_uuid(), node=node, address="52:54:00:00:00:01")

        assert kinds("52:54:00:00:00:01") == ["port"]

    def test_what_is_gone_is_remembered(self):
        consumer = running.hold(builders.provider(vcpu=8), vcpu=2)
        allocations.release(consumer_uuid=consumer, origin=running.ORIGIN)

        assert kinds(consumer) == ["released", "claimed"]

    def test_a_request_tells_what_it_did(self):
        OwnershipEvent.objects.create(
            event="claimed", node_uuid=new_uuid(), after=new_uuid(), door="baremetal", request_id="req-1"
        )

        assert kinds("req-1") == ["node claimed"]

    def test_a_mismatch_is_told(self):
        _, output = run("whohas", plant("no_allocation"))

        assert "no_allocation: instance" in output

    @pytest.mark.parametrize("term", [builders.A_UUID, "nobody", "req-nothing", "\0", "%"])
    def test_what_nobody_knows_ends_with_another_status(self, term):
        assert run("whohas", term)[0] == 3
