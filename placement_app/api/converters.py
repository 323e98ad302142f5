"""Path parts, as the routes take them: any text, whatever is wrong with it."""

from __future__ import annotations

from django.urls import register_converter

from claimsite.foundation.uuids import canonical_or_same


class AnyText:
    regex = "[^/]+"

    def to_python(self, value: str) -> str:
        # No column can hold a NUL, so nothing is called so; and nothing can be called what stands in for it here.
        return value.replace("\0", "\N{REPLACEMENT CHARACTER}")

    def to_url(self, value: str) -> str:
        return value


class AnyUuid(AnyText):
    """Any spelling of a uuid, handed on in its canonical form. What is no uuid stays as it is and finds nothing."""

    def to_python(self, value: str) -> str:
        return canonical_or_same(super().to_python(value))


register_converter(AnyText, "text")
register_converter(AnyUuid, "any_uuid")
