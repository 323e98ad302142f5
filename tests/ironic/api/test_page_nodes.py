"""Pages of GET /v1/nodes: complete, in a stable order, and with links that keep every condition."""

from urllib.parse import parse_qs, urlsplit

import pytest

from claimsite.foundation.uuids import new_uuid
from tests.ironic.builders import make_node


def walk(client, url, *, most_pages=30):
    """The nodes of every page, each page a list."""
    pages = []
    while url is not None:
        response = client.get(url)
        assert response.status_code == 200, response.content
        pages.append(response.json()["nodes"])
        url = response.json().get("next")
        assert len(pages) < most_pages
    return pages


def names(pages):
    return [node["name"] for page in pages for node in page]


class TestPages:
    def test_come_in_the_order_in_which_the_nodes_were_made(self, baremetal):
        made = [make_node(name=f"node-{number}").name for number in range(7)]

        pages = walk(baremetal, "/v1/nodes?limit=3")

        assert names(pages) == made
        assert [len(page) for page in pages] == [3, 3, 1]

    def test_lead_nowhere_after_the_last_one_even_if_that_is_full(self, baremetal):
        for _ in range(4):
            make_node()

        assert [len(page) for page in walk(baremetal, "/v1/nodes?limit=2")] == [2, 2]

    def test_need_no_uuid_in_the_answer(self, baremetal):
        """Story 2003192: with a list of fields that lacks it there was no marker."""
        made = [make_node(name=f"node-{number}").name for number in range(5)]

        pages = walk(baremetal, "/v1/nodes?limit=2&fields=name")

        assert names(pages) == made
        assert all(node.keys() == {"name", "links"} for page in pages for node in page)

    @pytest.mark.parametrize("path", ["/v1/nodes", "/v1/nodes/detail"])
    def test_keep_every_condition(self, baremetal, path):
        for number in range(12):
            make_node(
                name=f"node-{number}",
                owner=("p1", "p2")[number % 2],
                resource_class="bm & large",
                maintenance=True,
                shard="s1",
            )
        query = (
            "owner=p1&resource_class=bm+%26+large&maintenance=True&associated=False&shard=s1,s2&sort_key=name&limit=2"
        )

        pages = walk(baremetal, f"{path}?{query}")

        assert names(pages) == [f"node-{number}" for number in (0, 10, 2, 4, 6, 8)]

    def test_name_the_next_one_by_its_whole_address(self, baremetal):
        first = make_node(name="node-1")
        make_node(name="node-2")

        link = urlsplit(baremetal.get("/v1/nodes?limit=1&fields=name,uuid&sort_dir=asc").json()["next"])

        assert (link.scheme, link.netloc, link.path) == ("http", "testserver", "/baremetal/v1/nodes")
        assert parse_qs(link.query) == {
            "limit": ["1"],
            "marker": [first.uuid],
            "fields": ["name,uuid"],
            "sort_dir": ["asc"],
        }

    def test_are_never_longer_than_the_service_allows(self, baremetal, settings):
        """Otherwise the link to the rest pointed nowhere, or whoever asked took the first page for the whole."""
        settings.BAREMETAL_PAGE_LIMIT = 4
        made = [make_node(name=f"node-{number}").name for number in range(9)]

        assert names(walk(baremetal, "/v1/nodes?limit=100")) == made
        assert names(walk(baremetal, "/v1/nodes")) == made

    @pytest.mark.parametrize("limit", ["0", "-1", "abc", "1.5", "", "%C2%B2"])
    def test_of_a_length_that_cannot_be_are_refused(self, baremetal, limit):
        assert baremetal.get(f"/v1/nodes?limit={limit}").status_code == 400

    def test_behind_an_unknown_marker_are_not_found(self, baremetal):
        assert baremetal.get(f"/v1/nodes?marker={new_uuid()}").status_code == 404

    def test_behind_what_is_no_uuid_are_refused(self, baremetal):
        assert baremetal.get("/v1/nodes?marker=node-1").status_code == 400

    def test_go_on_behind_a_node_that_no_longer_fits(self, baremetal):
        nodes = [make_node(name=f"node-{number}", owner="p1") for number in range(4)]
        link = baremetal.get("/v1/nodes?owner=p1&limit=2").json()["next"]
        nodes[1].owner = "p2"
        nodes[1].save()

        assert names(walk(baremetal, link)) == ["node-2", "node-3"]


class TestOrder:
    @pytest.mark.parametrize("direction", ["asc", "desc"])
    @pytest.mark.parametrize(
        "key", ["owner", "maintenance", "created_at", "provision_state", "updated_at", "resource_class", "uuid", "id"]
    )
    def test_shows_each_node_once_whatever_is_equal_or_missing(self, baremetal, key, direction):
        for number in range(20):
            make_node(
                name=f"node-{number}",
                owner=(None, "p1", "p2")[number % 3],
                maintenance=bool(number % 2),
                resource_class=("b", "a", None, "B")[number % 4],
            )

        paged = names(walk(baremetal, f"/v1/nodes?sort_key={key}&sort_dir={direction}&limit=3"))

        assert sorted(paged) == sorted(f"node-{number}" for number in range(20))
        assert paged == names(walk(baremetal, f"/v1/nodes?sort_key={key}&sort_dir={direction}"))

    def test_begins_with_what_is_missing(self, baremetal):
        for name, owner in (("a", "p1"), ("b", None), ("c", "p0")):
            make_node(name=name, owner=owner)

        assert names(walk(baremetal, "/v1/nodes?sort_key=owner&limit=1")) == ["b", "c", "a"]
        assert names(walk(baremetal, "/v1/nodes?sort_key=owner&sort_dir=desc&limit=1")) == ["a", "c", "b"]

    @pytest.mark.parametrize(
        ("path", "key", "since"),
        [
            ("nodes", "name", "1.5"),
            ("nodes", "owner", "1.50"),
            ("nodes", "health", "1.109"),
            ("nodes/detail", "lessee", "1.65"),
            ("ports", "pxe_enabled", "1.19"),
            ("ports", "name", "1.88"),
            ("portgroups", "mode", "1.26"),
            ("allocations", "owner", "1.60"),
        ],
    )
    def test_by_a_field_is_not_acceptable_before_the_field_is_known(self, baremetal, path, key, since):
        before = f"1.{int(since[2:]) - 1}"

        assert baremetal.get(f"/v1/{path}?sort_key={key}", version=before).status_code == 406
        assert baremetal.get(f"/v1/{path}?sort_key={key}", version=since).status_code == 200

    @pytest.mark.parametrize("query", ["sort_key=extra", "sort_key=traits", "sort_key=nonsense", "sort_dir=up"])
    def test_by_what_has_none_is_refused(self, baremetal, query):
        assert baremetal.get(f"/v1/nodes?{query}").status_code == 400
