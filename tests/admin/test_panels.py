"""What the nodes have to say on the pages of Placement."""

import pytest
from django.urls import reverse

from ironic_app.models import Node
from placement_app.models import Consumer
from tests.admin.acting import claimed, text_of
from tests.builders import provider
from tests.commands.faults import held, plant

pytestmark = pytest.mark.django_db


def page(client, model: str, uuid: str) -> str:
    return text_of(client.get(reverse(f"admin:placement_app_{model}_change", args=[uuid])))


class TestTheSameMachineAsANode:
    def test_is_told_on_the_providers_page(self, viewer):
        node, host, instance = held(name="rack1-n3")

        text = page(viewer, "resourceprovider", host.uuid)

        assert f"The same machine as a node Node State Instance Owner Mismatch rack1-n3 active {instance[:8]}" in text
        assert "both services tell the same story" in text
        assert node.pk

    def test_is_told_with_what_is_wrong(self, viewer):
        assert "orphan_allocation" in page(viewer, "resourceprovider", plant("orphan_allocation"))

    def test_is_not_mentioned_where_there_is_none(self, viewer):
        assert "as a node" not in page(viewer, "resourceprovider", provider(vcpu=4).uuid)


class TestTheNodeOfAnInstance:
    def test_is_told_on_the_consumers_page(self, viewer):
        _, _, instance = held(name="rack1-n3")

        assert "Nodes that have it as their instance Node State" in page(viewer, "consumer", instance)

    def test_is_told_where_the_two_differ(self, viewer):
        node = Node.objects.get(uuid=plant("different_consumer"))
        instance, consumer = str(node.instance_uuid), Consumer.objects.get().uuid
        claimed({provider(vcpu=4): {"VCPU": 1}}, uuid=instance)

        assert "different_consumer" in page(viewer, "consumer", instance)
        assert "Nodes that have it" not in page(viewer, "consumer", consumer)
