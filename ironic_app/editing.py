"""What values and patches come to for a row, judged by a table of attributes. For everything but nodes.

(Nodes have rules and conditions of their own: ``services.nodes``.)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ironic_app import errors, patching
from ironic_app.attributes import Attribute, Misshapen, Unfit
from ironic_app.patching import Patch

Attributes = Mapping[str, Attribute]


def values(given: Mapping[str, Any], attributes: Attributes, *, noun: str) -> dict[str, Any]:
    """Column → value as it is stored in a new row. ``noun``: what refusals call it, e.g. ``port``. Raises Invalid."""
    return {
        attributes[name].column: _checked(attributes[name], value, document=noun, verb=f"create {noun}")
        for name, value in given.items()
    }


def changes(row: object, patch: Patch, attributes: Attributes, *, noun: str) -> dict[str, Any]:
    """Column → new value, only for those that the patch changes. Raises Invalid."""
    document = {name: getattr(row, attributes[name].column) for name in patching.roots(patch)}
    try:
        result = patching.apply(document, patch)
    except patching.Inapplicable as error:
        raise errors.Invalid(text=f"Couldn't apply patch. Reason: {error}") from None
    fitting = {
        attributes[name].column: _checked(attributes[name], value, document="patch", verb=f"update {noun}")
        for name, value in result.items()
    }
    return {column: value for column, value in fitting.items() if value != getattr(row, column)}


def _checked(attribute: Attribute, value: Any, *, document: str, verb: str) -> Any:
    assert attribute.check is not None, f"{attribute.name} is not for writing"
    try:
        return attribute.check(attribute.name, value)
    except Misshapen as error:
        raise errors.Invalid(text=f"Schema error for {document}: {error}") from None
    except Unfit as error:
        raise errors.Invalid(text=f"Cannot {verb} with {error}" if attribute.name == "name" else str(error)) from None
