"""The answer to a search, as JSON text.

There may be twenty thousand candidates and as many summaries, and then the answer's text is most of the work. Filling
in templates takes a tenth of the time of building dictionaries and writing those. Uuids are canonical and go in as they
are; every other name is quoted by the JSON library, once.

Candidates and providers never change, and many of them are there in the next search again: so each carries along the
text that was made of it last, with the form it was made for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import orjson

from claimsite.foundation.openstack.microversion import Microversion
from claimsite.foundation.openstack.versioned import Versioned
from placement_app.api import features
from placement_app.candidates.request import SearchRequest
from placement_app.candidates.result import Candidate, Result
from placement_app.candidates.snapshot import Provider


def answer(request: SearchRequest, result: Result, version: Microversion) -> bytes:
    """What could be claimed, in the form in which PUT /allocations takes it, and of whom: a JSON document."""
    template = ALLOCATION_REQUEST.at(version)
    requests = texts(result.candidates, template, template(Names()))
    form = SummaryForm.of(request, version)
    summaries = texts(SUMMARISED.at(version)(result), form, Summary(form).of)
    parts = [b'{"allocation_requests":[', b",".join(requests), b'],"provider_summaries":{', b",".join(summaries), b"}}"]
    return b"".join(parts)


T = TypeVar("T", Candidate, Provider)


def texts(things: Iterable[T], form: object, write: Callable[[T], str]) -> list[bytes]:
    """The text of each thing in this form, written anew only if the last one was in another."""
    found = []
    for thing in things:
        note = thing.note
        if note is None or note[0] != form:
            note = thing.note = form, write(thing).encode()
        found.append(note[1])
    return found


class Names(dict[str, str]):
    """Names as JSON strings, each quoted when it is met first."""

    def __missing__(self, name: str) -> str:
        quoted = self[name] = orjson.dumps(name).decode()
        return quoted


class Amounts:
    """``{"VCPU":1,…}`` of what is taken. Candidates of lone hosts share one such mapping, so the last text is kept."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.last: Mapping[str, int] = {}
        self.text = "{}"

    def of(self, amounts: Mapping[str, int]) -> str:
        if amounts is not self.last:
            self.last = amounts
            self.text = f"{{{','.join([f'{self.names[name]}:{amount}' for name, amount in amounts.items()])}}}"
        return self.text


# --- allocation requests --------------------------------------------------------------------------------------------
Template = Callable[[Candidate], str]


def _as_list(names: Names) -> Template:
    amounts = Amounts(names)

    def text(candidate: Candidate) -> str:
        taken = [
            f'{{"resource_provider":{{"uuid":"{provider.uuid}"}},"resources":{amounts.of(wanted)}}}'
            for provider, wanted in candidate.amounts.items()
        ]
        return f'{{"allocations":[{",".join(taken)}]}}'

    return text


def _by_provider(names: Names) -> Template:
    allocations = _allocations(names)
    return lambda candidate: f"{{{allocations(candidate)}}}"


def _with_mappings(names: Names) -> Template:
    allocations = _allocations(names)

    def text(candidate: Candidate) -> str:
        groups = [f"{names[suffix]}:[{_uuids(serving)}]" for suffix, serving in candidate.mappings.items()]
        return f'{{{allocations(candidate)},"mappings":{{{",".join(groups)}}}}}'

    return text


def _allocations(names: Names) -> Template:
    amounts = Amounts(names)

    def text(candidate: Candidate) -> str:
        taken = [
            f'"{provider.uuid}":{{"resources":{amounts.of(wanted)}}}' for provider, wanted in candidate.amounts.items()
        ]
        return f'"allocations":{{{",".join(taken)}}}'

    return text


def _uuids(providers: Iterable[Provider]) -> str:
    return ",".join([f'"{provider.uuid}"' for provider in providers])


ALLOCATION_REQUEST: Versioned[Callable[[Names], Template]] = Versioned(
    {
        features.CANDIDATES: _as_list,
        features.CLAIMS_BY_PROVIDER: _by_provider,
        features.GROUP_MAPPINGS: _with_mappings,
    }
)

# --- provider summaries ---------------------------------------------------------------------------------------------
SUMMARISED: Versioned[Callable[[Result], list[Provider]]] = Versioned(
    {features.CANDIDATES: Result.givers, features.NESTED_CANDIDATES: Result.members}
)


class SummaryForm(NamedTuple):
    """What a summary shows."""

    only: frozenset[str] | None
    """The classes that it is confined to, if it is."""
    traits: bool
    trees: bool

    @classmethod
    def of(cls, request: SearchRequest, version: Microversion) -> SummaryForm:
        return cls(
            only=None if version >= features.ALL_CLASSES_SUMMARISED else request.resource_classes(),
            traits=version >= features.CANDIDATE_TRAITS,
            trees=version >= features.NESTED_CANDIDATES,
        )


class Summary:
    """``"uuid":{…}`` of one provider after the other."""

    def __init__(self, form: SummaryForm) -> None:
        self.form = form
        self.names = Names()
        self.lists: dict[Sequence[str], str] = {}

    def of(self, provider: Provider) -> str:
        names, only = self.names, self.form.only
        resources = [
            f'{names[name]}:{{"capacity":{stock.shown_capacity},"used":{stock.used}}}'
            for name, stock in provider.stocks.items()
            if only is None or name in only
        ]
        traits = f',"traits":{self._traits(provider.listed_traits)}' if self.form.traits else ""
        tree = self._tree(provider) if self.form.trees else ""
        return f'"{provider.uuid}":{{"resources":{{{",".join(resources)}}}{traits}{tree}}}'

    def _traits(self, traits: Sequence[str]) -> str:
        """Hosts of a kind have the same, so each list is written once."""
        text = self.lists.get(traits)
        if text is None:
            text = self.lists[traits] = orjson.dumps(traits).decode()
        return text

    def _tree(self, provider: Provider) -> str:
        parent = "null" if provider.parent_uuid is None else f'"{provider.parent_uuid}"'
        return f',"parent_provider_uuid":{parent},"root_provider_uuid":"{provider.root_uuid}"'
