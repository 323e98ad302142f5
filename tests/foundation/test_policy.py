"""The enforcer that every service has: decisions are remembered, but never between requests that differ."""

import logging
import os

import pytest

from claimsite.foundation.openstack import policy
from claimsite.foundation.openstack.auth import Caller
from claimsite.foundation.openstack.policy import Enforcer, Rule

RULES = [
    Rule("lab:list", "role:admin", "List.", ("GET /lab",)),
    Rule("lab:show", "rule:owner", "Show.", ("GET /lab/{name}",)),
    Rule("lab:share", "role:reader or role:owner", "Share.", formerly="role:admin"),
    Rule("lab:everywhere", "role:admin", "For the system too.", scopes=("system", "project")),
    Rule("owner", "project_id:%(lab.owner)s", "Whoever owns it."),
]


@pytest.fixture
def lab():
    yield Enforcer("lab", RULES)
    del Enforcer.all["lab"]


@pytest.fixture
def rules_file(settings, tmp_path):
    """Writes the operator's file; each writing is newer than the one before."""
    path = tmp_path / "policy.yaml"
    times = iter(range(1_700_000_000, 1_800_000_000))

    def write(text: str) -> None:
        path.write_text(text)
        written_at = next(times)
        os.utime(path, (written_at, written_at))

    write("")
    settings.POLICY_FILE = str(path)
    return write


@pytest.fixture
def time_flies(monkeypatch):
    """No time passes between two looks at the file."""
    monkeypatch.setattr(policy, "_SECONDS_BETWEEN_LOOKS_AT_THE_FILE", -1)


def caller(roles: str = "", project: str | None = "mine", **more) -> Caller:
    return Caller(user_id=more.pop("user_id", "ada"), project_id=project, roles=frozenset(roles.split()), **more)


class TestDecisions:
    def test_follow_the_roles(self, lab):
        assert lab.allows("lab:list", caller("admin"), {})
        assert not lab.allows("lab:list", caller("reader"), {})
        assert lab.allows("lab:list", caller("admin"), {})

    def test_follow_the_target(self, lab):
        assert lab.allows("lab:show", caller(), {"lab.owner": "mine"})
        assert not lab.allows("lab:show", caller(), {"lab.owner": "theirs"})
        assert not lab.allows("lab:show", caller(project="theirs"), {"lab.owner": "mine"})

    def test_nobody_owns_what_has_no_owner(self, lab):
        for project in ("mine", "None", "", None):
            assert not lab.allows("lab:show", caller(project=project), {"lab.owner": None})
            assert not lab.allows("lab:show", caller(project=project), {})

    def test_follow_the_scope(self, lab):
        assert not lab.allows("lab:list", caller("admin", None, system_scope="all"), {})
        assert not lab.allows("lab:list", caller("admin", None, domain_id="default"), {})
        assert lab.allows("lab:everywhere", caller("admin", None, system_scope="all"), {})
        assert not lab.allows("lab:everywhere", caller("admin", None, domain_id="default"), {})

    def test_follow_the_mode(self, lab, settings):
        settings.POLICY_ENFORCE_NEW_DEFAULTS = False
        before = lab.allows("lab:share", caller("admin"), {})
        settings.POLICY_ENFORCE_NEW_DEFAULTS = True
        after = lab.allows("lab:share", caller("admin"), {})

        assert (before, after) == (True, False)

    def test_are_remembered_by_what_they_depend_on_alone(self, lab):
        for number in range(20):
            lab.allows("lab:list", caller("admin", f"project-{number}", user_id=f"user-{number}"), {"x": number})

        assert len(lab._book.decisions) == 1

    def test_are_forgotten_before_they_fill_the_memory(self, lab, monkeypatch):
        monkeypatch.setattr(policy, "_MOST_DECISIONS", 10)

        for number in range(50):
            lab.allows("lab:show", caller(), {"lab.owner": f"project-{number}"})

        assert len(lab._book.decisions) <= 10
        assert lab.allows("lab:show", caller(), {"lab.owner": "mine"})

    def test_of_a_rule_that_the_service_does_not_have_are_a_programming_error(self, lab):
        with pytest.raises(KeyError):
            lab.allows("lab:lits", caller("admin"), {})

    def test_two_rules_of_one_name_are_a_programming_error(self):
        with pytest.raises(ValueError, match="same name"):
            Enforcer("twice", [RULES[0], RULES[0]])


class TestOverrides:
    def test_replace_the_default(self, lab, rules_file):
        rules_file('"lab:list": "role:lister"\n')

        assert lab.allows("lab:list", caller("lister"), {})
        assert not lab.allows("lab:list", caller("admin"), {})

    def test_replace_the_older_default_too(self, lab, rules_file, settings):
        settings.POLICY_ENFORCE_NEW_DEFAULTS = False
        rules_file('"lab:share": "role:sharer"\n')

        assert lab.allows("lab:share", caller("sharer"), {})
        assert not lab.allows("lab:share", caller("admin"), {})

    def test_of_a_base_rule_change_what_refers_to_it(self, lab, rules_file):
        rules_file('"owner": "project_id:%(lab.owner)s or user_id:%(lab.guest)s"\n')

        assert lab.allows("lab:show", caller(), {"lab.owner": "mine"})
        assert lab.allows("lab:show", caller(user_id="grace"), {"lab.guest": "grace"})
        assert not lab.allows("lab:show", caller(user_id="ada"), {"lab.guest": "grace"})

    def test_may_use_rules_of_their_own(self, lab, rules_file):
        rules_file('"night_shift": "user_id:grace"\n"lab:list": "rule:night_shift"\n')

        assert lab.allows("lab:list", caller(user_id="grace"), {})
        assert not lab.allows("lab:list", caller("admin", user_id="ada"), {})

    def test_for_one_service_leave_the_other_alone(self, lab, rules_file):
        garage = Enforcer("garage", [Rule("garage:list", "role:admin", "List.")])
        try:
            rules_file('"lab:list": "rule:garage:list"\n"garage:list": "role:driver"\n')

            assert lab.allows("lab:list", caller("driver"), {})
            assert garage.allows("garage:list", caller("driver"), {})
        finally:
            del Enforcer.all["garage"]

    def test_do_not_lift_the_scope(self, lab, rules_file):
        rules_file('"lab:list": "@"\n')

        assert lab.allows("lab:list", caller(), {})
        assert not lab.allows("lab:list", caller("admin", None, system_scope="all"), {})


@pytest.mark.usefixtures("time_flies")
class TestAChangedFile:
    def test_holds_for_the_next_question(self, lab, rules_file):
        rules_file('"lab:list": "role:before"\n')
        before = lab.allows("lab:list", caller("before"), {})

        rules_file('"lab:list": "role:after"\n')

        assert before
        assert not lab.allows("lab:list", caller("before"), {})
        assert lab.allows("lab:list", caller("after"), {})

    def test_that_is_broken_changes_nothing_and_is_told_once(self, lab, rules_file, caplog):
        rules_file('"lab:list": "role:before"\n')
        lab.allows("lab:list", caller("before"), {})

        rules_file('"lab:list": "role:after or"\n')
        answers = [lab.allows("lab:list", caller(roles), {}) for roles in ("before", "after", "before")]

        assert answers == [True, False, True]
        assert [record.levelno for record in caplog.records] == [logging.ERROR]
        assert "line 1: lab:list" in caplog.text

    def test_that_is_gone_changes_nothing(self, lab, rules_file, settings, caplog):
        rules_file('"lab:list": "role:before"\n')
        lab.allows("lab:list", caller("before"), {})

        os.remove(settings.POLICY_FILE)

        assert lab.allows("lab:list", caller("before"), {})
        assert not lab.allows("lab:list", caller("admin"), {})

    def test_that_was_broken_from_the_start_opens_nothing(self, lab, rules_file, caplog):
        rules_file("lab:list: [\n")
        refused = lab.allows("lab:list", caller("admin"), {})

        rules_file('"lab:list": "role:admin"\n')

        assert not refused
        assert "Nobody may call lab" in caplog.text
        assert lab.allows("lab:list", caller("admin"), {})

    def test_is_not_looked_at_for_every_question(self, lab, rules_file, monkeypatch):
        monkeypatch.setattr(policy, "_SECONDS_BETWEEN_LOOKS_AT_THE_FILE", 60)
        rules_file('"lab:list": "role:before"\n')
        lab.allows("lab:list", caller("before"), {})

        rules_file('"lab:list": "role:after"\n')

        assert lab.allows("lab:list", caller("before"), {})


class TestRulesThatAskAnotherServer:
    @pytest.fixture
    def asked(self, monkeypatch):
        """What the other server was asked; it allows every second question."""
        from oslo_policy import _external

        questions: list[str] = []

        def answer(check, target, credentials, enforcer, rule=None):
            questions.append(rule)
            if len(questions) == 3:
                raise RuntimeError("Timeout in REST API call")
            return len(questions) % 2 == 1

        monkeypatch.setattr(_external.HttpCheck, "__call__", answer)
        return questions

    def test_are_asked_every_time_and_refuse_when_they_fail(self, lab, rules_file, asked, caplog):
        rules_file('"lab:list": "http://127.0.0.1:1/%(name)s"\n')

        answers = [lab.allows("lab:list", caller("admin"), {}) for _ in range(4)]

        assert answers == [True, False, False, False]
        assert asked == ["lab:list"] * 4
        assert "could not be judged" in caplog.text
