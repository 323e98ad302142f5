"""What a request wants to hold, in one form whatever the version: the dataclasses that the services accept."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from typing import Final, TypeAlias


class Unchecked(enum.Enum):
    """The writer does not say which generation it has seen, and wants no check."""

    ANY = "any"


ANY: Final = Unchecked.ANY

Expected: TypeAlias = int | Unchecked | None
"""The consumer generation that the writer has seen: a number, None for "no such consumer yet", or ANY."""

Amounts: TypeAlias = Mapping[str, int]
"""Resource class → amount."""


@dataclasses.dataclass(frozen=True, slots=True)
class Owner:
    project_id: str
    user_id: str


@dataclasses.dataclass(frozen=True, slots=True)
class Claim:
    """All that one consumer wants to hold from now on; nothing means that it gives up everything.

    ``consumer_type`` None leaves the type as it is (writers from before types existed).
    """

    consumer_uuid: str
    resources: Mapping[str, Amounts]
    """Provider uuid → amounts."""
    owner: Owner
    expected: Expected = ANY
    consumer_type: str | None = None
