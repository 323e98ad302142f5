import pytest

from ironic_app import hardware
from ironic_app.hardware import BadSetting, FakeHardware


class TestFakeHardware:
    def test_needs_no_time_and_never_fails_unless_told_to(self):
        machine = FakeHardware()

        assert machine.seconds("deploying") == 0
        assert machine.failure("deploying") is None

    def test_fails_only_in_the_state_it_was_told_to_fail_in(self):
        machine = FakeHardware(failure_rates={"deploying": 1.0})

        assert (
            machine.failure("deploying") == "The machine failed while deploying, as the conductor was told to let it."
        )
        assert machine.failure("cleaning") is None


class TestSettings:
    def test_are_read_by_state(self):
        assert hardware.delays(["deploying=5", "Wait Call-Back = 0.5", "power=1"]) == {
            "deploying": 5.0,
            "wait call-back": 0.5,
            "power": 1.0,
        }
        assert hardware.failure_rates(["cleaning=0.25"]) == {"cleaning": 0.25}

    @pytest.mark.parametrize(
        "setting", ["deploying", "deploying=", "deploying=soon", "deploying=-1", "deploying=nan", "active=1", "=1", ""]
    )
    def test_that_make_no_sense_are_refused_by_name(self, setting):
        with pytest.raises(BadSetting, match=repr(setting)):
            hardware.delays([setting])

    def test_of_failure_are_rates(self):
        with pytest.raises(BadSetting, match="between 0 and 1"):
            hardware.failure_rates(["deploying=2"])
