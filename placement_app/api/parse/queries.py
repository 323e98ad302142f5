"""The grammar of ``resources``, ``required`` and ``member_of``, which the lists of providers and of candidates share.

Each function takes the values of a parameter as they came and returns plain names and numbers, or refuses with a 400.
Whether classes and traits exist is not judged here.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from claimsite.foundation.openstack.microversion import Microversion
from claimsite.foundation.uuids import canonical_uuid
from placement_app.api import features
from placement_app.api.errors import Refusal

ANY_OF = "in:"
NOT = "!"

_INTEGER = re.compile(r"\s*[+-]?[0-9]{1,40}\s*", re.ASCII).fullmatch


@dataclass(frozen=True, slots=True)
class Grammar:
    """What the query strings of one version may say."""

    forbidden_traits: bool
    any_traits: bool
    """``in:`` in ``required``, and ``required`` given more than once."""
    repeated_member_of: bool
    forbidden_member_of: bool
    suffixed_groups: bool
    resourceless_groups: bool
    whole_trees: bool
    """A candidate may take from several providers of one tree."""

    @staticmethod
    @functools.cache
    def of(version: Microversion) -> Grammar:
        return Grammar(
            forbidden_traits=version >= features.FORBIDDEN_TRAITS,
            any_traits=version >= features.ANY_TRAITS,
            repeated_member_of=version >= features.REPEATED_MEMBER_OF,
            forbidden_member_of=version >= features.FORBIDDEN_MEMBER_OF,
            suffixed_groups=version >= features.GRANULAR_GROUPS,
            resourceless_groups=version >= features.SAME_SUBTREE,
            whole_trees=version >= features.NESTED_CANDIDATES,
        )


@dataclass(frozen=True, slots=True)
class Terms:
    """Names that must be there and names that must not.

    Every set of ``all_of`` counts on its own, and any one of its names will do: ``A,in:B,C`` is ``({A}, {B, C})``.
    """

    all_of: tuple[frozenset[str], ...] = ()
    none_of: frozenset[str] = frozenset()

    def contradictions(self) -> frozenset[str]:
        """The names of those alternatives of which none is left, since all of them are forbidden too."""
        return frozenset().union(*(any_of for any_of in self.all_of if any_of <= self.none_of))


# --- resources ------------------------------------------------------------------------------------------------------
def resources(text: str) -> dict[str, int]:
    """``VCPU:2,MEMORY_MB:1024`` → amounts by class. A class that is named twice counts as last named."""
    if not text:
        _refuse_resources("empty string")
    return dict(_amount(item) for item in text.split(","))


def _amount(item: str) -> tuple[str, int]:
    resource_class, _, text = item.partition(":")
    if item.count(":") != 1:
        _refuse_resources(item)
    if not _INTEGER(text):
        raise Refusal(400, f"Requested resource {resource_class} expected positive integer amount. Got: {text}.")
    amount = int(text)
    if amount < 1:
        raise Refusal(400, f"Requested resource {resource_class} requires amount >= 1. Got: {amount}.")
    return resource_class, amount


def _refuse_resources(got: str) -> NoReturn:
    raise Refusal(
        400,
        "Badly formed resources parameter. Expected resources query string parameter in form: "
        f"?resources=VCPU:2,MEMORY_MB:1024. Got: {got}.",
    )


# --- required -------------------------------------------------------------------------------------------------------
def required(values: Sequence[str], grammar: Grammar) -> Terms:
    """Traits wanted and forbidden. Where repetition has no meaning yet, the last value counts."""
    all_of: list[frozenset[str]] = []
    none_of: set[str] = set()
    for value in values if grammar.any_traits else values[-1:]:
        if value.startswith(ANY_OF):
            all_of.append(_any_of(value, grammar))
            continue
        for trait in _traits(value, value, grammar):
            if trait.startswith(NOT):
                none_of.add(trait.lstrip(NOT))
            else:
                all_of.append(frozenset([trait]))
    return Terms(tuple(all_of), frozenset(none_of))


def root_required(value: str, grammar: Grammar) -> Terms:
    """Traits that the root itself must and must not have; there is no ``in:`` here at any version."""
    if value.startswith(ANY_OF):
        _refuse_query(f"The format '{ANY_OF}HW_CPU_X86_VMX,CUSTOM_MAGIC' is not supported in 'root_required'", value)
    return required([value], grammar)


def _any_of(value: str, grammar: Grammar) -> frozenset[str]:
    form = f"The format '{ANY_OF}HW_CPU_X86_VMX,CUSTOM_MAGIC'"
    if not grammar.any_traits:
        _refuse_query(f"{form} only supported since microversion {features.ANY_TRAITS}.", value)
    if NOT in value:
        _refuse_query(f"{form} does not support forbidden traits.", value)
    return frozenset(_traits(value.removeprefix(ANY_OF), value, grammar))


def _traits(names: str, value: str, grammar: Grammar) -> Iterator[str]:
    example = f"HW_CPU_X86_VMX,{NOT if grammar.forbidden_traits else ''}CUSTOM_MAGIC"
    form = f"Expected 'required' parameter value of the form: {example}."
    for name in names.split(","):
        trait = name.strip()
        if not trait.lstrip(NOT):
            _refuse_query(form, value, got="Got an empty trait in")
        if trait.startswith(NOT) and not grammar.forbidden_traits:
            _refuse_query(form, value)
        yield trait


# --- member_of ------------------------------------------------------------------------------------------------------
def member_of(values: Sequence[str], grammar: Grammar, suffix: str = "") -> Terms:
    """Aggregates, by canonical uuid, to be in and not to be in."""
    if len(values) > 1 and not grammar.repeated_member_of:
        raise Refusal(400, f"Multiple member_of{suffix} parameters are not supported")
    all_of: list[frozenset[str]] = []
    none_of: set[str] = set()
    for value in values:
        is_forbidden = value.startswith(NOT)
        aggregates = _aggregates(value.removeprefix(NOT), value)
        if not is_forbidden:
            all_of.append(aggregates)
        elif grammar.forbidden_member_of:
            none_of |= aggregates
        else:
            raise Refusal(400, "Forbidden member_of parameters are not supported in the specified microversion")
    return Terms(tuple(all_of), frozenset(none_of))


def _aggregates(uuids: str, value: str) -> frozenset[str]:
    several = uuids.removeprefix(ANY_OF).split(",")
    if len(several) > 1 and not uuids.startswith(ANY_OF):
        raise Refusal(
            400,
            "Multiple values for 'member_of' must be prefixed with the 'in:' or '!in:' keyword using the valid "
            f"microversion. Got: {value}",
        )
    return frozenset(_uuid(text, "Expected 'member_of' parameter to contain valid UUID(s).") for text in several)


# --- in_tree --------------------------------------------------------------------------------------------------------
def in_tree(value: str) -> str:
    """Any provider of the tree, by canonical uuid."""
    return _uuid(value, "Expected 'in_tree' parameter to be a format of uuid.")


def _uuid(text: str, expectation: str) -> str:
    canonical = canonical_uuid(text)
    if canonical is None:
        _refuse_query(expectation, text)
    return canonical


def _refuse_query(text: str, value: str, got: str = "Got") -> NoReturn:
    raise Refusal(400, f"Invalid query string parameters: {text} {got}: {value}")
