"""Nova's report client: a host reports its tree; claims are taken, moved and given up; others get in between."""

import sys

import report
from nova import exception, objects
from verdict import check

ADDRESS = sys.argv[1]
NAME = f"nova-{report.new_uuid()[:8]}"
OWNER = (f"{NAME}-project", f"{NAME}-user")
MEMORY = report.inventory(8192, reserved=512)


def refused(error, call, *arguments, **named):
    try:
        call(*arguments, **named)
    except error:
        return True
    return False


def host(client, name, **resources):
    """A compute host that reports itself for the first time; its uuid."""
    root = report.new_uuid()
    tree = client.get_provider_tree_and_ensure_root(report.CONTEXT, root, name=name)
    tree.update_inventory(root, resources)
    client.update_from_provider_tree(report.CONTEXT, tree)
    return root


def stored(client, root):
    """The tree as a service sees it that has just started."""
    return report.client(ADDRESS).get_provider_tree_and_ensure_root(report.CONTEXT, root)


def held(client, consumer):
    """Provider → resources."""
    found = client.get_allocs_for_consumer(report.CONTEXT, consumer)["allocations"]
    return {provider: entry["resources"] for provider, entry in found.items()}


def claim(client, consumer, wanted, **named):
    """The first candidate, as the scheduler does it; None if there is no candidate."""
    requests, _, version = client.get_allocation_candidates(report.CONTEXT, wanted)
    if not requests:
        return None
    return client.claim_resources(report.CONTEXT, consumer, requests[0], *OWNER, version, **named)


def a_tree_is_reported():
    client = report.client(ADDRESS)
    root, child, aggregate = (report.new_uuid() for _ in range(3))
    tree = client.get_provider_tree_and_ensure_root(report.CONTEXT, root, name=f"{NAME}-tree")
    tree.new_child(f"{NAME}-numa0", root, uuid=child, generation=0)
    tree.update_inventory(root, {"MEMORY_MB": MEMORY, f"CUSTOM_{NAME[5:].upper()}": report.inventory(2)})
    tree.update_inventory(child, {"VCPU": report.inventory(4, allocation_ratio=16.0)})
    tree.update_traits(root, ["COMPUTE_NODE", f"CUSTOM_NEW_{NAME[5:].upper()}"])
    tree.update_aggregates(root, [aggregate])
    client.update_from_provider_tree(report.CONTEXT, tree)

    seen = stored(client, root)
    check("the tree is stored with its child", seen.get_provider_uuids(root) == [root, child])
    check("and its parent", seen.data(child).parent_uuid == root)
    check(
        "inventory, reserved and a class of the host's own",
        seen.data(root).inventory.keys() == tree.data(root).inventory.keys(),
    )
    check("the amounts are as reported", seen.data(child).inventory["VCPU"]["allocation_ratio"] == 16.0)
    check("traits, one of them new", seen.data(root).traits == set(tree.data(root).traits))
    check("aggregates", seen.data(root).aggregates == {aggregate})

    before = seen.data(root).generation
    client.update_from_provider_tree(report.CONTEXT, tree)
    check("reporting the same again changes nothing", stored(client, root).data(root).generation == before)

    other = report.client(ADDRESS)
    theirs = other.get_provider_tree_and_ensure_root(report.CONTEXT, root)
    theirs.update_inventory(child, {"VCPU": report.inventory(8)})
    other.update_from_provider_tree(report.CONTEXT, theirs)
    tree = client.get_provider_tree_and_ensure_root(report.CONTEXT, root)
    tree.update_inventory(child, {"VCPU": report.inventory(2)})
    stale = refused(exception.ResourceProviderUpdateConflict, client.update_from_provider_tree, report.CONTEXT, tree)
    check("whoever reports on an old generation is told so", stale)
    tree = client.get_provider_tree_and_ensure_root(report.CONTEXT, root)
    check("and finds on a second look what the other wrote", tree.data(child).inventory["VCPU"]["total"] == 8)
    tree.remove(child)
    client.update_from_provider_tree(report.CONTEXT, tree)
    check("a child that is gone is deleted", stored(client, root).get_provider_uuids(root) == [root])
    return root


def a_tree_is_reshaped():
    client = report.client(ADDRESS)
    root, child, consumer = (report.new_uuid() for _ in range(3))
    own = f"CUSTOM_RESHAPE_{NAME[5:].upper()}"
    tree = client.get_provider_tree_and_ensure_root(report.CONTEXT, root, name=f"{NAME}-reshaped")
    tree.update_inventory(root, {"MEMORY_MB": MEMORY, own: report.inventory(2)})
    client.update_from_provider_tree(report.CONTEXT, tree)
    wanted = report.request({"": {"resources": {own: 2, "MEMORY_MB": 64}}})
    check("claimed on the root", claim(client, consumer, wanted) is True)

    tree = reshaped(client, root, child, own)
    told = refused(
        exception.PlacementReshapeConflict, client.update_from_provider_tree, report.CONTEXT, tree, allocations={}
    )
    check("a reshape on the generation before the claim is refused as such", told)

    tree = reshaped(client, root, child, own)
    allocations = client.get_allocations_for_provider_tree(report.CONTEXT, f"{NAME}-reshaped")
    check("its allocations are found by the host's name", set(allocations) == {consumer})
    try:
        client.update_from_provider_tree(report.CONTEXT, tree, allocations={})
        told = ""
    except exception.ReshapeFailed as error:
        told = str(error)
    check("a reshape that forgets a consumer is refused", "placement.inventory.inuse" in told)
    check("and changes no claim", held(client, consumer) == {root: {own: 2, "MEMORY_MB": 64}})

    allocations[consumer]["allocations"] = {
        root: {"resources": {"MEMORY_MB": 64}},
        child: {"resources": {own: 2}},
    }
    client.update_from_provider_tree(report.CONTEXT, tree, allocations=allocations)
    check("moved to the child", held(client, consumer) == {root: {"MEMORY_MB": 64}, child: {own: 2}})
    check("inventory too", set(stored(client, root).data(child).inventory) == {own})
    client.delete_allocation_for_instance(report.CONTEXT, consumer)
    client.delete_resource_provider(report.CONTEXT, compute_node(root, f"{NAME}-reshaped"))


def reshaped(client, root, child, own):
    """The tree as the host wants it: a class has moved to a child."""
    tree = client.get_provider_tree_and_ensure_root(report.CONTEXT, root)
    kept = tree.data(root).inventory
    pool = kept.pop(own)
    tree.update_inventory(root, kept)
    if not tree.exists(child):
        tree.new_child(f"{NAME}-pool", root, uuid=child)
    tree.update_inventory(child, {own: pool})
    return tree


def compute_node(root, name):
    return objects.ComputeNode(report.CONTEXT, uuid=root, host=name, hypervisor_hostname=name)


def claims_are_taken_moved_and_given_up():
    client, other = report.client(ADDRESS), report.client(ADDRESS)
    own = f"CUSTOM_CLAIM_{NAME[5:].upper()}"
    source = host(client, f"{NAME}-source", **{own: report.inventory(4)})
    wanted = report.request({"": {"resources": {own: 3}}})
    instance, late, migration = (report.new_uuid() for _ in range(3))

    requests, summaries, version = client.get_allocation_candidates(report.CONTEXT, wanted)
    check("one candidate", [list(one["allocations"]) for one in requests] == [[source]])
    check("with its capacity", summaries[source]["resources"][own] == {"capacity": 4, "used": 0})
    check("an instance claims it", client.claim_resources(report.CONTEXT, instance, requests[0], *OWNER, version))
    full = other.claim_resources(report.CONTEXT, late, requests[0], *OWNER, version)
    check("a second one is refused without tries in vain", full is False)
    check("and holds nothing", held(client, late) == {})
    check("so no candidate is left", claim(client, late, wanted) is None)
    small = report.request({"": {"resources": {own: 1}}})
    check("but a smaller claim of the refused instance is taken", claim(client, late, small) is True)
    counted = client.get_usages_counts_for_limits(report.CONTEXT, OWNER[0])
    check("its project's usage is counted", counted == {own: 4})

    target = host(client, f"{NAME}-target", **{own: report.inventory(4)})
    check("moved to the migration", client.move_allocations(report.CONTEXT, instance, migration))
    check("whole", held(client, migration) == {source: {own: 3}})
    check("and away from the instance", held(client, instance) == {})
    check("moving it again is no mistake", client.move_allocations(report.CONTEXT, instance, migration))
    check("claimed on the other host", claim(client, instance, wanted) is True)
    check("there", held(client, instance) == {target: {own: 3}})

    check("added to", added(client, instance, target, own) == {target: {own: 4}})

    before = client.get_allocs_for_consumer(report.CONTEXT, instance)
    other.remove_resources_from_instance_allocation(report.CONTEXT, instance, {target: {"resources": {own: 1}}})
    stale = refused(exception.AllocationUpdateFailed, client.put_allocations, report.CONTEXT, instance, before)
    check("whoever writes on an old consumer generation is told so", stale)
    check("and the other's write stays", held(client, instance) == {target: {own: 3}})
    check("a host in use is not deleted", refused(exception.ResourceProviderInUse, client._delete_provider, target))
    fresh = report.client(ADDRESS)
    tree = fresh.get_provider_tree_and_ensure_root(report.CONTEXT, target)
    tree.update_inventory(target, {})
    kept = refused(exception.InventoryInUse, fresh.update_from_provider_tree, report.CONTEXT, tree)
    check("nor its inventory", kept)

    check("given up", client.delete_allocation_for_instance(report.CONTEXT, instance) is True)
    check("once", client.delete_allocation_for_instance(report.CONTEXT, instance) is False)
    forced = client.delete_allocation_for_instance(report.CONTEXT, migration, "migration", force=True)
    check("given up by force", forced is True)
    forced = client.delete_allocation_for_instance(report.CONTEXT, migration, "migration", force=True)
    check("once too", forced is False)
    client.delete_allocation_for_instance(report.CONTEXT, late)
    check("the project uses nothing", client.get_usages_counts_for_limits(report.CONTEXT, OWNER[0]) == {})
    for root, name in ((source, "source"), (target, "target")):
        client.delete_resource_provider(report.CONTEXT, compute_node(root, f"{NAME}-{name}"))
        gone = refused(
            exception.ResourceProviderNotFound, client.get_provider_by_name, report.CONTEXT, f"{NAME}-{name}"
        )
        check(f"the {name} is gone", gone)


def an_instance_is_evacuated():
    client = report.client(ADDRESS)
    own = f"CUSTOM_EVACUATION_{NAME[5:].upper()}"
    hosts = [host(client, f"{NAME}-{name}", **{own: report.inventory(4)}) for name in ("broken", "healthy")]
    instance = report.new_uuid()
    requests, _, version = client.get_allocation_candidates(
        report.CONTEXT, report.request({"": {"resources": {own: 2}}})
    )
    requests.sort(key=lambda one: hosts.index(next(iter(one["allocations"]))))
    for number, one in enumerate(requests, 1):
        claimed = client.claim_resources(report.CONTEXT, instance, one, *OWNER, version)
        check(f"held on {number} of its hosts", claimed and held(client, instance).keys() == set(hosts[:number]))
    left = client.remove_provider_tree_from_instance_allocation(report.CONTEXT, instance, hosts[0])
    check("until the broken one is given up", left and held(client, instance) == {hosts[1]: {own: 2}})
    client.delete_allocation_for_instance(report.CONTEXT, instance)
    for root, name in zip(hosts, ("broken", "healthy"), strict=True):
        client.delete_resource_provider(report.CONTEXT, compute_node(root, f"{NAME}-{name}"))


def groups_become_one_claim():
    client = report.client(ADDRESS)
    own = f"CUSTOM_VF_{NAME[5:].upper()}"
    root, left, right, consumer = (report.new_uuid() for _ in range(4))
    tree = client.get_provider_tree_and_ensure_root(report.CONTEXT, root, name=f"{NAME}-nics")
    tree.update_inventory(root, {"VCPU": report.inventory(4)})
    for child, side in ((left, "left"), (right, "right")):
        tree.new_child(f"{NAME}-{side}", root, uuid=child)
        tree.update_inventory(child, {own: report.inventory(2)})
        tree.update_traits(child, [f"CUSTOM_{side.upper()}"])
    client.update_from_provider_tree(report.CONTEXT, tree)
    wanted = report.request(
        {
            "": {"resources": {"VCPU": 1}, "in_tree": root},
            "_port1": {"resources": {own: 1}, "required_traits": {"CUSTOM_LEFT"}},
            "_port2": {"resources": {own: 1}, "required_traits": {"CUSTOM_RIGHT"}},
        },
        policy="isolate",
    )
    requests, _, version = client.get_allocation_candidates(report.CONTEXT, wanted)
    check("one way to serve both ports", len(requests) == 1)
    check("that says who serves which", requests[0]["mappings"] == {"": [root], "_port1": [left], "_port2": [right]})
    check("claimed", client.claim_resources(report.CONTEXT, consumer, requests[0], *OWNER, version))
    check("whole", held(client, consumer) == {root: {"VCPU": 1}, left: {own: 1}, right: {own: 1}})
    client.delete_allocation_for_instance(report.CONTEXT, consumer)
    client.delete_resource_provider(report.CONTEXT, compute_node(root, f"{NAME}-nics"))


def added(client, instance, provider, own):
    client.add_resources_to_instance_allocation(report.CONTEXT, instance, {provider: {"resources": {own: 1}}})
    return held(client, instance)


def main():
    report.configure()
    root = a_tree_is_reported()
    report.client(ADDRESS).delete_resource_provider(report.CONTEXT, compute_node(root, f"{NAME}-tree"))
    a_tree_is_reshaped()
    claims_are_taken_moved_and_given_up()
    an_instance_is_evacuated()
    groups_become_one_claim()


if __name__ == "__main__":
    main()
