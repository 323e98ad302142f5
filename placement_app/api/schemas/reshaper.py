from __future__ import annotations

from claimsite.foundation.openstack.bodies import Schema
from claimsite.foundation.openstack.versioned import Versioned
from placement_app.api.schemas.allocations import CLAIM_OF_MANY, UUID_KEY, by_consumer
from placement_app.api.schemas.inventories import ALL_OF_A_PROVIDER

POST = Versioned(
    {
        version: Schema(
            {
                "type": "object",
                "properties": {
                    "inventories": {
                        "type": "object",
                        "minProperties": 1,
                        "patternProperties": {UUID_KEY: ALL_OF_A_PROVIDER},
                        "additionalProperties": False,
                    },
                    "allocations": by_consumer(claim, least=0),
                },
                "required": ["inventories", "allocations"],
                "additionalProperties": False,
            }
        )
        for version, claim in CLAIM_OF_MANY.items()
    }
)
