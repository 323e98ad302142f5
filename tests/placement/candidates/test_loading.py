"""What is read from the database: no more trees than a search needs, and those whole."""

import pytest

from placement_app.candidates import loading
from placement_app.candidates.limits import Bounds
from placement_app.candidates.loading import Loader
from placement_app.candidates.remembered import Memory
from placement_app.candidates.search import find
from placement_app.candidates.snapshot import SHARING, Snapshot, Stock
from tests.placement.candidates.clouds import Cloud

FAST = "HW_CPU_X86_AVX2"


def read(cloud: Cloud, query: str, limit: int | None = None) -> list[Snapshot]:
    return list(Loader(cloud.ask(query), Bounds(limit=limit), Memory(0)).snapshots())


def roots(snapshots: list[Snapshot]) -> list[str]:
    return [tree.root.name for snapshot in snapshots for tree in snapshot.trees]


@pytest.mark.django_db
class TestFlatCloud:
    @pytest.fixture
    def cloud(self) -> Cloud:
        cloud = Cloud()
        for number in range(60):
            cloud.add(
                f"host{number}",
                VCPU=Stock(8, used=number % 8),
                traits=[FAST] if number % 2 else [],
                aggregates=["X"] if number >= 50 else [],
            )
        cloud.store()
        return cloud

    def test_is_read_as_far_as_the_limit_goes(self, cloud):
        first = next(iter(read(cloud, "resources=VCPU:1", limit=10)))

        assert roots([first]) == [f"host{number}" for number in range(10)]

    def test_is_judged_by_the_database(self, cloud):
        snapshots = read(cloud, f"resources=VCPU:5&resources_A=VCPU:2&required_A={FAST}&member_of=X")

        assert roots(snapshots) == ["host57"]
        assert all(snapshot.is_flat for snapshot in snapshots)

    def test_is_not_read_at_all_for_groups_that_must_be_apart(self, cloud):
        assert read(cloud, "resources_A=VCPU:1&resources_B=VCPU:1&group_policy=isolate") == []

    def test_is_read_in_several_chunks_that_join_without_a_gap(self, cloud, monkeypatch):
        monkeypatch.setattr(loading, "LARGEST_CHUNK", 7)

        snapshots = read(cloud, "resources=VCPU:1")

        assert len(snapshots) > 5
        assert roots(snapshots) == [f"host{number}" for number in range(60)]


@pytest.mark.django_db
class TestTrees:
    @pytest.fixture
    def cloud(self) -> Cloud:
        cloud = Cloud()
        for number in range(40):
            cloud.add(f"host{number}", VCPU=8)
            cloud.add(f"numa{number}", f"host{number}", MEMORY_MB=64)
            cloud.add(
                f"pf{number}",
                f"numa{number}",
                SRIOV_NET_VF=Stock(2, used=2 if number < 5 else 0),
                traits=[FAST] if number in (3, 30) else [],
            )
        cloud.store()
        return cloud

    def test_are_read_a_few_at_first(self, cloud):
        first, *_ = read(cloud, "resources=VCPU:1", limit=1)

        assert len(first.trees) == loading.FIRST_CHUNK

    def test_are_read_whole(self, cloud):
        (snapshot,) = read(cloud, "resources=VCPU:1,SRIOV_NET_VF:1&in_tree=pf7&resources_M=MEMORY_MB:1")

        (tree,) = snapshot.trees
        assert [member.name for member in tree.members] == ["host7", "numa7", "pf7"]

    def test_are_left_out_where_nobody_has_room(self, cloud):
        assert roots(read(cloud, "resources=VCPU:1,SRIOV_NET_VF:1")) == [f"host{number}" for number in range(5, 40)]

    def test_are_left_out_where_nobody_has_the_trait(self, cloud):
        assert roots(read(cloud, f"resources_V=SRIOV_NET_VF:1&required_V={FAST}")) == ["host30"]
        assert roots(read(cloud, f"resources=VCPU:1,SRIOV_NET_VF:1&required={FAST}")) == ["host30"]


@pytest.mark.django_db
class TestSharing:
    @pytest.fixture
    def cloud(self) -> Cloud:
        cloud = Cloud()
        cloud.add("pool")
        cloud.add("storage", "pool", DISK_GB=100, traits=[SHARING, "CUSTOM_SSD"], aggregates=["X"])
        cloud.add("member", VCPU=8, aggregates=["X"])
        cloud.add("stranger", VCPU=8)
        cloud.add("own-disk", VCPU=8, DISK_GB=10)
        cloud.store()
        return cloud

    def test_brings_in_the_roots_that_it_serves(self, cloud):
        assert roots(read(cloud, "resources=VCPU:1,DISK_GB:10")) == ["member", "own-disk"]

    def test_counts_the_traits_of_what_is_shared(self, cloud):
        assert roots(read(cloud, "resources=VCPU:1,DISK_GB:10&required=CUSTOM_SSD")) == ["member", "own-disk"]

    def test_summarises_the_tree_of_what_is_shared(self, cloud):
        result = find(cloud.ask("resources=VCPU:1,DISK_GB:20"), Bounds())

        assert [provider.name for provider in result.members()] == ["pool", "storage", "member"]
