"""Taking over what a running Ironic knows: nodes as they are there, without setting anything going.

A node that is on its way (being cleaned, deployed, switched on …) is left out and told: nobody knows yet where it will
arrive, and to guess would be to say of a machine what is not so. Once it has arrived, another run takes it. Nodes that
wait for a decision (failed, on hold) are taken with the target they were meant for.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import urlencode

from claimsite.foundation.errors import DomainError
from claimsite.foundation.uuids import canonical_or_same, canonical_uuid
from claimsite.operations.takeover.service import NoService, Report, Takeover
from claimsite.replay.client import IRONIC_VERSION
from ironic_app.models import Allocation, Chassis, Node
from ironic_app.services import arrivals
from ironic_app.services.arrivals import Look

AT_ONCE = 200
"""Things asked for with one request; a service may give fewer."""
OLDEST = (1, 65)
"""The first version whose nodes show both who owns them and who has them on lease."""
CHILDREN = (1, 83)
"""From here on nodes below other nodes are shown to who asks for them."""

_LISTS: Mapping[str, tuple[str, str]] = {
    "portgroup": ("/v1/portgroups", "portgroups"),
    "port": ("/v1/ports", "ports"),
    "volume connector": ("/v1/volume/connectors", "connectors"),
    "volume target": ("/v1/volume/targets", "targets"),
}
_UUIDS = ("uuid", "node_uuid", "instance_uuid", "allocation_uuid", "parent_node")
_OWNERSHIP = ("provision_state", "instance_uuid", "owner", "lessee")

Document = dict[str, Any]


@dataclasses.dataclass(slots=True)
class IronicTakeover(Takeover):
    expected: ClassVar[str] = "Ironic of version 1.65"
    _told: set[str] = dataclasses.field(default_factory=set)
    """The nodes of which the report says something already."""
    _hanging: dict[str, list[tuple[str, Document]]] = dataclasses.field(default_factory=lambda: defaultdict(list))
    """Node → what hangs on it, with its sort."""
    _allocations: dict[str, Document] = dataclasses.field(default_factory=dict)

    def run(self) -> Report:
        version = self._agree()
        for row in self._all("/v1/chassis", "chassis"):
            self._chassis(row)
        for row in self._all("/v1/allocations", "allocations", detail=None):
            self._allocations[row["uuid"]] = row
        for sort, (path, key) in _LISTS.items():
            for row in self._all(path, key):
                self._hanging[str(row.get("node_uuid"))].append((sort, row))
                self.report.hidden.update(arrivals.hidden(row, f"{sort} "))
        children = {"include_children": True} if version >= CHILDREN else {}
        self._nodes(self._pages("/v1/nodes", "nodes", detail=True, **children))
        for row in self._allocations.values():
            if not row.get("node_uuid"):
                self._allocation(row)
        if not self.is_rehearsal:
            self._verify(**children)
        return self.report

    # --- asking -----------------------------------------------------------------------------------------------------
    def _agree(self) -> tuple[int, ...]:
        """On the newest version that both know."""
        shown = self.ask("/v1", "version")
        words = [shown.get("version") if isinstance(shown, dict) else None, IRONIC_VERSION]
        try:
            version = min(tuple(map(int, str(word).split("."))) for word in words)
        except ValueError:
            version = (0,)
        if version < OLDEST:
            raise NoService(path="/v1", status=200, detail=f"version {words[0]}: no {self.expected}")
        self.remote.version = ".".join(map(str, version))
        return version

    def _pages(self, path: str, key: str, **query: Any) -> Iterator[list[Document]]:
        """Each thing once. A service that begins again from the front is left at that."""
        seen: set[str] = set()
        asked = {name: value for name, value in query.items() if value is not None} | {"limit": AT_ONCE}
        while True:
            document = self.document(f"{path}?{urlencode(asked, safe=',')}", key)
            rows = [row for row in map(self._identified, document[key]) if row["uuid"] not in seen]
            yield rows
            if not document.get("next") or not rows:
                return
            seen |= {row["uuid"] for row in rows}
            self.stepped(f"{key} read", len(seen), None)
            asked["marker"] = rows[-1]["uuid"]

    def _all(self, path: str, key: str, *, detail: bool | None = True) -> Iterator[Document]:
        for page in self._pages(path, key, detail=detail):
            yield from page

    def _identified(self, row: Any) -> Document:
        uuid = canonical_uuid(str(row.get("uuid"))) if isinstance(row, dict) else None
        if uuid is None:
            raise NoService(path="A list", status=200, detail=f"an entry without a uuid: no {self.expected}")
        spelled = {name: canonical_or_same(row[name]) for name in _UUIDS if isinstance(row.get(name), str)}
        return {**row, **spelled}

    # --- taking -----------------------------------------------------------------------------------------------------
    def _chassis(self, row: Document) -> None:
        here = Chassis.objects.filter(uuid=row["uuid"]).first()
        if here is not None:
            self._compare(arrivals.CHASSIS, here, row)
        else:
            self.write("chassis", row["uuid"], lambda _: arrivals.place(shown=row, origin=self.origin))

    def _allocation(self, row: Document) -> None:
        """One without a node."""
        here = Allocation.objects.filter(uuid=row["uuid"]).first()
        if here is not None:
            self._compare(arrivals.ALLOCATION, here, row)
        elif row.get("state") == Allocation.State.ALLOCATING:
            self.report.waiting.append(f"allocation {_name(row)} still looks for a node")
        else:
            self.write("allocation", _name(row), lambda _: arrivals.remember(allocation=row, origin=self.origin))

    def _nodes(self, pages: Iterable[list[Document]]) -> None:
        children: dict[str, Document] = {}
        done = 0
        for page in pages:
            children |= {row["uuid"]: row for row in page if row.get("parent_node")}
            done = self._settle([row for row in page if not row.get("parent_node")], done)
        while children:
            # Those whose parents come round in a circle are refused one by one.
            ready = [row for row in children.values() if row["parent_node"] not in children] or list(children.values())
            done = self._settle(ready, done)
            for row in ready:
                del children[row["uuid"]]

    def _settle(self, rows: Sequence[Document], done: int) -> int:
        here = {node.uuid: node for node in Node.objects.filter(uuid__in=[row["uuid"] for row in rows])}
        for row in rows:
            self.report.hidden.update(arrivals.hidden(row, "node "))
            node = here.get(row["uuid"])
            if node is not None:
                self._beside(node, row)
            elif row.get("provision_state") in arrivals.SETTLED and not row.get("target_power_state"):
                self._take(row)
            else:
                self._told.add(row["uuid"])
                states = [row.get("provision_state"), row.get("target_power_state")]
                self.report.waiting.append(
                    f"node {_name(row)} is on its way: {', '.join(map(str, filter(None, states)))}"
                )
            done += 1
            self.stepped("nodes", done, None)
        return done

    def _take(self, row: Document) -> None:
        allocation = self._allocations.get(str(row.get("allocation_uuid")))
        everything: dict[str, Any] = {"node": row, "hanging": self._hanging[row["uuid"]], "allocation": allocation}
        try:
            arrivals.judge(**everything)
        except DomainError as error:
            self.report.faults.append(f"node {_name(row)}: {error}")
            self._told.add(row["uuid"])
            return
        if self.write("node", _name(row), lambda _: arrivals.settle(**everything, origin=self.origin)):
            self.report.taken.update(sort for sort, _ in everything["hanging"])
            self.report.taken["allocation"] += allocation is not None
        else:
            self._told.add(row["uuid"])

    def _beside(self, node: Node, row: Document) -> None:
        """A node that is here already: what differs is told, and what hangs on it only there is taken."""
        self._compare(arrivals.NODE, node, row)
        if node.allocation is not None and node.allocation_id in self._allocations:
            self._compare(arrivals.ALLOCATION, node.allocation, self._allocations[node.allocation_id])
        missing = []
        for sort, shown in self._hanging[node.uuid]:
            _, look = arrivals.PARTS[sort]
            here = look.model.objects.filter(uuid=shown["uuid"]).first()
            if here is None:
                missing.append((sort, shown))
            else:
                self._compare(look, here, shown)
        if missing and self.write(
            "parts of node",
            _name(row),
            lambda _: arrivals.hang(node_uuid=node.uuid, hanging=missing, origin=self.origin),
        ):
            self.report.taken.subtract(["parts of node"])
            self.report.taken.update(sort for sort, _ in missing)

    def _compare(self, look: Look, here: Any, there: Document) -> None:
        name = f"{look.noun} {_name(there)}"
        try:
            differing = arrivals.differences(look, here, there)
        except DomainError as error:
            self.report.faults.append(f"{name}: {error}")
            return
        if not differing:
            self.report.present[look.noun] += 1
            return
        told = [_difference(each, there.get(each), here) for each in differing]
        self.report.faults.append(f"{name} is different here: {', '.join(told)}")
        self._told.add(there["uuid"])

    # --- comparing in the end ---------------------------------------------------------------------------------------
    def _verify(self, **children: Any) -> None:
        """Clients may have gone on there: what they did meanwhile is told, so that nobody believes the run too much."""
        for page in self._pages("/v1/nodes", "nodes", fields=",".join(["uuid", *_OWNERSHIP]), **children):
            here = {node.uuid: node for node in Node.objects.filter(uuid__in=[row["uuid"] for row in page])}
            for row in page:
                if row["uuid"] in self._told:
                    continue
                node = here.get(row["uuid"])
                if node is None:
                    self._meanwhile("node", row["uuid"], "was made")
                elif any(getattr(node, name) != row.get(name) for name in _OWNERSHIP):
                    self._meanwhile("node", row["uuid"], "was changed")
        for sort, (path, key) in _LISTS.items():
            _, look = arrivals.PARTS[sort]
            for page in self._pages(path, key, fields="uuid,node_uuid"):
                uuids = [row["uuid"] for row in page if row.get("node_uuid") not in self._told]
                missing = set(uuids) - set(look.model.objects.filter(uuid__in=uuids).values_list("uuid", flat=True))
                for uuid in sorted(missing):
                    self._meanwhile(sort, uuid, "was made")

    def _meanwhile(self, what: str, uuid: str, how: str) -> None:
        self.report.faults.append(f"{what} {uuid} {how} there meanwhile: run it again")


def _name(row: Document) -> str:
    return str(row.get("name") or row["uuid"])


def _difference(attribute: str, there: Any, here: Any) -> str:
    """With both values where they say whose it is and how it is; documents may be long."""
    if attribute in {*_OWNERSHIP, "power_state", "name", "allocation_uuid", "state"}:
        value = getattr(here, {"allocation_uuid": "allocation_id"}.get(attribute, attribute))
        return f"{attribute} is {there} there, {value} here"
    return attribute
