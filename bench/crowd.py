"""A database as a large site has it after a while, for the operators' pages: written set by set."""

from __future__ import annotations

from bench import clouds, fleets, loading
from bench.database import Link

PROVIDERS = 5_000
CONSUMERS = 200_000
CONFLICTS = 50_000
NODES = 20_000
TITLE = f"{CONSUMERS:,} consumers with {CONSUMERS * 5 // 2:,} allocations, {NODES:,} nodes, {CONFLICTS:,} conflicts"

_CONSUMER = "md5('consumer-' || n)::uuid::text"
_PROJECT, _USER = "md5('project-' || n % 500)::uuid::text", "'user-' || n % 2000"
_MADE = f"now() - ({CONSUMERS} - n) * interval '13 seconds'"
STATEMENTS = (
    f"""INSERT INTO placement_app_consumer (uuid, generation, project_id, user_id, consumer_type, created_at,
        updated_at)
        SELECT {_CONSUMER}, 1 + n % 3, {_PROJECT}, {_USER}, CASE n % 9 WHEN 0 THEN 'MIGRATION' ELSE 'INSTANCE' END,
               {_MADE}, {_MADE} FROM generate_series(1, {CONSUMERS}) n""",
    # Two or three classes of one host each.
    f"""INSERT INTO placement_app_allocation (consumer_uuid, provider_id, resource_class, used, created_at, updated_at)
        SELECT {_CONSUMER}, 1 + n % {PROVIDERS}, class, amount, {_MADE}, {_MADE}
        FROM generate_series(1, {CONSUMERS}) n
        JOIN (VALUES (0, 'VCPU', 2), (0, 'MEMORY_MB', 2048), (1, 'DISK_GB', 20)) held (parity, class, amount)
        ON parity = 0 OR n % 2 = 0""",
    """UPDATE placement_app_inventory i SET used = held.used FROM
       (SELECT provider_id, resource_class, sum(used) AS used FROM placement_app_allocation GROUP BY 1, 2) held
       WHERE held.provider_id = i.provider_id AND held.resource_class = i.resource_class""",
    f"""INSERT INTO placement_app_claimevent (created_at, event, consumer_uuid, consumer_generation, project_id,
        user_id, provider_uuid, before, after, attempts, door, actor, request_id, reason)
        SELECT {_MADE}, 'claimed', {_CONSUMER}, 1, {_PROJECT}, {_USER}, p.uuid, '{{}}', '{{"VCPU": 2}}', 1, 'placement',
               'admin', 'req-' || md5('request-' || n)::uuid, '' FROM generate_series(1, {CONSUMERS}) n
        JOIN placement_app_resourceprovider p ON p.id = 1 + n % {PROVIDERS} ORDER BY n""",
    f"""INSERT INTO placement_app_conflictrecord (created_at, operation, reason, code, text, facts, consumer_uuid,
        provider_uuid, attempts, door, actor, request_id)
        SELECT now() - ({CONFLICTS} - n) * interval '20 seconds', 'allocations.replace', 'CapacityExceeded',
               'placement.undefined_code', 'There is not enough.',
               jsonb_build_object('wanted', jsonb_build_object(p.uuid, jsonb_build_object('VCPU', 2))), {_CONSUMER},
               p.uuid, 1, 'placement', 'admin', 'req-' || md5('refused-' || n)::uuid
        FROM generate_series(1, {CONFLICTS}) n JOIN placement_app_resourceprovider p ON p.id = 1 + n % 97 ORDER BY n""",
    f"""UPDATE ironic_app_node SET instance_uuid = md5('consumer-' || id)::uuid::text, provision_state = 'active',
        owner = md5('project-' || id % 500)::uuid::text WHERE id <= {NODES} / 2""",
    """INSERT INTO ironic_app_ownershipevent (created_at, event, subject, node_uuid, node_name, after, reason, text,
       generation, door, actor, project, request_id, global_request_id)
       SELECT now() - (20000 - id) * interval '1 minute', 'claimed', 'instance_uuid', uuid, name, instance_uuid, '', '',
              1, 'baremetal', 'admin', '', 'req-' || md5('node-' || id)::uuid, ''
       FROM ironic_app_node WHERE instance_uuid IS NOT NULL ORDER BY id""",
)


def fill(link: Link) -> None:
    loading.load(link, clouds.flat(PROVIDERS), loading.INTO_SITE)
    fleets.load(link, fleets.Fleet(NODES), fleets.INTO_SITE)
    with link.cursor() as cursor:
        for statement in STATEMENTS:
            cursor.execute(statement)
