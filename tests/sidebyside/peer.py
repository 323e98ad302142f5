"""openstack-placement as a WSGI application: ``noauth2``, a database of its own, nothing read from the machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def application(database: str, **settings: dict[str, Any]) -> Callable[..., Any]:
    """Placement on the database at this address (``sqlite:////tmp/file``), its tables made if need be.

    ``settings``: section → options, on top of the defaults. One application a process: the package keeps its database
    and its policy in globals.
    """
    from oslo_config import cfg
    from oslo_policy import opts as policy_opts
    from placement import conf, db_api, deploy

    config = cfg.ConfigOpts()
    conf.register_opts(config)
    policy_opts.set_defaults(config)
    chosen: dict[str, dict[str, Any]] = {
        "placement_database": {"connection": database, "sync_on_startup": True},
        "api": {"auth_strategy": "noauth2"},
        **settings,
    }
    for section, options in chosen.items():
        for option, value in options.items():
            config.set_override(option, value, section)
    config([], project="placement", default_config_files=[], default_config_dirs=[])
    db_api.configure(config)
    loaded: Callable[..., Any] = deploy.loadapp(config)
    return loaded
