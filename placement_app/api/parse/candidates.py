"""The query of GET /allocation_candidates → SearchRequest, and every reason to refuse it, in the documented order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from claimsite.foundation.openstack.bodies import InvalidQuery
from placement_app.api.errors import Refusal
from placement_app.api.parse import queries
from placement_app.api.parse.queries import Grammar, Terms
from placement_app.candidates.request import UNSUFFIXED, RequestGroup, SearchRequest
from placement_app.errors import codes

Query = Mapping[str, list[str]]

_OF_A_GROUP = re.compile(r"(resources|required|member_of|in_tree)([a-zA-Z0-9_-]{0,64})").fullmatch
_LIMIT = re.compile("[1-9][0-9]*", re.ASCII).fullmatch
_POLICY = re.compile("none|isolate").fullmatch
_MOST_DIGITS = 9


def limit(query: Query) -> int | None:
    """How many candidates are wanted; None for all there are, which no number of ten digits is short of."""
    text = _first(query, "limit", _LIMIT)
    return int(text) if text is not None and len(text) <= _MOST_DIGITS else None


def search_request(query: Query, grammar: Grammar) -> SearchRequest:
    """The whole request, from a query that fits the schema of its version. Raises Refusal.

    Of `limit` and `group_policy` the first value counts, of other parameters with one value only the last.
    """
    policy = _first(query, "group_policy", _POLICY)
    root = _root_required(query, grammar)
    subtrees = _same_subtree(query)
    groups = _groups(query, grammar)
    if grammar.resourceless_groups:
        _refuse_loose_groups(groups, subtrees)
    else:
        _refuse_groups_without_resources(groups)
    _refuse_contradictions(groups)
    if policy is None and sum(group.is_suffixed for group in groups) > 1:
        raise Refusal(
            400, 'The "group_policy" parameter is required when specifying more than one "resources{N}" parameter.'
        )
    return SearchRequest(
        groups=tuple(groups),
        isolate=policy == "isolate",
        root_required=frozenset().union(*root.all_of),
        root_forbidden=root.none_of,
        same_subtree=subtrees,
        nested=grammar.whole_trees,
    )


def _first(query: Query, key: str, form: Callable[[str], object]) -> str | None:
    """The first value of a parameter. The schema has judged the last one only."""
    values = query.get(key, [])
    for value in values:
        if not form(value):
            raise InvalidQuery(f"Invalid query string parameters: {value!r} is no value for {key}")
    return values[0] if values else None


# --- the request as a whole -----------------------------------------------------------------------------------------
def _root_required(query: Query, grammar: Grammar) -> Terms:
    values = query.get("root_required")
    if values is None:
        return Terms()
    if len(values) > 1:
        raise Refusal(
            400, "Query parameter 'root_required' may be specified only once.", code=codes.QUERY_DUPLICATE_KEY
        )
    terms = queries.root_required(values[0], grammar)
    if contradictions := terms.contradictions():
        raise Refusal(
            400,
            f"Conflicting required and forbidden traits found in root_required: {_listed(contradictions)}",
            code=codes.QUERY_BAD_VALUE,
        )
    return terms


def _same_subtree(query: Query) -> tuple[frozenset[str], ...]:
    subtrees = [[suffix.strip() for suffix in value.split(",")] for value in query.get("same_subtree", [])]
    if any(UNSUFFIXED in suffixes for suffixes in subtrees):
        raise Refusal(
            400,
            "Empty string (unsuffixed group) can not be specified in `same_subtree`",
            code=codes.QUERY_BAD_VALUE,
        )
    return tuple(map(frozenset, subtrees))


# --- groups ---------------------------------------------------------------------------------------------------------
def _groups(query: Query, grammar: Grammar) -> list[RequestGroup]:
    """The groups in the order in which the query first names them."""
    given: dict[str, dict[str, list[str]]] = {}
    for key, values in query.items():
        if match := _OF_A_GROUP(key):
            parameter, suffix = match.groups()
            given.setdefault(suffix, {})[parameter] = values
    # All amounts first, then all traits and so on: which fault is named doesn't depend on the order of the groups.
    resources = {suffix: queries.resources(p["resources"][-1]) for suffix, p in given.items() if "resources" in p}
    traits = {suffix: queries.required(p["required"], grammar) for suffix, p in given.items() if "required" in p}
    aggregates = {
        suffix: queries.member_of(p["member_of"], grammar, suffix) for suffix, p in given.items() if "member_of" in p
    }
    trees = {suffix: queries.in_tree(p["in_tree"][-1]) for suffix, p in given.items() if "in_tree" in p}
    nothing = Terms()
    return [
        RequestGroup(
            suffix=suffix,
            resources=resources.get(suffix, {}),
            required=traits.get(suffix, nothing).all_of,
            forbidden=traits.get(suffix, nothing).none_of,
            member_of=aggregates.get(suffix, nothing).all_of,
            not_member_of=aggregates.get(suffix, nothing).none_of,
            in_tree=trees.get(suffix),
        )
        for suffix in given
    ]


def _refuse_loose_groups(groups: list[RequestGroup], subtrees: Iterable[frozenset[str]]) -> None:
    """A group without resources means something only in relation to others."""
    if not any(group.resources for group in groups):
        raise Refusal(
            400,
            "There must be at least one resources or resources[$S] parameter.",
            code=codes.QUERY_MISSING_VALUE,
        )
    tied = frozenset().union(*subtrees)
    loose = [group.suffix for group in groups if not group.resources and group.suffix not in tied]
    if loose:
        raise Refusal(
            400,
            "Resourceless suffixed group request should be specified in `same_subtree` query param: "
            f"bad group(s) - {loose}.",
            code=codes.QUERY_BAD_VALUE,
        )
    suffixes = [group.suffix for group in groups if group.is_suffixed]
    unknown = sorted(tied.difference(suffixes))
    if unknown:
        raise Refusal(
            400,
            f"Real suffixes should be specified in `same_subtree`: {unknown} not found in {sorted(suffixes)}.",
            code=codes.QUERY_BAD_VALUE,
        )


def _refuse_groups_without_resources(groups: list[RequestGroup]) -> None:
    without = [group for group in groups if not group.resources]
    if orphans := [f"required{group.suffix}" for group in without if group.required]:
        raise Refusal(
            400,
            "All traits parameters must be associated with resources. "
            f"Found the following orphaned traits keys: {', '.join(orphans)}",
        )
    if orphans := [f"member_of{group.suffix}" for group in without if group.member_of or group.not_member_of]:
        raise Refusal(
            400,
            "All member_of parameters must be associated with resources. "
            f"Found the following orphaned member_of keys: {', '.join(orphans)}",
        )
    if without:
        raise Refusal(400, "All request groups must specify resources.")
    if not groups:
        raise Refusal(400, "At least one request group (`resources` or `resources{$S}`) is required.")


def _refuse_contradictions(groups: list[RequestGroup]) -> None:
    found = ", ".join(_contradictions(groups))
    if found:
        raise Refusal(400, f"Conflicting required and forbidden traits found in the following traits keys: {found}")


def _contradictions(groups: list[RequestGroup]) -> Iterator[str]:
    for group in groups:
        if traits := Terms(group.required, group.forbidden).contradictions():
            yield f"required{group.suffix}: ({_listed(traits)})"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
