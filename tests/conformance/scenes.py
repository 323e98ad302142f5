"""What stands behind each fixture that a file of the suite names: a world, names in the environment, settings."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.conformance import worlds
from tests.conformance.loader import uuid_for
from tests.conformance.worlds import World

OPEN_POLICY = Path(__file__).with_name("open-policy.yaml")

# Names that any file may use; none of them stands for something that exists.
# fmt: off
UUIDS = (
    "RP_UUID", "RP_UUID1", "RP_UUID2", "ALT_RP_UUID", "PARENT_PROVIDER_UUID", "ALT_PARENT_PROVIDER_UUID",
    "RP_NAME", "RP_NAME1", "RP_NAME2", "ALT_RP_NAME",
    "AGGA_UUID", "AGGB_UUID", "AGGC_UUID",
    "PROJECT_ID", "PROJECT_ID_ALT", "ADMIN_PROJECT_ID", "SERVICE_PROJECT_ID", "USER_ID", "USER_ID_ALT", "ALT_USER_ID",
    "INSTANCE_UUID", "MIGRATION_UUID", "CONSUMER_UUID",
)
# fmt: on
WORDS = {
    "CUSTOM_RES_CLASS": "CUSTOM_IRON_NFV",
    "CUSTOM_RES_CLASS1": "CUSTOM_IRON_NFV1",
    "CUSTOM_RES_CLASS2": "CUSTOM_IRON_NFV2",
}


# Most files were written for the rules in which an administrator may do everything.
OLD_DEFAULTS = {"POLICY_ENFORCE_NEW_DEFAULTS": False}


@dataclasses.dataclass(frozen=True)
class Scene:
    world: World = worlds.EMPTY
    settings: Mapping[str, Any] = dataclasses.field(default_factory=lambda: OLD_DEFAULTS)
    """Settings of the site that must hold while the file runs."""

    def names(self) -> dict[str, str]:
        """The environment of the file. The same in every run."""
        variables = [*UUIDS]
        for provider in self.world.providers():
            variables += [self.world.variable_of(provider.name), *provider.aggregates]
        variables += [claim.consumer for claim in self.world.claims]
        return WORDS | {variable: uuid_for(variable) for variable in variables}


SCENES: Mapping[str, Scene] = {
    "APIFixture": Scene(),
    "AllocationFixture": Scene(worlds.ALLOCATIONS),
    "SharedStorageFixture": Scene(worlds.SHARED_STORAGE),
    "NUMAAggregateFixture": Scene(worlds.NUMA_AGGREGATE),
    "NUMANetworkFixture": Scene(worlds.NUMA_NETWORK),
    "DeepNUMANetworkFixture": Scene(worlds.DEEP_NUMA_NETWORK),
    "NonSharedStorageFixture": Scene(worlds.NON_SHARED_STORAGE),
    "GranularFixture": Scene(worlds.GRANULAR),
    "NeutronQoSMultiSegmentFixture": Scene(worlds.MULTI_SEGMENT),
    # Everybody may do everything but what only the rule for administrators itself allows.
    "OpenPolicyFixture": Scene(settings=OLD_DEFAULTS | {"POLICY_FILE": str(OPEN_POLICY)}),
    "LegacyRBACPolicyFixture": Scene(),
    "SecureRBACPolicyFixture": Scene(settings={"POLICY_ENFORCE_NEW_DEFAULTS": True}),
    "CORSFixture": Scene(settings=OLD_DEFAULTS | {"CORS_ALLOWED_ORIGINS": ["http://valid.example.com"]}),
}
