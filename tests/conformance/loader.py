"""A world, made through the API: the same way in this process and on a server that is only known by its address."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

import httpx

from tests.conformance.worlds import Claim, Provider, World

NAMESPACE = uuid.UUID("5d0b5a3e-5b0c-4d53-9c9a-0c6d3f1f6f0a")


def uuid_for(name: str) -> str:
    """The same name has the same uuid in every run, so that failures can be compared."""
    return str(uuid.uuid5(NAMESPACE, name))


class Loader:
    """An administrator at the newest version, but for aggregates: before 1.19 they don't move the generation."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client

    def send(self, method: str, path: str, body: Any = None, version: str = "1.39") -> Any:
        headers = {
            "X-Auth-Token": "admin",
            "Accept": "application/json",
            "OpenStack-API-Version": f"placement {version}",
        }
        answer = self.client.request(method, path, json=body, headers=headers)
        if answer.is_error:
            raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer.json() if answer.content else None

    def clear(self) -> None:
        """Back to an empty service with standard names only."""
        providers = self.send("GET", "/resource_providers")["resource_providers"]
        for each in providers:
            for consumer in self.send("GET", f"/resource_providers/{each['uuid']}/allocations")["allocations"]:
                if self.send("GET", f"/allocations/{consumer}")["allocations"]:
                    self.send("DELETE", f"/allocations/{consumer}")
        self._delete_leaves_first(providers)
        for trait in self.send("GET", "/traits?name=startswith:CUSTOM_")["traits"]:
            self.send("DELETE", f"/traits/{trait}")
        for each in self.send("GET", "/resource_classes")["resource_classes"]:
            if each["name"].startswith("CUSTOM_"):
                self.send("DELETE", f"/resource_classes/{each['name']}")

    def _delete_leaves_first(self, providers: list[dict[str, Any]]) -> None:
        while providers:
            parents = {each["parent_provider_uuid"] for each in providers}
            for leaf in [each for each in providers if each["uuid"] not in parents]:
                self.send("DELETE", f"/resource_providers/{leaf['uuid']}")
            providers = [each for each in providers if each["uuid"] in parents]

    def load(self, world: World, names: Mapping[str, str]) -> None:
        """``names``: the environment of the file, where every uuid and name has been settled."""
        for provider in world.providers():
            self._provider(provider, world, names)
        for claim in world.claims:
            self._claim(claim, world, names)

    def _provider(self, provider: Provider, world: World, names: Mapping[str, str]) -> None:
        uuid_of = names[world.variable_of(provider.name)]
        body = {"name": names.get(f"{provider.name.upper()}_NAME", provider.name), "uuid": uuid_of}
        if provider.parent is not None:
            body["parent_provider_uuid"] = names[world.variable_of(provider.parent)]
        self.send("POST", "/resource_providers", body)
        path = f"/resource_providers/{uuid_of}"
        if provider.aggregates:
            self.send("PUT", f"{path}/aggregates", [names[each] for each in provider.aggregates], version="1.18")
        if provider.traits:
            for trait in provider.traits:
                if trait.startswith("CUSTOM_"):
                    self.send("PUT", f"/traits/{trait}")
            self.send("PUT", f"{path}/traits", {"traits": provider.traits, "resource_provider_generation": 0})
        for resource_class, stock in provider.inventories.items():
            if resource_class.startswith("CUSTOM_"):
                self.send("PUT", f"/resource_classes/{resource_class}")
            record = dict(stock) if isinstance(stock, dict) else {"total": stock, "max_unit": stock}
            self.send("POST", f"{path}/inventories", {"resource_class": resource_class, **record})

    def _claim(self, claim: Claim, world: World, names: Mapping[str, str]) -> None:
        provider = names[world.variable_of(claim.provider)]
        body = {
            "allocations": {provider: {"resources": claim.resources}},
            "project_id": names[claim.project],
            "user_id": names[claim.user],
            "consumer_generation": None,
        }
        # Before 1.38: the suite's consumers have no type unless a file gives them one.
        self.send("PUT", f"/allocations/{names[claim.consumer]}", body, version="1.37")
