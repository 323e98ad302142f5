"""A faulty policy file is refused as a whole, and the refusal says where and why."""

import pytest

from claimsite.foundation.openstack.policy_file import BrokenPolicyFile, read

DEFAULTS = {"admin_api": "role:admin", "lab:list": "rule:admin_api", "owner": "project_id:%(owner)s"}


@pytest.fixture
def judge(tmp_path):
    """The rules of a file with this text, or what is wrong with it."""

    def judged(text: str | bytes) -> dict[str, str] | list[str]:
        path = tmp_path / "policy.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        try:
            return dict(read(str(path), DEFAULTS).rules)
        except BrokenPolicyFile as error:
            return [str(fault) for fault in error.faults]

    return judged


class TestSoundFiles:
    @pytest.mark.parametrize("text", ["", "# nothing but a comment\n", "---\n", "{}"])
    def test_may_be_empty(self, judge, text):
        assert judge(text) == {}

    @pytest.mark.parametrize(
        "rule",
        [
            "",
            "@",
            "!",
            "role:admin",
            "not role:guest",
            "(role:a and role:b) or (rule:owner and not role:c)",
            "rule:admin_api",
            "user_id:%(user_id)s",
            "None:%(owner)s",
            "'Member':%(role.name)s",
            "http://127.0.0.1:1/%(name)s",
        ],
    )
    def test_may_use_the_whole_language(self, judge, rule):
        assert judge(f'"lab:list": "{rule}"\n') == {"lab:list": rule}

    def test_may_stand_on_several_lines(self, judge):
        text = '"lab:list": >-\n  role:a or\n  role:b\n"mine": "role:c"\n'

        assert judge(text) == {"lab:list": "role:a or role:b", "mine": "role:c"}


class TestFaults:
    @pytest.mark.parametrize(
        ("rule", "fault"),
        [
            ("role:a or", "cannot understand role:a or"),
            ("role:a role:b", "cannot understand role:a role:b"),
            ("(role:a", "cannot understand (role:a"),
            ("role:a or admin", "cannot understand admin"),
            ("everybody", "cannot understand everybody"),
            ("rule:nowhere", "there is no rule 'nowhere'"),
            ("role:a and not rule:nowhere", "there is no rule 'nowhere'"),
            ("project_id:%(owner", "cannot judge 'project_id:%(owner' (incomplete format key)"),
            ("project_id:%(owner)d", "cannot judge 'project_id:%(owner)d'"),
            ("1st:%(owner)s", "cannot judge '1st:%(owner)s'"),
        ],
    )
    def test_in_a_rule_are_named_with_line_and_rule(self, judge, rule, fault):
        (told,) = judge(f'"lab:list": "@"\n\n"lab:show": "{rule}"\n')

        assert told.startswith(f"line 3: lab:show: {fault}")

    @pytest.mark.parametrize("value", ["", "~", "yes", "17", "[role:a]", "{a: b}"])
    def test_a_value_that_is_no_text_does_not_come_to_mean_everybody(self, judge, value):
        (told,) = judge(f"lab:list: {value}\n")

        assert told.startswith("line 1: lab:list: must be a text in quotation marks")

    def test_a_rule_that_refers_to_itself(self, judge):
        faults = judge('"a": "role:x or rule:b"\n"b": "not rule:a"\n"c": "rule:a"\n')

        assert faults == ["line 1: a: refers to itself", "line 2: b: refers to itself"]

    def test_a_rule_that_refers_to_itself_by_way_of_a_default(self, judge):
        assert judge('"admin_api": "rule:lab:list"\n') == ["line 1: admin_api: refers to itself"]

    def test_a_name_that_stands_twice(self, judge):
        assert judge('"a": "role:x"\n"a": "@"\n') == ["line 2: a: stands twice, first on line 1"]

    @pytest.mark.parametrize(
        ("text", "fault"),
        [
            ("lab:list: [", "line 1: not YAML"),
            ('"a": "role:x"\n\t"b": "role:y"\n', "line 2: not YAML"),
            ('a: "role:x"\n---\nb: "role:y"\n', "line 2: not YAML"),
            ("- role:admin\n", "line 1: must be lines of the form"),
            ("role:admin", "line 1: must be lines of the form"),
            ('? [a]\n: "role:x"\n', "line 1: a rule's name must be a text"),
            ('a: "\x00"\n', "not YAML"),
            (b'a: "\xff"\n', "cannot be read"),
        ],
    )
    def test_in_the_form(self, judge, text, fault):
        (told,) = judge(text)

        assert told.startswith(fault)

    def test_all_are_told_at_once_in_the_order_of_lines(self, judge):
        faults = judge('"a": "role:x or"\n"b": "role:y"\n"c": "rule:d"\n"e":\n')

        assert [fault.partition(":")[0] for fault in faults] == ["line 1", "line 3", "line 4"]

    def test_a_file_that_is_not_there(self):
        with pytest.raises(BrokenPolicyFile, match=r"^/nowhere/policy.yaml: cannot be read \(.*No such file"):
            read("/nowhere/policy.yaml", DEFAULTS)

    def test_the_parser_does_not_tell_the_log_what_is_told_here(self, judge, caplog):
        judge('"a": "role:x or"\n')

        assert not caplog.records
