"""Who asks, by which door, under which request id: what every record of a change has to say."""

from __future__ import annotations

import dataclasses
import enum


class Door(enum.StrEnum):
    PLACEMENT = "placement"
    BAREMETAL = "baremetal"
    OPERATIONS = "operations"
    ADMIN = "admin"
    COMMAND = "command"


@dataclasses.dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a write.

    ``actor`` is the user id of an API caller, the login of an operator, or who typed a command and its name.
    ``global_request_id`` is what the caller says its own request was called, if it says so.
    """

    door: Door
    actor: str = ""
    project: str = ""
    request_id: str = ""
    global_request_id: str = ""
    reason: str = ""
