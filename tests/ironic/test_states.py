"""The state machine as the protocol describes it: from where each verb works, what it shows, how it ends."""

import pytest

from ironic_app import states
from ironic_app.states import Move

EVERY_STATE = states.STABLE | states.FAILED | states.WAITING | states.HELD | frozenset(states.WORK)

# verb, from, shown at once, its target
MOVES = [
    ("manage", "enroll", "verifying", "manageable"),
    ("manage", "available", "manageable", None),
    ("manage", "clean failed", "manageable", None),
    ("manage", "inspect failed", "manageable", None),
    ("manage", "adopt failed", "manageable", None),
    ("provide", "manageable", "cleaning", "available"),
    ("inspect", "manageable", "inspecting", "manageable"),
    ("inspect", "inspect failed", "inspecting", "manageable"),
    ("clean", "manageable", "cleaning", "manageable"),
    ("adopt", "manageable", "adopting", "active"),
    ("adopt", "adopt failed", "adopting", "active"),
    ("deploy", "available", "deploying", "active"),
    ("deploy", "deploy failed", "deploying", "active"),
    ("rebuild", "active", "deploying", "active"),
    ("rebuild", "deploy failed", "deploying", "active"),
    ("rebuild", "error", "deploying", "active"),
    ("undeploy", "active", "deleting", "available"),
    ("undeploy", "deploy failed", "deleting", "available"),
    ("undeploy", "wait call-back", "deleting", "available"),
    ("undeploy", "error", "deleting", "available"),
    ("undeploy", "rescue", "deleting", "available"),
    ("undeploy", "rescue failed", "deleting", "available"),
    ("undeploy", "rescue wait", "deleting", "available"),
    ("undeploy", "unrescue failed", "deleting", "available"),
    ("undeploy", "service failed", "deleting", "available"),
    ("undeploy", "service wait", "deleting", "available"),
    ("rescue", "active", "rescuing", "rescue"),
    ("rescue", "rescue", "rescuing", "rescue"),
    ("rescue", "rescue failed", "rescuing", "rescue"),
    ("rescue", "unrescue failed", "rescuing", "rescue"),
    ("rescue", "service failed", "rescuing", "rescue"),
    ("unrescue", "rescue", "unrescuing", "active"),
    ("unrescue", "rescue failed", "unrescuing", "active"),
    ("unrescue", "unrescue failed", "unrescuing", "active"),
    ("abort", "clean wait", "clean failed", "the old target"),
    ("abort", "clean hold", "clean failed", "the old target"),
    ("abort", "inspect wait", "inspect failed", "the old target"),
    ("abort", "rescue wait", "rescue failed", "the old target"),
    ("abort", "wait call-back", "deploy failed", "the old target"),
    ("abort", "deploy hold", "deploy failed", "the old target"),
    ("abort", "service wait", "service failed", "the old target"),
    ("abort", "service hold", "service failed", "the old target"),
    ("abort", "service failed", "active", None),
    ("unhold", "clean hold", "clean wait", "the old target"),
    ("unhold", "deploy hold", "wait call-back", "the old target"),
    ("unhold", "service hold", "service wait", "the old target"),
    ("service", "active", "servicing", "active"),
    ("service", "service failed", "servicing", "active"),
    ("service", "service hold", "servicing", "active"),
]

# state, target, where it goes when the work ends well, where when not
ENDS = [
    ("verifying", "manageable", Move("manageable"), Move("enroll")),
    ("inspecting", "manageable", Move("manageable"), Move("inspect failed", "manageable")),
    ("inspect wait", "manageable", Move("manageable"), Move("inspect failed", "manageable")),
    ("cleaning", "available", Move("available"), Move("clean failed", "available")),
    ("cleaning", "manageable", Move("manageable"), Move("clean failed", "manageable")),
    ("clean wait", "available", Move("available"), Move("clean failed", "available")),
    ("adopting", "active", Move("active"), Move("adopt failed", "active")),
    ("deploying", "active", Move("active"), Move("deploy failed", "active")),
    ("wait call-back", "active", Move("active"), Move("deploy failed", "active")),
    ("deleting", "available", Move("cleaning", "available"), Move("error")),
    ("rescuing", "rescue", Move("rescue"), Move("rescue failed", "rescue")),
    ("rescue wait", "rescue", Move("rescue"), Move("rescue failed", "rescue")),
    ("unrescuing", "active", Move("active"), Move("unrescue failed", "active")),
    ("servicing", "active", Move("active"), Move("service failed", "active")),
    ("service wait", "active", Move("active"), Move("service failed", "active")),
]


class TestVerbs:
    @pytest.mark.parametrize(("verb", "state", "shown", "target"), MOVES)
    def test_move_a_node_as_the_table_says(self, verb, state, shown, target):
        assert states.move(verb=verb, state=state, target="the old target") == Move(shown, target)

    @pytest.mark.parametrize("verb", sorted({verb for verb, *_ in MOVES}))
    def test_work_from_no_other_state(self, verb):
        allowed = {state for name, state, *_ in MOVES if name == verb}

        for state in EVERY_STATE - allowed:
            assert states.move(verb=verb, state=state, target=None) is None

    def test_may_be_named_by_the_state_they_lead_to(self):
        assert states.verb("active") == "deploy"
        assert states.verb("deleted") == "undeploy"
        assert states.verb("provide") == "provide"

    def test_that_do_not_exist_are_allowed_nowhere(self):
        for state in EVERY_STATE:
            assert states.move(verb=states.verb("fly"), state=state, target=None) is None

    def test_of_a_state_can_be_listed(self):
        assert states.verbs("available") == ["manage", "deploy"]
        assert states.verbs("deploying") == []


class TestWork:
    @pytest.mark.parametrize(("state", "target", "well", "badly"), ENDS)
    def test_ends_as_the_table_says(self, state, target, well, badly):
        assert states.done(state=state, target=target) == well
        assert states.failed(state=state, target=target) == badly

    def test_is_done_in_every_transitional_state(self):
        assert {state for state, *_ in ENDS} == states.TRANSITIONAL

    def test_brings_a_retired_node_to_manageable_instead_of_available(self):
        assert states.done(state="cleaning", target="available", retired=True) == Move("manageable")

    def test_always_comes_to_an_end(self):
        for state, target, *_ in ENDS:
            here = Move(state, target)
            for _step in range(3):
                if here.state in states.TRANSITIONAL:
                    here = states.done(state=here.state, target=here.target)

            assert here.state in states.STABLE
            assert here.target is None

    def test_without_a_target_is_refused(self):
        with pytest.raises(ValueError, match="no target"):
            states.done(state="deploying", target=None)


class TestPower:
    @pytest.mark.parametrize(
        ("target", "end"),
        [
            ("power on", "power on"),
            ("power off", "power off"),
            ("rebooting", "power on"),
            ("soft rebooting", "power on"),
            ("soft power off", "power off"),
            ("on", None),
            ("", None),
        ],
    )
    def test_targets_lead_to_a_power_state(self, target, end):
        assert states.power_end(target) == end

    def test_is_on_after_deploying_and_off_after_tearing_down(self):
        assert states.power_after("deploying") == "power on"
        assert states.power_after("deleting") == "power off"
        assert states.power_after("inspecting") is None
