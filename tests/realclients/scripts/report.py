"""Nova's report client without a cloud around it: its own code, on a plain keystoneauth session."""

import uuid

import nova.conf
from keystoneauth1 import adapter, session, token_endpoint
from nova import context, objects
from nova.scheduler import utils
from nova.scheduler.client import report

CONF = nova.conf.CONF
CONTEXT = context.RequestContext("a-user", "a-project", is_admin=True)


def configure():
    """Must come first: Nova keeps its configuration in globals."""
    CONF([], project="nova", default_config_files=[], default_config_dirs=[])
    objects.register_all()


def client(address):
    """A service of its own: each client has its own idea of the providers, and its own connections."""
    auth = token_endpoint.Token(address, "admin")
    # A reshape is for services only.
    plain = session.Session(auth=auth, additional_headers={"X-Roles": "admin,service"})
    return report.SchedulerReportClient(
        adapter.Adapter(plain, endpoint_override=address, service_type="placement", raise_exc=False)
    )


def request(groups, policy=None):
    """``groups``: suffix → what of a RequestGroup is asked for. The group without a suffix is Nova's flavor."""
    made = utils.ResourceRequest()
    made.group_policy = policy
    for suffix, group in groups.items():
        made._rg_by_id[suffix] = objects.RequestGroup(
            CONTEXT, requester_id=suffix, use_same_provider=bool(suffix), **group
        )
    return made


def inventory(total, **more):
    return {
        "total": total,
        "reserved": 0,
        "min_unit": 1,
        "max_unit": total,
        "step_size": 1,
        "allocation_ratio": 1.0,
    } | more


def new_uuid():
    return str(uuid.uuid4())
