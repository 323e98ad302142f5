"""Every page of a thing names the commands that show or do the same, and one page names them all."""

import pytest
from django.urls import reverse

from ironic_app.models import Node
from tests.admin.acting import claimed, text_of
from tests.admin.test_conflicts import refused_claim
from tests.builders import provider
from tests.commands.faults import plant


def commands(client, page: str, key: object) -> list[str]:
    return list(client.get(reverse(f"admin:{page}_change", args=[key])).context["commands"])


@pytest.fixture
def host(db):
    return provider(name="cmp-03", vcpu=4)


class TestPagesOfPlacement:
    def test_ask_for_all_that_is_known_of_a_consumer(self, viewer, host):
        uuid = claimed({host: {"VCPU": 1}}).uuid

        assert f"manage.py whohas {uuid}" in commands(viewer, "placement_app_consumer", uuid)

    def test_ask_for_all_that_is_known_of_a_provider(self, viewer, host):
        assert f"manage.py whohas {host.uuid}" in commands(viewer, "placement_app_resourceprovider", host.uuid)

    def test_ask_what_the_request_of_a_conflict_did(self, viewer, host):
        record = refused_claim(host, 9)

        assert commands(viewer, "placement_app_conflictrecord", record.pk)[0] == "manage.py whohas req-7"


class TestThePageOfAllCommands:
    def test_says_what_each_is_for_with_examples_to_copy(self, viewer):
        page = viewer.get(reverse("admin:commands"))
        text = text_of(page)

        assert "reconcile Compare every node with what is claimed of it in Placement." in text
        assert 'data-copy="manage.py whohas rack1-n3"' in page.content.decode()

    def test_says_how_they_are_run_from_a_checkout(self, viewer):
        assert ".venv/bin/python manage.py …" in text_of(viewer.get(reverse("admin:commands")))

    def test_leaves_out_those_of_others(self, viewer):
        names = {command.name for command in viewer.get(reverse("admin:commands")).context["commands"]}

        assert {"reconcile", "whohas", "orphan_consumers", "run_conductor"} <= names
        assert not names & {"migrate", "shell", "flush"}


class TestPagesOfNodes:
    def test_name_what_puts_a_mismatch_right(self, viewer):
        node = Node.objects.get(uuid=plant("orphan_allocation"))
        text = viewer.get(reverse("admin:ironic_app_node_change", args=[node.pk])).content.decode()

        assert f"manage.py reconcile --provider {node.uuid} --fix amber" in text

    @pytest.mark.parametrize("code", ["double_claim", "different_consumer"])
    def test_name_nothing_where_people_must_look_first(self, viewer, code):
        node = Node.objects.get(uuid=plant(code))
        text = viewer.get(reverse("admin:ironic_app_node_change", args=[node.pk])).content.decode()

        assert "reconcile" not in text
