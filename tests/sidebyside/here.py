"""This site, as one of the two that are compared."""

from __future__ import annotations

from typing import Any

from placement_app import models
from placement_app.models.vocabulary import FIRST_CUSTOM_ID
from tests.sidebyside.exchange import Answer, Application, Request, send
from tests.sidebyside.state import State

# Children before what they refer to.
TABLES: tuple[Any, ...] = (
    models.ClaimEvent,
    models.ConflictRecord,
    models.Allocation,
    models.Consumer,
    models.Inventory,
    models.ProviderTrait,
    models.ProviderAggregate,
    models.ResourceProvider,
)
STOCK = ("total", "reserved", "min_unit", "max_unit", "step_size", "allocation_ratio")


class Here:
    def __init__(self, application: Application) -> None:
        self.application = application

    def send(self, request: Request) -> Answer:
        return send(self.application, request)

    def clear(self) -> None:
        for model in TABLES:
            model.objects.all()._raw_delete("default")
        for vocabulary in (models.Trait, models.ResourceClass):
            vocabulary.objects.filter(id__gte=FIRST_CUSTOM_ID)._raw_delete("default")

    def generation(self, uuid: str) -> int | None:
        """Of the provider or the consumer with this uuid; None if there is neither."""
        for model in (models.ResourceProvider, models.Consumer):
            found: int | None = model.objects.filter(uuid=uuid).values_list("generation", flat=True).first()
            if found is not None:
                return found
        return None

    def state(self) -> State:
        def rows(model: Any, *fields: str) -> list[tuple[Any, ...]]:
            return list(model.objects.order_by().values_list(*fields))

        return State(
            providers=rows(models.ResourceProvider, "uuid", "name", "generation", "parent_id", "root_id"),
            inventories=rows(models.Inventory, "provider__uuid", "resource_class_id", *STOCK),
            traits=rows(models.ProviderTrait, "provider__uuid", "trait_id"),
            aggregates=rows(models.ProviderAggregate, "provider__uuid", "aggregate_uuid"),
            allocations=rows(models.Allocation, "consumer_id", "provider__uuid", "resource_class_id", "used"),
            consumers=rows(models.Consumer, "uuid", "generation", "project_id", "user_id", "consumer_type"),
            vocabulary=[
                (name,)
                for vocabulary in (models.Trait, models.ResourceClass)
                for name in vocabulary.objects.filter(id__gte=FIRST_CUSTOM_ID).values_list("name", flat=True)
            ],
        )
