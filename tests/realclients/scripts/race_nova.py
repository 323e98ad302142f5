"""Several compute services at once send instances to the same few nodes: each node goes to one, the rest are told."""

import multiprocessing
import sys
import uuid
from unittest import mock

import compute
from nova import exception, objects
from nova.virt.ironic import driver
from verdict import check

ADDRESS = sys.argv[1]
CLASS = f"race-{uuid.uuid4().hex[:8]}"
COMPUTES = 3
NODES = 2
ROUNDS = 5
PATIENCE_SECONDS = 180


def claim(host, node, barrier, results):
    """One compute service: start, wait for the others, claim."""
    compute.configure(ADDRESS, host)
    service = driver.IronicDriver(mock.MagicMock())
    for number in range(ROUNDS):
        wanted = objects.Instance(compute.CONTEXT, uuid=str(uuid.uuid4()))
        # prepare_for_spawn looks, then claims. Here all have looked before the first claims.
        seen_free = service._get_node(node.id)
        barrier.wait(PATIENCE_SECONDS)
        try:
            service._set_instance_id(seen_free, wanted)
            results.put((number, node.id, wanted.uuid))
        except exception.InstanceDeployFailure:
            results.put((number, node.id, None))
        barrier.wait(PATIENCE_SECONDS)
        # The parent looks and releases between these two.
        barrier.wait(PATIENCE_SECONDS)


def main():
    proxy = compute.baremetal(ADDRESS)
    nodes = [compute.available_node(proxy, CLASS, number) for number in range(NODES)]
    start = multiprocessing.get_context("fork")
    barrier, results = start.Barrier(COMPUTES * NODES + 1), start.Queue()
    services = [
        start.Process(target=claim, args=(f"compute-{number}", node, barrier, results), daemon=True)
        for node in nodes
        for number in range(COMPUTES)
    ]
    for service in services:
        service.start()
    for number in range(ROUNDS):
        barrier.wait(PATIENCE_SECONDS)
        barrier.wait(PATIENCE_SECONDS)
        told = [results.get() for _ in services]
        for node in nodes:
            winners = [winner for _, of, winner in told if of == node.id and winner is not None]
            check(f"round {number}: one of {COMPUTES} gets {node.name}", len(winners) == 1)
            check("and it is the one that is stored", proxy.get_node(node.id).instance_id == winners[0])
            proxy.patch_node(node.id, [{"op": "remove", "path": "/instance_uuid"}])
        barrier.wait(PATIENCE_SECONDS)
    for service in services:
        service.join()
    check("all services ended well", all(service.exitcode == 0 for service in services))
    for node in nodes:
        proxy.delete_node(node.id)


if __name__ == "__main__":
    main()
