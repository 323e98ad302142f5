"""What a caller may ask of a search: plain values, no version and no HTTP."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field

UNSUFFIXED = ""

Alternatives = tuple[frozenset[str], ...]
"""Conditions that must all hold; each holds when any one of its names does."""


@dataclass(frozen=True, slots=True)
class RequestGroup:
    """One group of a request: what it takes, and of which kind of provider.

    The unsuffixed group may spread its resource classes over several providers; a suffixed one is served by one
    provider. A suffixed group without resources only names a provider that must be there.
    """

    suffix: str = UNSUFFIXED
    resources: Mapping[str, int] = field(default_factory=dict)
    required: Alternatives = ()
    forbidden: frozenset[str] = frozenset()
    member_of: Alternatives = ()
    not_member_of: frozenset[str] = frozenset()
    in_tree: str | None = None
    """Uuid of any provider of the tree; `SearchRequest.in_trees_by_root` replaces it with that of the tree's root."""

    @property
    def is_suffixed(self) -> bool:
        return self.suffix != UNSUFFIXED


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A whole search.

    `nested=False` is the view of clients that know no trees: a candidate then takes from one provider of a tree only.
    """

    groups: tuple[RequestGroup, ...]
    isolate: bool = False
    root_required: frozenset[str] = frozenset()
    root_forbidden: frozenset[str] = frozenset()
    same_subtree: tuple[frozenset[str], ...] = ()
    nested: bool = True

    @property
    def unsuffixed(self) -> RequestGroup | None:
        return next((group for group in self.groups if not group.is_suffixed), None)

    @property
    def suffixed(self) -> tuple[RequestGroup, ...]:
        return tuple(group for group in self.groups if group.is_suffixed)

    def named_providers(self) -> frozenset[str]:
        """The providers whose trees are asked for."""
        return frozenset(group.in_tree for group in self.groups if group.in_tree is not None)

    def in_trees_by_root(self, roots: Mapping[str, str]) -> SearchRequest:
        """The request with each `in_tree` naming a root. ``roots`` has the root of every provider that was named.

        A tree that is not known stays as it is: nobody is in it.
        """
        if not self.named_providers():
            return self
        groups = (
            dataclasses.replace(group, in_tree=roots.get(group.in_tree, group.in_tree)) if group.in_tree else group
            for group in self.groups
        )
        return dataclasses.replace(self, groups=tuple(groups))

    def key(self) -> Hashable:
        """Equal for two requests that ask for the same, in the same order."""
        fields = dataclasses.fields(RequestGroup)
        return tuple(
            tuple(
                tuple(value.items()) if isinstance(value := getattr(group, field.name), Mapping) else value
                for field in fields
            )
            for group in self.groups
        ), (self.isolate, self.root_required, self.root_forbidden, self.same_subtree, self.nested)

    def resource_classes(self) -> frozenset[str]:
        """Every resource class that some group asks for."""
        return frozenset(resource_class for group in self.groups for resource_class in group.resources)

    def traits(self) -> frozenset[str]:
        """Every trait named anywhere in the request, wanted or not."""
        return frozenset(self._traits())

    def _traits(self) -> Iterator[str]:
        yield from self.root_required
        yield from self.root_forbidden
        for group in self.groups:
            yield from group.forbidden
            for alternatives in group.required:
                yield from alternatives

    def aggregates(self) -> frozenset[str]:
        """Every aggregate named anywhere in the request, wanted or not."""
        wanted = {name for group in self.groups for alternatives in group.member_of for name in alternatives}
        return frozenset(wanted.union(*(group.not_member_of for group in self.groups)))
