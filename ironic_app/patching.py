"""The part of JSON Patch that Ironic speaks, as a pure function: document + operations → document.

Operations are ``add``, ``replace``, ``remove``, and ``test`` in addition: with it a client says what it believes to
be true, and nothing happens if it is not. All or nothing, in order.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any


class Op(enum.StrEnum):
    ADD = "add"
    REPLACE = "replace"
    REMOVE = "remove"
    TEST = "test"


@dataclasses.dataclass(frozen=True, slots=True)
class Operation:
    """``path`` has at least one part; the first names an attribute of the document."""

    op: Op
    path: tuple[str, ...]
    value: Any = None

    @property
    def root(self) -> str:
        return self.path[0]

    @property
    def pointer(self) -> str:
        return "".join(f"/{part.replace('~', '~0').replace('/', '~1')}" for part in self.path)


Patch = Sequence[Operation]


class Inapplicable(Exception):
    """The document has no such place, or not for this operation. The text says which."""


class Untrue(Exception):
    """A ``test`` found another value."""

    def __init__(self, operation: Operation, found: Any) -> None:
        self.operation = operation
        self.found = found
        super().__init__(operation.pointer)


def roots(patch: Patch) -> Collection[str]:
    """The attributes that the patch reads or writes, in order of appearance."""
    return dict.fromkeys(operation.root for operation in patch)


def apply(document: Mapping[str, Any], patch: Patch) -> dict[str, Any]:
    """What becomes of ``document``, which itself stays as it is; removed attributes become None.

    Attributes always exist: adding one sets it. Raises Inapplicable, Untrue.
    """
    result = dict(document)
    for operation in patch:
        if operation.op is Op.TEST:
            found = _find(result, operation.path)
            if not _equal(found, operation.value):
                raise Untrue(operation, found)
        elif len(operation.path) == 1:
            result[operation.root] = None if operation.op is Op.REMOVE else operation.value
        else:
            result[operation.root] = _changed(
                result[operation.root], operation.path[1:], _CHANGES[operation.op], operation
            )
    return result


# --- places inside a value --------------------------------------------------------------------------------------------
_Change = Callable[[Any, str, Operation], Any]
_MISSING = object()


def _find(document: Any, path: tuple[str, ...]) -> Any:
    """The value at ``path``; None where there is nothing, since an unset attribute is None too."""
    for part in path:
        document = _get(document, part)
        if document is _MISSING:
            return None
    return document


def _get(container: Any, part: str) -> Any:
    if isinstance(container, dict):
        return container.get(part, _MISSING)
    if isinstance(container, list):
        position = _position(part)
        if position is not None and position < len(container):
            return container[position]
    return _MISSING


def _position(part: str) -> int | None:
    """The place in a list that ``part`` names. More digits than any list has places for are none: Python refuses to
    read thousands of them."""
    return int(part) if part.isdecimal() and len(part) < 19 else None


def _changed(container: Any, path: tuple[str, ...], change: _Change, operation: Operation) -> Any:
    """A copy of ``container`` that is changed at ``path``; what lies beside the path is shared, not copied."""
    part, *rest = path
    if not rest:
        return change(container, part, operation)
    child = _get(container, part)
    if child is _MISSING:
        raise Inapplicable(f"there is nothing at {part!r} of {operation.pointer}")
    return _with(container, part, _changed(child, tuple(rest), change, operation))


def _add(container: Any, part: str, operation: Operation) -> Any:
    if isinstance(container, list):
        position = len(container) if part == "-" else _position(part)
        if position is None or position > len(container):
            raise Inapplicable(f"{part!r} is no position in the list of {operation.pointer}")
        return [*container[:position], operation.value, *container[position:]]
    if not isinstance(container, dict):
        raise Inapplicable(f"{operation.pointer} does not lie in an object or a list")
    return {**container, part: operation.value}


def _replace(container: Any, part: str, operation: Operation) -> Any:
    if _get(container, part) is _MISSING:
        raise Inapplicable(f"can't replace a non-existent object {part!r}")
    return _with(container, part, operation.value)


def _remove(container: Any, part: str, operation: Operation) -> Any:
    if _get(container, part) is _MISSING:
        raise Inapplicable(f"can't remove a non-existent object {part!r}")
    if isinstance(container, list):
        return [*container[: int(part)], *container[int(part) + 1 :]]
    return {name: value for name, value in container.items() if name != part}


_CHANGES: dict[Op, _Change] = {Op.ADD: _add, Op.REPLACE: _replace, Op.REMOVE: _remove}


def _with(container: Any, part: str, value: Any) -> Any:
    if isinstance(container, list):
        return [*container[: int(part)], value, *container[int(part) + 1 :]]
    return {**container, part: value}


def _equal(one: Any, other: Any) -> bool:
    """Equality of JSON values: to Python 1 and true are the same, to JSON they are not."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return bool(one == other)
