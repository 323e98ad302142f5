"""Orders to nodes: provision state, power, and the switches of a machine that does not exist."""

from __future__ import annotations

from django.http import HttpResponse
from rest_framework.request import Request

from ironic_app.api.parse import states as parse
from ironic_app.api.viewsets.nodes import NodesViewSet
from ironic_app.services import nodes, states
from ironic_app.states import ABORT

_SIXTY_FOUR_MIB = 64 * 1024 * 1024


class NodeProvisionViewSet(NodesViewSet):
    # A configuration drive comes inside the body.
    longest_body_bytes = _SIXTY_FOUR_MIB

    def update(self, request: Request, node: str) -> HttpResponse:
        self.query({})
        ident, order = self.ident(node), parse.order(self.body(), self.microversion)
        steps = [f":{name}" for name in ("clean_steps", "service_steps") if getattr(order, name)]
        access = self.access(*(f"node:set_provision_state{which}" for which in ("", *steps)))
        if order.verb == ABORT:
            parse.ensure_abort(nodes.get(ident=ident, access=access).provision_state, self.microversion)
        states.provision(ident=ident, order=order, access=access, origin=self.origin)
        return self.answer(status=202, location=f"nodes/{node}/states")


class NodePowerViewSet(NodesViewSet):
    def update(self, request: Request, node: str) -> HttpResponse:
        self.query({})
        states.power(
            ident=self.ident(node),
            target=parse.power(self.body(), self.microversion),
            access=self.access("node:set_power_state"),
            origin=self.origin,
        )
        return self.answer(status=202, location=f"nodes/{node}/states")
