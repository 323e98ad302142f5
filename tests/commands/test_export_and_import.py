import gzip
import io

import orjson
import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from claimsite.operations import carrying
from placement_app.models import Allocation, Consumer, ResourceProvider
from tests import builders
from tests.commands import running, takeovers
from tests.commands.faults import held
from tests.commands.running import run

pytestmark = pytest.mark.django_db(transaction=True)


def everything():
    """All rows. Standard names are each site's own, and so is what its database fills in."""
    return {
        model._meta.label: [
            row
            for row in model._default_manager.order_by("pk").values(
                *(field.attname for field in carrying.carried(model))
            )
            if "name" not in row or row["id"] >= 10_000 or "uuid" in row
        ]
        for label in ("placement_app", "ironic_app")
        for model in apps.get_app_config(label).get_models()
    }


def write(path):
    call_command("export", str(path), stderr=io.StringIO())
    return path


def wipe():
    call_command("flush", interactive=False, verbosity=0)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "site.jsonl"


@pytest.fixture
def world(transactional_db):
    held(name="rack9-n1")
    takeovers.build()
    members = builders.tree({"root": {"left": {}, "right": {"leaf": {}}}})
    builders.inventory(members["leaf"], "CUSTOM_GPU", total=4)
    running.hold(members["leaf"], custom_gpu=2)


class TestExportAndImport:
    def test_carry_everything_as_it_is(self, world, path):
        before = everything()
        write(path)
        wipe()

        status, output = run("import", str(path))

        assert status == 0, output
        assert "All is in order" in output
        assert everything() == before

    def test_the_site_goes_on_afterwards(self, world, path, api):
        write(path)
        wipe()
        run("import", str(path))
        host = builders.provider(vcpu=8)

        response = api.put(f"/allocations/{builders.A_UUID}", builders.claim({host: {"VCPU": 2}}))

        assert response.status_code == 204

    def test_a_rehearsal_changes_nothing(self, world, path):
        write(path)
        wipe()
        before = everything()

        status, output = run("import", str(path), "--dry-run")

        assert status == 0
        assert "Nothing was changed" in output
        assert everything() == before

    def test_only_an_empty_site_takes_one(self, world, path):
        write(path)

        with pytest.raises(CommandError, match="already"):
            run("import", str(path))

    def test_compressed_is_as_good(self, world, path):
        write(path)
        packed = path.with_suffix(".jsonl.gz")
        packed.write_bytes(gzip.compress(path.read_bytes()))
        wipe()

        assert run("import", str(packed))[0] == 0

    def test_leaves_no_half_file(self, path, monkeypatch, world):
        monkeypatch.setattr("claimsite.operations.carrying.tables", lambda: 1 / 0)

        with pytest.raises(ZeroDivisionError):
            write(path)

        assert list(path.parent.iterdir()) == []

    @pytest.mark.parametrize("cut", [0, 1, 3, -1])
    def test_a_cut_file_is_noticed(self, world, path, cut):
        lines = write(path).read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:cut]))
        wipe()

        with pytest.raises(CommandError):
            run("import", str(path))

        assert not ResourceProvider.objects.exists()

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda rows: rows.pop(1),
            lambda rows: rows.insert(1, rows[1]),
            lambda rows: rows.__setitem__(0, {"claimsite": 99}),
            lambda rows: rows[-2]["row"].update(nonsense=1),
            lambda rows: rows[-2].update(table="auth.user"),
            lambda rows: rows.append({"end": {}}),
            lambda rows: rows.insert(1, [1]),
        ],
    )
    def test_a_spoilt_file_is_refused_whole(self, world, path, spoil):
        rows = [orjson.loads(line) for line in write(path).read_bytes().splitlines()]
        spoil(rows)
        path.write_bytes(b"\n".join(map(orjson.dumps, rows)))
        wipe()

        with pytest.raises(CommandError) as refusal:
            run("import", str(path))

        assert refusal.value.returncode == 1
        assert not ResourceProvider.objects.exists()

    def test_rows_that_do_not_fit_together_are_refused(self, world, path):
        rows = [orjson.loads(line) for line in write(path).read_bytes().splitlines()]
        consumers = [row for row in rows if row.get("table") == "placement_app.consumer"]
        rows.remove(consumers[0])
        rows[-1]["end"]["placement_app.consumer"] -= 1
        path.write_bytes(b"\n".join(map(orjson.dumps, rows)))
        wipe()

        with pytest.raises(CommandError, match="fit together"):
            run("import", str(path))

        assert not Allocation.objects.exists()
        assert not Consumer.objects.exists()

    def test_a_file_that_is_not_there_is_told(self, transactional_db, path):
        with pytest.raises(CommandError):
            run("import", str(path))
