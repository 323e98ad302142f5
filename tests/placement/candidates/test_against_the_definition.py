"""Random clouds and random requests: the search finds what the definition says, no more, no less, and each once."""

import random
from collections import Counter

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placement_app.candidates import loading
from placement_app.candidates.groups import Plan
from placement_app.candidates.limits import Bounds
from placement_app.candidates.remembered import Memory
from placement_app.candidates.request import RequestGroup, SearchRequest
from placement_app.candidates.result import Candidate
from placement_app.candidates.search import find, search
from placement_app.candidates.snapshot import SHARING, Stock
from placement_app.models import ResourceClass, Trait
from tests.placement.candidates import oracle
from tests.placement.candidates.clouds import Cloud, uuid_of

CLASSES = ["VCPU", "MEMORY_MB", "CUSTOM_VF"]
TRAITS = ["CUSTOM_T1", "CUSTOM_T2", "CUSTOM_T3"]
AGGREGATES = ["X", "Y", "Z"]

stocks = st.builds(
    Stock,
    total=st.sampled_from([4, 3, 2, 8]),
    reserved=st.sampled_from([0] * 6 + [1, 2]),
    min_unit=st.sampled_from([1] * 6 + [2]),
    max_unit=st.sampled_from([2147483647] * 4 + [3, 2, 1]),
    step_size=st.sampled_from([1] * 6 + [2]),
    allocation_ratio=st.sampled_from([1.0] * 5 + [1.5, 0.0]),
    used=st.sampled_from([0] * 4 + [1, 2]),
)
some_traits = st.frozensets(st.sampled_from(TRAITS), max_size=3)
some_aggregates = st.frozensets(st.sampled_from(AGGREGATES), max_size=3)
mostly = st.sampled_from([True] * 4 + [False])
rarely = st.sampled_from([False] * 7 + [True])
alternatives = st.lists(st.frozensets(st.sampled_from(TRAITS), min_size=1, max_size=2), max_size=2).map(tuple)
memberships = st.lists(
    st.frozensets(st.sampled_from([uuid_of(name) for name in AGGREGATES]), min_size=1, max_size=2), max_size=2
).map(tuple)


@st.composite
def clouds(draw) -> Cloud:
    cloud = Cloud()
    for number in range(draw(st.integers(2, 6))):
        cloud.add(
            f"p{number}",
            draw(st.sampled_from([*cloud.providers, *cloud.providers, None])),
            traits=draw(some_traits) | ({SHARING} if draw(rarely) else set()),
            aggregates=draw(some_aggregates),
            **{name: draw(stocks) for name in CLASSES if draw(mostly)},
        )
    return cloud


@st.composite
def groups(draw, suffix: str, roots: list[str], *, may_be_resourceless: bool) -> RequestGroup:
    has_resources = not may_be_resourceless or draw(mostly)
    amounts = st.dictionaries(st.sampled_from(CLASSES), st.sampled_from([1, 1, 2, 3]), min_size=1, max_size=2)
    return RequestGroup(
        suffix=suffix,
        resources=draw(amounts) if has_resources else {},
        required=draw(alternatives) if draw(rarely) else (),
        forbidden=draw(some_traits) if draw(rarely) else frozenset(),
        member_of=draw(memberships) if draw(rarely) else (),
        not_member_of=frozenset(map(uuid_of, draw(some_aggregates))) if draw(rarely) else frozenset(),
        in_tree=draw(st.sampled_from(roots)) if draw(rarely) else None,
    )


@st.composite
def requests(draw, cloud: Cloud) -> SearchRequest:
    roots = sorted({provider.root_uuid for provider in cloud.members()})
    suffixes = [f"_{number}" for number in range(draw(st.integers(0, 3)))]
    has_unsuffixed = not suffixes or draw(st.booleans())
    wanted = [draw(groups("", roots, may_be_resourceless=False))] if has_unsuffixed else []
    wanted += [draw(groups(suffix, roots, may_be_resourceless=True)) for suffix in suffixes]
    subtrees = st.frozensets(st.sampled_from(suffixes), min_size=min(2, len(suffixes))) if suffixes else st.nothing()
    return SearchRequest(
        groups=tuple(wanted),
        isolate=draw(st.booleans()),
        root_required=frozenset(TRAITS[:1] if draw(rarely) else []),
        root_forbidden=frozenset(TRAITS[1:2] if draw(rarely) else []),
        same_subtree=tuple(draw(st.lists(subtrees, max_size=2))) if suffixes and draw(st.booleans()) else (),
        nested=draw(mostly),
    )


@st.composite
def cases(draw) -> tuple[Cloud, SearchRequest]:
    cloud = draw(clouds())
    return cloud, draw(requests(cloud))


def as_answer(candidate: Candidate) -> oracle.Answer:
    return (
        frozenset(
            (provider.uuid, name, amount)
            for provider, amounts in candidate.amounts.items()
            for name, amount in amounts.items()
        ),
        frozenset(
            (suffix, frozenset(provider.uuid for provider in serving)) for suffix, serving in candidate.mappings.items()
        ),
    )


# Clouds of six providers keep the naive enumeration at some thousand combinations.
thorough = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
in_the_database = settings(
    thorough, max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)


class TestSearch:
    @thorough
    @given(cases())
    def test_finds_what_the_definition_says_each_once(self, case):
        cloud, request = case

        result = search(Plan.of(request), [cloud.snapshot()], Bounds(), Memory(0))

        assert Counter(map(as_answer, result.candidates)) == Counter(oracle.candidates(request, cloud.members()))
        assert result.is_complete

    @in_the_database
    @given(cases(), st.sampled_from([None, 1, 3]))
    def test_finds_the_same_in_the_database(self, db, monkeypatch, case, limit):
        cloud, request = case
        monkeypatch.setattr(loading, "FIRST_CHUNK", 1)
        monkeypatch.setattr(loading, "LARGEST_CHUNK", 2)
        cloud.words = {ResourceClass: CLASSES, Trait: TRAITS}
        cloud.store()

        result = find(request, Bounds(limit=limit))

        expected = Counter(oracle.candidates(request, cloud.members()))
        found = Counter(map(as_answer, result.candidates))
        assert found.total() == min(expected.total(), limit or expected.total())
        assert found <= expected

    @thorough
    @given(cases(), st.integers(1, 5), st.booleans(), st.booleans())
    def test_gives_as_many_as_asked_for_and_only_true_ones(self, case, limit, breadth_first, is_sample):
        cloud, request = case
        bounds = Bounds(limit=limit, breadth_first=breadth_first, sample=random.Random(1) if is_sample else None)

        result = search(Plan.of(request), [cloud.snapshot()], bounds, Memory(0))

        expected = Counter(oracle.candidates(request, cloud.members()))
        found = Counter(map(as_answer, result.candidates))
        assert found.total() == min(limit, expected.total())
        assert found <= expected

    @thorough
    @given(cases())
    def test_summarises_the_trees_of_those_that_give(self, case):
        cloud, request = case

        result = search(Plan.of(request), [cloud.snapshot()], Bounds(), Memory(0))

        giving = {provider.root_uuid for candidate in result.candidates for provider in candidate.amounts}
        expected = [provider for provider in cloud.members() if provider.root_uuid in giving]
        assert result.members() == expected
