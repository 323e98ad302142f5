"""What a service might answer, and what becomes of it."""

import json

import pytest

from claimsite.foundation.uuids import new_uuid
from claimsite.operations.takeover.service import NoService
from claimsite.replay.client import Answer
from ironic_app.models import (
    Allocation,
    Node,
    Port,
)
from ironic_app.services import arrivals
from tests.commands.takeovers import build, take, wiped

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def remote(baremetal):
    """Its site is wiped, so that there is an empty one to take it over."""
    build()
    return wiped(baremetal)


def change(**values):
    return lambda remote: remote.node("rack1-n3").update(values)


ODD = {
    "a state that nobody knows": change(provision_state="pondering"),
    "no state": change(provision_state=None),
    "a driver that is not served here": change(driver="quantum"),
    "an interface that is not known here": change(power_interface="lever"),
    "no driver": change(driver=None),
    "a trait that nobody knows": change(traits=["HW_NO_SUCH_THING"]),
    "traits that are no list": change(traits="CUSTOM_FAST"),
    "an instance that is no uuid": change(instance_uuid="vm-7"),
    "a chassis that was not shown": change(chassis_uuid=new_uuid()),
    "a parent that was not shown": change(parent_node=new_uuid()),
    "an allocation that was not shown": change(allocation_uuid=new_uuid()),
    "properties that are a text": change(properties="many"),
    "a name that is too long": change(name="n" * 256),
    "a name that is no name": change(name="n 3"),
    "a time that never was": change(created_at="2026-13-45T00:00:00"),
    "a flag that is a number": change(protected=7),
    "a port without an address": lambda remote: remote.rows("/v1/ports?detail")[0].update(address=None),
    "a port with an odd address": lambda remote: remote.rows("/v1/ports?detail")[0].update(address="here"),
    "two ports of one address": lambda remote: remote.rows("/v1/ports?detail")[0].update(address="52:54:00:00:00:03"),
    "a port of a strange group": lambda remote: remote.rows("/v1/ports?detail")[0].update(portgroup_uuid=new_uuid()),
    "a volume without a type": lambda remote: remote.rows("/v1/volume/targets?detail")[0].update(volume_type=""),
}


class TestOddAnswers:
    @pytest.mark.parametrize("oddity", ODD)
    def test_a_node_that_does_not_fit_is_told_and_left_out_whole(self, remote, oddity):
        ODD[oddity](remote)

        report = take(remote)

        assert [fault for fault in report.faults if fault.startswith("node ")]
        assert not Node.objects.filter(driver="quantum").exists()
        assert not Node.objects.exclude(instance_uuid=None).exists()
        assert not Port.objects.exists()
        assert not Allocation.objects.filter(name="a1").exists()
        # Its child goes with it; all others are here.
        assert report.taken["node"] >= len(arrivals.SETTLED) + 1

    def test_a_rehearsal_tells_them_too(self, remote):
        ODD["a driver that is not served here"](remote)

        report = take(remote, is_rehearsal=True)

        assert len(report.faults) == 1

    def test_what_is_newer_than_this_site_is_passed_over(self, remote):
        remote.node("rack1-n3")["colour"] = {"hue": 7}

        assert take(remote).is_complete

    def test_null_for_what_cannot_be_unset_is_its_default(self, remote):
        remote.node("in-available").update(extra=None, traits=None, conductor_group=None, maintenance=None)

        assert take(remote).is_complete
        assert Node.objects.get(name="in-available").extra == {}

    def test_other_spellings_are_the_same_things(self, remote):
        row = remote.rows("/v1/ports?detail")[0]
        row["address"] = row["address"].upper()
        row["node_uuid"] = row["node_uuid"].upper()
        remote.node("rack1-n3")["instance_uuid"] = remote.node("rack1-n3")["instance_uuid"].upper()

        assert take(remote).is_complete

    def test_a_service_that_begins_again_from_the_front_is_left_at_that(self, remote):
        for path, answer in list(remote.answers.items()):
            if path.startswith("/v1/ports?detail"):
                answer.document["next"] = "http://127.0.0.1/v1/ports"
                remote.answers[f"{path}&marker={answer.document['ports'][-1]['uuid']}"] = answer

        assert take(remote).is_complete

    @pytest.mark.parametrize(
        "document",
        [None, [], {}, {"version": "1.109"}, {"version": {"version": "one"}}, {"version": {"version": "1.64"}}],
    )
    def test_what_is_no_ironic_or_too_old_is_refused(self, remote, document):
        remote.answers["/v1"] = Answer(200, document, 0.0)

        with pytest.raises(NoService, match=r"no Ironic of version 1\.65"):
            take(remote)

    @pytest.mark.parametrize("rows", [["x"], [{}], [{"uuid": None}], [{"uuid": 7}]])
    def test_an_entry_without_a_uuid_is_no_answer_of_ironic(self, remote, rows):
        [path] = [path for path in remote.answers if path.startswith("/v1/nodes?detail")]
        remote.answers[path] = Answer(200, {"nodes": rows}, 0.0)

        with pytest.raises(NoService):
            take(remote)

    def test_a_refusal_is_told_in_its_own_words(self, remote):
        refusal = {"error_message": json.dumps({"faultstring": "Forbidden by policy", "debuginfo": None})}
        [path] = [path for path in remote.answers if path.startswith("/v1/nodes?detail")]
        remote.answers[path] = Answer(403, refusal, 0.0)

        with pytest.raises(NoService, match="answered with 403: Forbidden by policy"):
            take(remote)
