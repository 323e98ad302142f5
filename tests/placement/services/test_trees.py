"""The shape of trees: what can be judged without a database, and what the locks guarantee."""

from __future__ import annotations

import pytest

from claimsite.foundation.origin import Door, Origin
from placement_app import errors, locks
from placement_app.models import ResourceProvider
from placement_app.services import providers, trees
from tests.builders import tree

ORIGIN = Origin(door=Door.COMMAND, actor="test")


def members(**parents: str | None) -> dict[str, ResourceProvider]:
    return {name: ResourceProvider(uuid=name, name=name, parent_id=parent) for name, parent in parents.items()}


class TestASubtree:
    def test_is_the_provider_and_all_below_it(self):
        some = members(a=None, b="a", c="b", d="b", e="a", z=None)

        assert trees.subtree(some, "b") == {"b", "c", "d"}
        assert trees.subtree(some, "e") == {"e"}
        assert trees.subtree(some, "a") == {"a", "b", "c", "d", "e"}

    def test_ends_even_where_data_from_elsewhere_goes_round_in_circles(self):
        assert trees.subtree(members(a="c", b="a", c="b"), "a") == {"a", "b", "c"}


class TestCheckingAMove:
    @pytest.mark.parametrize(
        ("name", "parent", "may_reparent", "refusal"),
        [
            ("c", "z", True, None),
            ("c", None, True, None),
            ("a", "z", False, None),
            ("c", "z", False, errors.MoveNotAllowed),
            ("c", None, False, errors.MoveNotAllowed),
            ("a", "c", True, errors.TreeLoop),
            ("a", "c", False, errors.TreeLoop),
            ("b", "b", True, errors.TreeLoop),
            ("b", "nobody", True, errors.ParentUnknown),
        ],
    )
    def test_knows_each_reason_against_it(self, name, parent, may_reparent, refusal):
        some = members(a=None, b="a", c="b", z=None)

        def check():
            trees.check_move(some, some[name], parent, may_reparent=may_reparent)

        if refusal is None:
            check()
        else:
            with pytest.raises(refusal):
                check()


class TestTheLocks:
    def test_hold_all_members_of_the_trees(self, db):
        rows = tree({"a": {"b": {"c": {}}}, "y": {"z": {}}, "other": {}})

        locked = locks.trees([rows["c"].uuid, rows["y"].uuid, "nobody"])

        assert {row.name for row in locked.values()} == {"a", "b", "c", "y", "z"}

    @pytest.mark.django_db(transaction=True)
    @pytest.mark.parametrize("lock", [lambda: locks.provider("a"), lambda: locks.trees(["a"])])
    def test_are_not_taken_outside_a_transaction(self, lock):
        with pytest.raises(RuntimeError, match="needs the transaction of a service verb"):
            lock()

    def test_are_tried_again_when_the_tree_changed_while_waiting(self, db, monkeypatch):
        """The server absorbs it: nobody is told of a race that a second look decides."""
        rows = tree({"a": {}, "b": {}})
        lock, tries = locks.trees, []

        def lose_once(uuids):
            tries.append(uuids)
            if len(tries) == 1:
                raise errors.TreeChangedUnderneath(providers="a")
            return lock(uuids)

        monkeypatch.setattr(locks, "trees", lose_once)

        moved = providers.update(uuid=rows["b"].uuid, name="b", parent=rows["a"].uuid, origin=ORIGIN)

        assert (moved.parent_id, len(tries)) == (rows["a"].uuid, 2)
