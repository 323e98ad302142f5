import dataclasses
import json
import re

import pytest
from django.core.management import CommandError

from claimsite.foundation.uuids import new_uuid
from ironic_app.models import OwnershipEvent, Port
from placement_app.errors import ConsumerGenerationConflict
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

    @pytest.mark.parametrize("term", ["", "  ", "\t"])
    def test_nothing_typed_is_wrong_usage(self, term):
        with pytest.raises(CommandError, match="Say whom to look for") as refusal:
            run("whohas", term)

        assert refusal.value.returncode == 2


class TestOfAPart:
    """What the search box of the pages finds, the command that it names finds as well."""

    def test_of_a_uuid_or_a_name_tells_all_of_the_only_one_it_fits(self):
        host = builders.provider(name="cmp-07", vcpu=8)

        assert run("whohas", host.uuid[:8]) == run("whohas", host.uuid)
        assert run("whohas", "mp-07") == run("whohas", "cmp-07")

    def test_lists_those_that_it_fits(self):
        hosts = [builders.provider(name=f"cmp-0{number}", vcpu=8) for number in (7, 8)]

        status, output = run("whohas", "cmp-0", "--json")

        assert status == 0
        assert [(each["kind"], each["uuid"], each["name"]) for each in json.loads(output)] == [
            ("provider", host.uuid, host.name) for host in hosts
        ]

    def test_finds_a_consumer_that_is_gone(self):
        consumer = running.hold(builders.provider(vcpu=8), vcpu=2)
        allocations.release(consumer_uuid=consumer, origin=running.ORIGIN)

        assert kinds(consumer[:8]) == ["released", "claimed"]

    def test_of_a_request_id_finds_the_request(self):
        for request in ("req-9f2c7d1e", "req-9f2c7d1f"):
            OwnershipEvent.objects.create(
                event="claimed", node_uuid=new_uuid(), after=new_uuid(), door="baremetal", request_id=request
            )

        assert kinds("req-9f2c7d1e"[:-1]) == ["request", "request"]
        assert kinds("req-9f2c7d1f") == ["node claimed"]
        assert run("whohas", "req-9f2")[0] == 3


class TestWhoHasIt:
    def test_each_holder_is_told_with_when_and_by_which_door(self):
        _, provider, instance = held()
        OwnershipEvent.objects.create(
            event="claimed", node_uuid=provider.uuid, after=instance, door="baremetal", actor="nova"
        )

        _, output = run("whohas", provider.uuid)

        assert re.search(rf"{instance}: CUSTOM_BAREMETAL 1, since \S+Z by tests \(command\)", output)
        assert re.search(r"instance_since +\S+Z by nova \(baremetal\)", output)

    def test_a_release_is_told_with_its_reason(self):
        consumer = running.hold(builders.provider(vcpu=8), vcpu=2)
        because = dataclasses.replace(running.ORIGIN, reason="ticket 4711")
        allocations.release(consumer_uuid=consumer, origin=because)

        _, output = run("whohas", consumer)

        assert re.search(r"reason +ticket 4711", output)

    def test_a_refused_release_names_its_consumer(self):
        host = builders.provider(vcpu=8)
        consumer = running.hold(host, vcpu=2)
        with pytest.raises(ConsumerGenerationConflict):
            allocations.release(consumer_uuid=consumer, expected=9, origin=running.ORIGIN)

        _, output = run("whohas", consumer, "--json")

        [refused] = [each for each in json.loads(output) if each["kind"] == "refused"]
        assert refused["consumer"] == consumer
