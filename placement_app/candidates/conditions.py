"""What one provider must be like to serve a group, apart from the room it has: a small predicate for each condition.

The search asks whether all of them hold; the explanation asks each in turn. So both speak of the same rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from placement_app.candidates.request import Alternatives, RequestGroup, SearchRequest
from placement_app.candidates.snapshot import Provider

Test = Callable[[Provider, Provider], bool]
"""Whether a provider will do, when it serves a candidate of the root given second."""


class Condition(NamedTuple):
    name: str
    """The parameter that states it."""
    wants: str
    """What is asked for, in the words of that parameter."""
    holds: Test


def of_group(group: RequestGroup) -> tuple[Condition, ...]:
    """The conditions that a group states; what it doesn't state costs nothing.

    The required traits of the unsuffixed group are not among them: the providers that serve it have those together.
    """
    return tuple(_of_group(group))


def of_root(request: SearchRequest) -> tuple[Condition, ...]:
    """The conditions on the root itself. Both providers handed to the test are the root."""
    return tuple(_traits("root_required", tuple(map(_only, request.root_required)), request.root_forbidden))


def _of_group(group: RequestGroup) -> Iterator[Condition]:
    yield from _traits("required", group.required if group.is_suffixed else (), group.forbidden)
    # An aggregate of the root spans its tree, but only for the group that may use the whole tree.
    if group.member_of:
        wanted = group.member_of
        test = _is_member(wanted) if group.is_suffixed else _is_or_has_root_that_is_member(wanted)
        yield Condition("member_of", in_words(wanted), test)
    if group.not_member_of:
        unwanted = group.not_member_of
        test = _is_no_member(unwanted) if group.is_suffixed else _neither_is_nor_has_anchor_that_is_member(unwanted)
        yield Condition("member_of", f"!in:{','.join(sorted(unwanted))}", test)
    if group.in_tree is not None:
        yield Condition("in_tree", group.in_tree, _is_in_tree(group.in_tree))


def _traits(name: str, required: Alternatives, forbidden: frozenset[str]) -> Iterator[Condition]:
    if required:
        yield Condition(name, in_words(required), _has_traits(required))
    if forbidden:
        yield Condition(name, ",".join(f"!{trait}" for trait in sorted(forbidden)), _has_none_of(forbidden))


def meets(names: frozenset[str], alternatives: Alternatives) -> bool:
    """Whether ``names`` has one of each set of alternatives."""
    return all(not any_of.isdisjoint(names) for any_of in alternatives)


def _has_traits(required: Alternatives) -> Test:
    return lambda provider, root: meets(provider.traits, required)


def _has_none_of(forbidden: frozenset[str]) -> Test:
    return lambda provider, root: forbidden.isdisjoint(provider.traits)


def _is_member(wanted: Alternatives) -> Test:
    return lambda provider, root: meets(provider.aggregates, wanted)


def _is_or_has_root_that_is_member(wanted: Alternatives) -> Test:
    # A sharing provider of another tree gets nothing from being used by this root: it must be a member itself.
    return lambda provider, root: (
        meets(provider.aggregates, wanted) or (provider.root_uuid == root.uuid and meets(root.aggregates, wanted))
    )


def _is_no_member(unwanted: frozenset[str]) -> Test:
    return lambda provider, root: unwanted.isdisjoint(provider.aggregates)


def _neither_is_nor_has_anchor_that_is_member(unwanted: frozenset[str]) -> Test:
    return lambda provider, root: unwanted.isdisjoint(provider.aggregates) and unwanted.isdisjoint(root.aggregates)


def _is_in_tree(root_uuid: str) -> Test:
    return lambda provider, root: provider.root_uuid == root_uuid


def _only(name: str) -> frozenset[str]:
    return frozenset([name])


def in_words(alternatives: Alternatives) -> str:
    """As a query would say it: ``A&in:B,C``."""
    return "&".join(
        next(iter(any_of)) if len(any_of) == 1 else f"in:{','.join(sorted(any_of))}" for any_of in alternatives
    )
