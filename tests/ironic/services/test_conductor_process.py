"""The process that conducts: it finds work by itself, signs on and off, and survives what goes wrong."""

import threading
import time

import pytest

from ironic_app.models import Conductor
from ironic_app.services import conductor, conductors, states, transitions
from ironic_app.services.states import Order
from ironic_app.services.transitions import Worker
from tests.ironic.builders import ORIGIN, make_node

pytestmark = pytest.mark.django_db(transaction=True)


def ask(node, target):
    states.provision(ident=node.uuid, order=Order(target), origin=ORIGIN)


def shown(node):
    node.refresh_from_db()
    return node.provision_state, node.target_provision_state, node.reservation


class TestConductorProcess:
    @pytest.fixture
    def running(self):
        stop = threading.Event()
        process = conductor.ConductorProcess(
            worker=Worker(hostname="conductor-1"), threads=2, poll_seconds=0.01, stop=stop
        )
        thread = threading.Thread(target=process.run)
        thread.start()
        _until(lambda: conductors.alive() == {"conductor-1"})
        yield process
        stop.set()
        thread.join(timeout=30)

    def test_carries_nodes_through_and_signs_off(self, running):
        nodes = [make_node(provision_state="enroll") for _ in range(4)]

        for node in nodes:
            ask(node, "manage")

        _until(lambda: all(shown(node) == ("manageable", None, None) for node in nodes))
        running.stop.set()
        _until(lambda: conductors.alive() == set())
        assert Conductor.objects.get().drivers

    def test_goes_on_after_a_step_that_failed(self, running, monkeypatch):
        real = transitions.advance
        failures = iter([True])

        def once_broken(**arguments):
            if next(failures, False):
                raise RuntimeError("as if there were a bug")
            return real(**arguments)

        monkeypatch.setattr(transitions, "advance", once_broken)
        node = make_node(provision_state="enroll")

        ask(node, "manage")

        _until(lambda: shown(node) == ("manageable", None, None))

    def test_signs_on_again_when_it_was_forgotten(self, running):
        Conductor.objects.all().delete()
        running._next_heartbeat = 0.0

        _until(lambda: conductors.alive() == {"conductor-1"})


def _until(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
