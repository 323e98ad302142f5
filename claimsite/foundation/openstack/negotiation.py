"""Headers → Microversion."""

from __future__ import annotations

from collections.abc import Mapping

import microversion_parse

from claimsite.foundation.openstack.microversion import Microversion


class VersionUnparsable(Exception):
    """The header holds something that is not two integers."""


class VersionUnacceptable(Exception):
    """Two integers, but not a version of this service."""


def negotiate(
    headers: Mapping[str, str],
    *,
    service_type: str,
    oldest: Microversion,
    newest: Microversion,
) -> Microversion:
    """The version in force: the oldest where the client names none, the newest for ``latest``.

    Raises VersionUnparsable and VersionUnacceptable, each with the text that the client sent.
    """
    text = microversion_parse.get_version(dict(headers), service_type=service_type)
    if text is None:
        return oldest
    if text == "latest":
        return newest
    try:
        parsed = microversion_parse.parse_version_string(text)
    except TypeError:
        raise VersionUnparsable(text) from None
    version = Microversion(parsed.major, parsed.minor)
    if not oldest <= version <= newest:
        raise VersionUnacceptable(text)
    return version
