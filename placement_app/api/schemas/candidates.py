from __future__ import annotations

from typing import Any

from claimsite.foundation.openstack.bodies import Schema
from claimsite.foundation.openstack.versioned import Versioned
from placement_app.api import features

TEXT = {"type": "string"}
LIMIT = {"type": "string", "pattern": "^[1-9][0-9]*$"}
GROUP_POLICY = {"type": "string", "enum": ["none", "isolate"]}

NUMBERS = "([1-9][0-9]*)?"
NAMES = "([a-zA-Z0-9_-]{1,64})?"


def _one_group(**properties: Any) -> Schema:
    return Schema(
        {
            "type": "object",
            "properties": {"resources": TEXT, **properties},
            "required": ["resources"],
            "additionalProperties": False,
        }
    )


def _groups(*parameters: str, suffix: str, **properties: Any) -> Schema:
    """Each of ``parameters`` with any suffix or none; ``properties`` are for the request as a whole."""
    return Schema(
        {
            "type": "object",
            "properties": {"limit": LIMIT, "group_policy": GROUP_POLICY, **properties},
            "patternProperties": {f"^{parameter}{suffix}$": TEXT for parameter in parameters},
            "additionalProperties": False,
        }
    )


_GROUP = ("resources", "required", "member_of")
_GROUP_OF_A_TREE = (*_GROUP, "in_tree")

QUERY = Versioned(
    {
        features.CANDIDATES: _one_group(),
        features.CANDIDATE_LIMIT: _one_group(limit=LIMIT),
        features.CANDIDATE_TRAITS: _one_group(limit=LIMIT, required=TEXT),
        features.CANDIDATE_MEMBER_OF: _one_group(limit=LIMIT, required=TEXT, member_of=TEXT),
        features.GRANULAR_GROUPS: _groups(*_GROUP, suffix=NUMBERS),
        features.CANDIDATE_IN_TREE: _groups(*_GROUP_OF_A_TREE, suffix=NUMBERS),
        features.FREE_SUFFIXES: _groups(*_GROUP_OF_A_TREE, suffix=NAMES),
        features.ROOT_REQUIRED: _groups(*_GROUP_OF_A_TREE, suffix=NAMES, root_required=TEXT),
        features.SAME_SUBTREE: _groups(*_GROUP_OF_A_TREE, suffix=NAMES, root_required=TEXT, same_subtree=TEXT),
    }
)
