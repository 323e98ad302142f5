"""Any list as CSV or JSON."""

import csv
import io
import json

import pytest
from django.urls import reverse

from placement_app.models import ConflictRecord, Consumer
from tests.admin.acting import claimed
from tests.builders import provider

CONSUMERS = reverse("admin:placement_app_consumer_export")


def rows(response) -> list[dict]:
    text = b"".join(response.streaming_content).decode()
    return json.loads(text) if "json" in response["Content-Type"] else list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def host(db):
    return provider(vcpu=64)


class TestAnExport:
    @pytest.mark.parametrize("file_format", ["csv", "json"])
    def test_has_the_rows_of_the_list_as_it_is_narrowed(self, viewer, host, file_format):
        claimed({host: {"VCPU": 1}})
        wanted = claimed({host: {"VCPU": 1}}, consumer_type="MIGRATION")

        response = viewer.get(CONSUMERS, {"type": "MIGRATION", "format": file_format})

        assert [row["uuid"] for row in rows(response)] == [wanted.uuid]

    def test_keeps_the_order_of_the_list(self, viewer, host):
        consumers = [claimed({host: {"VCPU": 1}}) for _ in range(3)]

        response = viewer.get(CONSUMERS, {"o": "0", "format": "json"})

        assert [row["uuid"] for row in rows(response)] == sorted(consumer.uuid for consumer in consumers)

    def test_has_all_rows_not_only_those_of_a_page(self, viewer, db):
        Consumer.objects.bulk_create(Consumer(uuid=f"{n:036}", project_id="p", user_id="u") for n in range(120))

        assert len(rows(viewer.get(CONSUMERS, {"format": "json", "p": "2"}))) == 120

    def test_of_nothing_is_a_document_all_the_same(self, viewer, db):
        assert rows(viewer.get(CONSUMERS, {"format": "json"})) == []
        assert rows(viewer.get(CONSUMERS, {"format": "csv"})) == []

    def test_is_a_file_with_a_name(self, viewer, db):
        assert viewer.get(CONSUMERS, {"format": "csv"})["Content-Disposition"] == 'attachment; filename="consumer.csv"'

    @pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)"])
    def test_lets_no_name_become_a_formula(self, viewer, db, name):
        provider(name=name)

        (row,) = rows(viewer.get(reverse("admin:placement_app_resourceprovider_export"), {"format": "csv"}))

        assert row["name"] == f"'{name}"

    def test_writes_documents_as_json(self, viewer, db):
        ConflictRecord.objects.create(operation="x", reason="y", text="z", door="placement", facts={"a": 1})
        url = reverse("admin:placement_app_conflictrecord_export")

        assert rows(viewer.get(url, {"format": "json"}))[0]["facts"] == {"a": 1}
        assert json.loads(rows(viewer.get(url, {"format": "csv"}))[0]["facts"]) == {"a": 1}

    def test_of_another_format_is_not_there(self, viewer, db):
        assert viewer.get(CONSUMERS, {"format": "xml"}).status_code == 404

    def test_is_linked_from_the_list_with_its_filters(self, viewer, host):
        claimed({host: {"VCPU": 1}})

        page = viewer.get(reverse("admin:placement_app_consumer_changelist"), {"type": "INSTANCE"}).content.decode()

        assert 'href="export/?type=INSTANCE&amp;format=csv"' in page

    def test_is_not_for_strangers(self, anonymous):
        assert anonymous.get(CONSUMERS).status_code == 302
