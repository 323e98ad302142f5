"""Path parts that are more than text."""

from __future__ import annotations

from claimsite.foundation.uuids import canonical_or_same


class AnyUuid:
    """Any spelling of a uuid, handed on in its canonical form. What is no uuid stays as it is and finds nothing."""

    regex = "[^/]+"

    def to_python(self, value: str) -> str:
        if "\0" in value:
            # No column can hold it, so no path has it.
            raise ValueError(value)
        return canonical_or_same(value)

    def to_url(self, value: str) -> str:
        return value
