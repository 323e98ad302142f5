"""Bodies of PATCH → operations."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from claimsite.foundation.openstack import bodies
from claimsite.foundation.openstack.microversion import Microversion
from ironic_app.api import features
from ironic_app.api.errors import NotInThisVersion, Refusal
from ironic_app.patching import Op, Operation, Patch

_PATH = re.compile(r"(/[\w-]+)+").fullmatch
_ESCAPED_PATH = re.compile(r"(/(?:[^/~]|~[01])+)+").fullmatch
_KEYS = {"op", "path", "value"}


def patch(
    body: Any,
    *,
    version: Microversion,
    patchable: Collection[str],
    testable: Collection[str] = (),
    since: Mapping[str, Microversion],
) -> Patch:
    """``patchable``: the attributes that may be written; ``testable``: those whose value may be asked for by ``test``,
    so nothing that is not shown; ``since``: every attribute, and since when there is one.

    Raises a 400 for what is no patch or writes anything else, a 406 for attributes that are newer than ``version``.
    """
    if not isinstance(body, list):
        raise Refusal(400, f"Schema error for patch: {body!r:.200} is not of type 'array'")
    ops = [op.value for op in Op if testable or op is not Op.TEST]
    return [
        _operation(op, path, item, version, testable if op is Op.TEST else patchable, since)
        for item in body
        for op, path in [_shape(item, ops)]
    ]


def _operation(
    op: Op, path: str, item: Any, version: Microversion, allowed: Collection[str], since: Mapping[str, Microversion]
) -> Operation:
    # \w would take letters of every script, as the peer's does; escapes came late.
    is_path = _ESCAPED_PATH if version >= features.ESCAPED_PATHS else _PATH
    if not is_path(path):
        raise Refusal(400, f"Schema error for patch: {path!r} is not a path ('path')")
    parts = tuple(part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:])
    root = parts[0]
    if root not in allowed:
        verb, done = ("test", "tested") if op is Op.TEST else ("patch", "updated")
        raise Refusal(400, f"Cannot {verb} {path}. Only the following can be {done}: {', '.join(sorted(allowed))}")
    if since[root] > version:
        raise NotInThisVersion
    if op is Op.REMOVE:
        return Operation(op, parts)
    if "value" not in item:
        raise Refusal(400, f"Couldn't apply patch. Reason: The operation on {path} does not contain a 'value' member.")
    # Else one patch after the other could dig deeper than anybody can read.
    if bodies.is_deeper_than(bodies.DEEPEST - len(parts), item["value"]):
        raise Refusal(
            400, f"Couldn't apply patch. Reason: {path:.200} would lie more than {bodies.DEEPEST} levels deep"
        )
    return Operation(op, parts, item["value"])


def _shape(item: Any, ops: list[str]) -> tuple[Op, str]:
    if not isinstance(item, dict):
        raise Refusal(400, f"Schema error for patch: {item!r:.200} is not of type 'object'")
    if unknown := item.keys() - _KEYS:
        raise Refusal(
            400, f"Schema error for patch: Additional properties are not allowed: {', '.join(sorted(unknown))}"
        )
    op, path = item.get("op"), item.get("path")
    if not isinstance(op, str) or op not in ops:
        raise Refusal(400, f"Schema error for patch: {op!r:.200} is not one of {ops}")
    if not isinstance(path, str):
        raise Refusal(400, f"Schema error for patch: {path!r:.200} is not a path ('path')")
    return Op(op), path
