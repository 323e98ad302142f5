"""``manage.py sample_policy``: what it prints can be put to use, and changes nothing until it is edited."""

import re
from io import StringIO
from pathlib import Path

import pytest
import yaml
from django.core.management import call_command
from django.core.management.base import CommandError

from claimsite.foundation import checks
from claimsite.foundation.openstack.policy import defaults, of_all_services

POLICY_PAGE = Path(__file__).resolve().parents[2] / "docs" / "policy.md"


def printed(*arguments: str) -> str:
    out = StringIO()
    call_command("sample_policy", *arguments, stdout=out)
    return out.getvalue()


def switched_on(text: str) -> str:
    return re.sub(r'^#"', '"', text, flags=re.MULTILINE)


class TestSamplePolicy:
    def test_prints_every_rule_of_every_service(self):
        text = printed()

        assert yaml.safe_load(switched_on(text)) == defaults()

    def test_puts_nothing_in_force(self, settings, tmp_path):
        file = tmp_path / "policy.yaml"
        file.write_text(printed())
        settings.POLICY_FILE = str(file)

        assert yaml.safe_load(file.read_text()) is None
        assert checks.policy_file_is_sound() == []

    @pytest.mark.parametrize("service", ["placement", "baremetal"])
    def test_prints_those_of_one_service(self, service):
        rules = yaml.safe_load(switched_on(printed("--service", service)))

        assert rules.keys() == of_all_services()[service].rules.keys()

    def test_switched_on_it_is_sound(self, settings, tmp_path):
        file = tmp_path / "policy.yaml"
        file.write_text(switched_on(printed("--service", "placement")))
        settings.POLICY_FILE = str(file)

        assert checks.policy_file_is_sound() == []

    def test_knows_which_services_there_are(self):
        with pytest.raises(CommandError, match="invalid choice: 'compute'"):
            printed("--service", "compute")

    def test_says_what_a_rule_guards(self):
        assert "# Move inventories and claims together.\n# POST /reshaper\n" in printed("--service", "placement")


class TestThePageAboutIt:
    def test_shows_a_file_that_is_sound(self, settings, tmp_path):
        (example,) = re.findall(r"```yaml\n(.*?)```", POLICY_PAGE.read_text(), flags=re.DOTALL)
        file = tmp_path / "policy.yaml"
        file.write_text(example)
        settings.POLICY_FILE = str(file)

        assert checks.policy_file_is_sound() == []
