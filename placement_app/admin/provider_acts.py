"""What operators can change of a provider: inventories, traits, aggregates. Forms that carry the generation seen."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from claimsite.foundation.admin import rights, show
from claimsite.foundation.admin.acts import Act, ActForm, Colour, Evidence, generation
from claimsite.foundation.origin import Origin
from claimsite.foundation.uuids import canonical_uuid
from placement_app import errors
from placement_app.admin import forest, who
from placement_app.models import Allocation, Inventory, ResourceClass, ResourceProvider, Trait
from placement_app.models.inventories import MAX_INTEGER
from placement_app.services import aggregates, inventories, provider_traits
from placement_app.services.inventories import Record


class ProviderAct(Act):
    """On a provider, or on something of a provider: what was seen is the provider's generation."""

    right = rights.ADMINISTER
    colour = Colour.EDIT
    stale = (errors.ProviderGenerationConflict, errors.ProviderNotFound, errors.NoInventoryToUpdate)

    def provider(self, target: Any) -> ResourceProvider:
        return target

    def what_changed(self, target: Any, seen: str) -> str:
        return who.changed_provider(self.provider(target).uuid, seen)


# --- inventories ----------------------------------------------------------------------------------------------------
class InventoryForm(ActForm):
    total = forms.IntegerField(min_value=1, max_value=MAX_INTEGER)
    reserved = forms.IntegerField(
        min_value=0, max_value=MAX_INTEGER, help_text="Kept back from claims. As much as the total: nothing is offered."
    )
    allocation_ratio = forms.FloatField(
        min_value=0.0001,
        max_value=1e38,
        help_text="Capacity is (total − reserved) × ratio: above 1 is over-commitment.",
    )
    min_unit = forms.IntegerField(min_value=1, max_value=MAX_INTEGER, help_text="The least that one claim may take.")
    max_unit = forms.IntegerField(min_value=1, max_value=MAX_INTEGER, help_text="The most that one claim may take.")
    step_size = forms.IntegerField(min_value=1, max_value=MAX_INTEGER, help_text="Claims are multiples of this.")


def _record(data: Mapping[str, Any]) -> Record:
    return Record(**{field.name: data[field.name] for field in dataclasses.fields(Record)})


class EditInventory(ProviderAct):
    """Of one class; the target is an inventory."""

    name = "edit"
    label = "Change inventory"
    form_class = InventoryForm

    def provider(self, target: Any) -> ResourceProvider:
        return target.provider

    def initial(self, target: Any) -> dict[str, Any]:
        return dataclasses.asdict(inventories.record_of(target))

    def evidence(self, target: Any) -> Evidence:
        return Evidence(
            title=f"{target.resource_class_id} of {target.provider.name}",
            seen=str(target.provider.generation),
            facts=[
                ("Used of capacity", show.bar(target.used, target.capacity, target.resource_class_id)),
                ("Provider generation", target.provider.generation),
                ("Last change", show.ago(target.updated_at)),
            ],
            effect=(
                "Claims that are there stay, even where less is left than is claimed: the provider is then over its "
                "capacity and takes nothing new."
            ),
        )

    def perform(self, target: Any, *, seen: str, data: Mapping[str, Any], origin: Origin) -> str:
        provider, record = target.provider, _record(data)
        inventories.replace(
            provider=provider.uuid,
            generation=generation(seen),
            resource_class=target.resource_class_id,
            record=record,
            origin=origin,
        )
        before = dataclasses.asdict(inventories.record_of(target))
        changed = ", ".join(
            f"{field} {show.number(before[field])} → {show.number(value)}"
            for field, value in dataclasses.asdict(record).items()
            if value != before[field]
        )
        return f"{target.resource_class_id} of {provider.name}: {changed or 'as it was'}."

    def command(self, target: Any) -> str:
        return (
            f"openstack resource provider inventory set {target.provider.uuid} --amend "
            f"--resource {target.resource_class_id}={target.total}"
        )


class RemoveInventory(ProviderAct):
    name = "remove"
    label = "Remove inventory"
    colour = Colour.AMBER

    def provider(self, target: Any) -> ResourceProvider:
        return target.provider

    def blockers(self, target: Any) -> Sequence[str]:
        if not target.used:
            return ()
        return [f"{show.number(target.used)} of it is claimed: those claims must be released or moved first."]

    def evidence(self, target: Any) -> Evidence:
        return Evidence(
            title=f"{target.resource_class_id} of {target.provider.name}",
            seen=str(target.provider.generation),
            facts=[("Inventory", show.amounts(dataclasses.asdict(inventories.record_of(target))))],
            effect="The provider has none of this class any more; nobody can claim it.",
            passwords=(target.provider.name, target.provider.uuid[-4:]),
        )

    def perform(self, target: Any, *, seen: str, data: Mapping[str, Any], origin: Origin) -> str:
        provider = target.provider
        others = provider.inventories.exclude(pk=target.pk)
        inventories.replace_all(
            provider=provider.uuid,
            generation=generation(seen),
            records={each.resource_class_id: inventories.record_of(each) for each in others},
            origin=origin,
        )
        return f"Removed the inventory of {target.resource_class_id} from {provider.name}."


class NewInventoryForm(InventoryForm):
    resource_class = forms.CharField(max_length=255, label="Class", help_text="A name that is known, such as VCPU.")

    field_order = ("resource_class", *(field.name for field in dataclasses.fields(Record)))

    def clean_resource_class(self) -> str:
        name = self.cleaned_data["resource_class"].strip().upper()
        if not ResourceClass.objects.filter(name=name).exists():
            raise forms.ValidationError("No such class.")
        return name


class AddInventory(ProviderAct):
    name = "add-inventory"
    label = "Add inventory"
    form_class = NewInventoryForm

    def initial(self, target: Any) -> dict[str, Any]:
        return dataclasses.asdict(Record(total=1))

    def evidence(self, target: Any) -> Evidence:
        return _evidence(
            target, [("Has", show.lines([f"{show.number(it.total)} {it.resource_class_id}" for it in _stocks(target)]))]
        )

    def perform(self, target: Any, *, seen: str, data: Mapping[str, Any], origin: Origin) -> str:
        records = {each.resource_class_id: inventories.record_of(each) for each in _stocks(target)}
        name = data["resource_class"]
        if name in records:
            raise errors.InventoryExists(provider=target.uuid, resource_class=name)
        inventories.replace_all(
            provider=target.uuid, generation=generation(seen), records={**records, name: _record(data)}, origin=origin
        )
        return f"{target.name} has {show.number(data['total'])} {name} now."


class ReserveAll(ProviderAct):
    """Takes a provider out of service for new claims. Only ever adds protection, so one click does."""

    name = "reserve"
    label = "Offer nothing more"
    colour = Colour.GREEN
    right = rights.OPERATE

    def applies_to(self, target: Any) -> bool:
        return any(stock.reserved < stock.total for stock in _stocks(target))

    def evidence(self, target: Any) -> Evidence:
        stocks = [f"{it.resource_class_id}: reserved {it.reserved} → {it.total}" for it in _stocks(target)]
        claims = Allocation.objects.filter(provider=target)[:1].exists()
        return _evidence(
            target,
            [("Will be reserved", show.lines(stocks)), ("Claims", "stay as they are" if claims else "none")],
            "All of every class is reserved: what is claimed stays claimed, nothing new fits.",
        )

    def perform(self, target: Any, *, seen: str, data: Mapping[str, Any], origin: Origin) -> str:
        records = {
            each.resource_class_id: dataclasses.replace(inventories.record_of(each), reserved=each.total)
            for each in _stocks(target)
        }
        inventories.replace_all(provider=target.uuid, generation=generation(seen), records=records, origin=origin)
        return f"{target.name} offers nothing more: all of {', '.join(records)} is reserved."

    def command(self, target: Any) -> str:
        options = "".join(f" --resource {it.resource_class_id}:reserved={it.total}" for it in _stocks(target))
        return f"openstack resource provider inventory set {target.uuid} --amend{options}"


# --- traits and aggregates ------------------------------------------------------------------------------------------
class WordsField(forms.CharField):
    """Words, one a line or with blanks or commas between."""

    widget = forms.Textarea(attrs={"rows": 8, "spellcheck": "false"})

    def clean(self, value: Any) -> list[str]:
        return list(dict.fromkeys(super().clean(value).replace(",", " ").split()))


class TraitsForm(ActForm):
    traits = WordsField(required=False, help_text="All that the provider shall have, one a line.")

    def clean_traits(self) -> list[str]:
        names = [name.upper() for name in self.cleaned_data["traits"]]
        known = set(Trait.objects.filter(name__in=names).values_list("name", flat=True))
        if unknown := [name for name in names if name not in known]:
            raise forms.ValidationError(f"No such trait: {', '.join(unknown)}.")
        return names


class EditTraits(ProviderAct):
    name = "traits"
    label = "Change traits"
    form_class = TraitsForm

    def initial(self, target: Any) -> dict[str, Any]:
        return {"traits": "\n".join(_traits(target))}

    def evidence(self, target: Any) -> Evidence:
        return _evidence(target, [("Has", show.lines(_traits(target)))])

    def perform(self, target: Any, *, seen: str, data: Mapping[str, Any], origin: Origin) -> str:
        before = set(_traits(target))
        provider_traits.replace(provider=target.uuid, traits=data["traits"], generation=generation(seen), origin=origin)
        return f"Traits of {target.name}: {_difference(before, set(data['traits']))}."

    def command(self, target: Any) -> str:
        options = "".join(f" --trait {name}" for name in _traits(target))
        return f"openstack resource provider trait set{options} {target.uuid}"


class AggregatesForm(ActForm):
    aggregates = WordsField(required=False, help_text="All that the provider shall be in, by uuid, one a line.")

    def clean_aggregates(self) -> list[str]:
        spelt = self.cleaned_data["aggregates"]
        if wrong := [text for text in spelt if canonical_uuid(text) is None]:
            raise forms.ValidationError(f"No uuid: {', '.join(wrong)}.")
        return list(dict.fromkeys(canonical for text in spelt if (canonical := canonical_uuid(text))))


class EditAggregates(ProviderAct):
    name = "aggregates"
    label = "Change aggregates"
    form_class = AggregatesForm

    def initial(self, target: Any) -> dict[str, Any]:
        return {"aggregates": "\n".join(forest.aggregates_of(target))}

    def evidence(self, target: Any) -> Evidence:
        return _evidence(target, [("In", show.lines(forest.aggregates_of(target)))])

    def perform(self, target: Any, *, seen: str, data: Mapping[str, Any], origin: Origin) -> str:
        before = set(forest.aggregates_of(target))
        aggregates.replace(
            provider=target.uuid, aggregates=data["aggregates"], generation=generation(seen), origin=origin
        )
        return f"Aggregates of {target.name}: {_difference(before, set(data['aggregates']))}."

    def command(self, target: Any) -> str:
        options = "".join(f" --aggregate {uuid}" for uuid in forest.aggregates_of(target))
        return f"openstack resource provider aggregate set --generation {target.generation}{options} {target.uuid}"


def _evidence(provider: ResourceProvider, facts: list[tuple[str, Any]], effect: str = "") -> Evidence:
    return Evidence(
        title=f"Provider {provider.name}",
        seen=str(provider.generation),
        facts=[*facts, ("Generation", provider.generation)],
        effect=effect,
        passwords=(provider.name, provider.uuid[-4:]),
    )


def _stocks(provider: ResourceProvider) -> list[Inventory]:
    return list(provider.inventories.order_by("resource_class__id"))


def _traits(provider: ResourceProvider) -> list[str]:
    return [it.trait_id for it in provider.provider_traits.order_by("trait__id")]


def _difference(before: set[str], after: set[str]) -> str:
    words = [f"+{name}" for name in sorted(after - before)] + [f"−{name}" for name in sorted(before - after)]
    return ", ".join(words) or "as they were"
