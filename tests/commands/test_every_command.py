"""What holds for every command of ours."""

import io

import pytest
from django.core.management import call_command, get_commands, load_command_class
from django.db import connection

from claimsite.foundation.commands import OperatorCommand
from ironic_app.models import Node
from placement_app.models import Consumer, Inventory
from tests.commands import running

OURS = sorted(
    name for name, app in get_commands().items() if app in {"claimsite.operations", "placement_app", "ironic_app"}
)
WITHOUT_EXIT_STATUS = {"sample_policy"}
"""It prints, and nothing can go wrong."""


def command(name):
    return load_command_class(get_commands()[name], name)


class TestHelp:
    @pytest.mark.parametrize("name", OURS)
    def test_says_what_it_does_with_examples(self, name):
        text = command(name).create_parser("manage.py", name).format_help()

        assert command(name).help
        assert f"manage.py {name}" in text[text.index("examples:\n") :]

    @pytest.mark.parametrize("name", sorted({*OURS} - WITHOUT_EXIT_STATUS))
    def test_says_how_it_may_end(self, name):
        text = command(name).create_parser("manage.py", name).format_help()

        assert isinstance(command(name), OperatorCommand)
        ends = " ".join(text[text.index("exit status:") :].split())
        assert ends.startswith("exit status: 0 ")
        assert "1 it crashed or the database can't be reached, 2 wrong usage, 130 interrupted" in ends

    @pytest.mark.parametrize("name", OURS)
    def test_of_each_option_is_there(self, name):
        parser = command(name).create_parser("manage.py", name)

        assert [action.option_strings for action in parser._actions if action.option_strings and not action.help] == []


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite plans without statistics.")
@pytest.mark.django_db(transaction=True)
class TestAfterALoad:
    """Ten thousand nodes that PostgreSQL takes for none are compared with their claims for a quarter of a minute."""

    def rows(self, model):
        with connection.cursor() as cursor:
            cursor.execute("SELECT reltuples FROM pg_class WHERE relname = %s", [model._meta.db_table])
            return cursor.fetchone()[0]

    def test_the_database_knows_how_much_there_is(self, tmp_path):
        running.machine()
        site = tmp_path / "site.jsonl"
        call_command("export", str(site), stderr=io.StringIO())
        call_command("flush", interactive=False, verbosity=0)

        running.run("import", str(site))

        assert self.rows(Node) == self.rows(Inventory) == 1

    def test_of_machines_too(self):
        running.run("load_machines", "data/openb-nodes.csv")

        assert self.rows(Inventory) == Inventory.objects.count() > 1000

    def test_it_still_expects_rows_in_what_is_empty(self):
        """Seen empty, a table would be searched from end to end at every claim."""
        seen = self.rows(Consumer)

        running.run("load_machines", "data/openb-nodes.csv")

        assert not Consumer.objects.exists()
        assert self.rows(Consumer) == seen
