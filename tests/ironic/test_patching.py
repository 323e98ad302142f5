"""JSON Patch as a pure function."""

from typing import Any

import pytest

from ironic_app.patching import Inapplicable, Op, Operation, Untrue, apply, roots

DOCUMENT: dict[str, Any] = {"name": "node-1", "extra": {"rack": {"row": 4}, "disks": ["sda", "sdb"]}, "owner": None}


def operation(op, path, value=None):
    return Operation(Op(op), tuple(path.split("/")[1:]), value)


class TestApply:
    @pytest.mark.parametrize(
        ("op", "path", "value", "attribute", "expected"),
        [
            ("add", "/name", "node-2", "name", "node-2"),
            ("replace", "/name", "node-2", "name", "node-2"),
            ("remove", "/name", None, "name", None),
            ("add", "/extra/new", 1, "extra", DOCUMENT["extra"] | {"new": 1}),
            ("add", "/extra/rack/row", 5, "extra", DOCUMENT["extra"] | {"rack": {"row": 5}}),
            ("replace", "/extra/rack", 7, "extra", DOCUMENT["extra"] | {"rack": 7}),
            ("remove", "/extra/rack", None, "extra", {"disks": ["sda", "sdb"]}),
            ("remove", "/extra/rack/row", None, "extra", DOCUMENT["extra"] | {"rack": {}}),
            ("add", "/extra/disks/0", "nvme", "extra", DOCUMENT["extra"] | {"disks": ["nvme", "sda", "sdb"]}),
            ("add", "/extra/disks/2", "nvme", "extra", DOCUMENT["extra"] | {"disks": ["sda", "sdb", "nvme"]}),
            ("add", "/extra/disks/-", "nvme", "extra", DOCUMENT["extra"] | {"disks": ["sda", "sdb", "nvme"]}),
            ("replace", "/extra/disks/1", "nvme", "extra", DOCUMENT["extra"] | {"disks": ["sda", "nvme"]}),
            ("remove", "/extra/disks/0", None, "extra", DOCUMENT["extra"] | {"disks": ["sdb"]}),
        ],
    )
    def test_changes_one_place(self, op, path, value, attribute, expected):
        result = apply(DOCUMENT, [operation(op, path, value)])

        assert result == DOCUMENT | {attribute: expected}

    @pytest.mark.parametrize(
        ("op", "path"),
        [
            ("replace", "/extra/none"),
            ("remove", "/extra/none"),
            ("add", "/extra/none/deeper"),
            ("add", "/name/deeper"),
            ("replace", "/extra/disks/2"),
            ("remove", "/extra/disks/2"),
            ("remove", "/extra/disks/-"),
            ("add", "/extra/disks/3"),
            ("add", "/extra/disks/last"),
            ("add", f"/extra/disks/{'9' * 5000}"),
            ("replace", f"/extra/disks/{'9' * 5000}"),
            ("add", "/extra/disks/0/deeper"),
            ("add", "/owner/deeper"),
        ],
    )
    def test_refuses_a_place_that_is_not_there(self, op, path):
        with pytest.raises(Inapplicable):
            apply(DOCUMENT, [operation(op, path, 1)])

    def test_goes_in_order(self):
        patch = [
            operation("add", "/extra/a", {}),
            operation("add", "/extra/a/b", 1),
            operation("remove", "/extra/disks"),
        ]

        assert apply(DOCUMENT, patch)["extra"] == {"rack": {"row": 4}, "a": {"b": 1}}

    def test_leaves_the_document_as_it_was(self):
        before = repr(DOCUMENT)

        apply(DOCUMENT, [operation("add", "/extra/rack/row", 5), operation("remove", "/extra/disks/0")])

        assert repr(DOCUMENT) == before

    def test_of_nothing_is_the_document(self):
        assert apply(DOCUMENT, []) == DOCUMENT


class TestTestOperation:
    @pytest.mark.parametrize(
        ("path", "value"),
        [
            ("/name", "node-1"),
            ("/owner", None),
            ("/extra/rack", {"row": 4}),
            ("/extra/rack/row", 4.0),
            ("/extra/disks", ["sda", "sdb"]),
            ("/extra/disks/1", "sdb"),
            ("/extra/none", None),
        ],
    )
    def test_passes_for_the_value_that_is_there(self, path, value):
        assert apply(DOCUMENT, [operation("test", path, value)]) == DOCUMENT

    @pytest.mark.parametrize(
        ("path", "value"),
        [
            ("/name", "node-2"),
            ("/name", None),
            ("/owner", ""),
            ("/extra/rack", {"row": 4, "more": 1}),
            ("/extra/rack/row", True),
            ("/extra/disks", ["sdb", "sda"]),
            ("/extra/none", 0),
            (f"/extra/disks/{'9' * 5000}", "sda"),
        ],
    )
    def test_fails_for_any_other(self, path, value):
        with pytest.raises(Untrue):
            apply(DOCUMENT, [operation("test", path, value)])

    def test_tells_one_from_true(self):
        with pytest.raises(Untrue):
            apply({"extra": {"row": 1}}, [operation("test", "/extra/row", True)])

    def test_sees_what_came_before_it(self):
        patch = [operation("add", "/name", "node-2"), operation("test", "/name", "node-2")]

        assert apply(DOCUMENT, patch)["name"] == "node-2"


class TestOperation:
    def test_writes_its_path_with_escapes(self):
        assert Operation(Op.ADD, ("extra", "a/b", "c~d")).pointer == "/extra/a~1b/c~0d"

    def test_roots_come_once_and_in_order(self):
        patch = [operation("add", "/extra/b", 1), operation("add", "/name", "x"), operation("add", "/extra/a", 1)]

        assert list(roots(patch)) == ["extra", "name"]
