"""Sensible requests, spoilt in one place: what no client should send, and some do."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from tests.sidebyside.cast import STRANGER, Dice
from tests.sidebyside.exchange import Generation, Request

# In the place of any value of a body.
VALUES: tuple[Any, ...] = (
    None, True, 0, 1, -1, 1.0, 1.5, 2**31 - 1, 2**31, 10**30, "", "1", "x", "x" * 300, "☃", "VCPU", "CUSTOM_",
    "a\x00b", "\ud800", "x" * 100_000, " ", "a\nb", [], [None], {}, {"": 1},
)  # fmt: skip
BODIES = (
    b"", b"{", b"null", b"[]", b"{}", b'"x"', b"\xff\xfe", b'{"a": 1}', b'{"name": "x",}', b"1 2", b'{"name": NaN}',
    b'{"name": "\x00"}', b"[" * 500 + b"]" * 500, b'\xef\xbb\xbf{"a": 1}',
    b'{"name": "x", "uuid": "%s", "name": "y"}' % STRANGER.encode(),
)  # fmt: skip
TEXTS = (
    "", " ", "x", "☃", "%", "a,b", "in:", "!", "in:!", "!in:", "VCPU:1", "VCPU:0", ":", "1", "-1", "CUSTOM_A,",
    "\x00", "x" * 5000, "VCPU:9999999999", "१", "1 ", "in:,", "a=b", "'", '"', "\n",
)  # fmt: skip
NAMES = (
    "bogus",
    "limit",
    "resources",
    "required",
    "member_of",
    "uuid",
    "in_tree",
    "resources1",
    "same_subtree",
    "name",
)
VERSIONS = (
    "1.40",
    "0.9",
    "2.0",
    "1",
    "1.2.3",
    "x",
    "latest",
    "LATEST",
    "1.39, compute 2.1",
    " 1.10",
    "1.07",
    "-1.1",
    "",
)
TYPES = ("text/plain", "application/json; charset=utf-8", "application/JSON", "application/xml", "", "json")
ACCEPTS = ("text/plain", "text/html", "*/*", "application/*", "text/html, */*;q=0.1", "application/json;q=0.5", "x", "")
TOKENS = ("user", "user:project-a", "", "admin:project-b")
ROLES = ("reader", "member,reader", "service", "admin", "", "Admin")


def spoil(request: Request, dice: Dice) -> Request:
    ways = [_spoil_headers, _spoil_path, _spoil_query]
    if not isinstance(request.body, bytes):
        ways += [_spoil_body] * 8
    return dice.choice(ways)(request, dice)


def _spoil_headers(request: Request, dice: Dice) -> Request:
    match dice.randint(0, 5):
        case 0:
            return replace(request, version=dice.choice(VERSIONS))
        case 1:
            return replace(request, version=None)
        case 2:
            return replace(request, headers={"Content-Type": dice.choice(TYPES)})
        case 3:
            return replace(request, headers={"Accept": dice.choice(ACCEPTS)})
        case 4:
            return replace(request, headers={"X-Auth-Token": dice.choice(TOKENS)})
    return replace(request, headers={"X-Auth-Token": "user:project-a", "X-Roles": dice.choice(ROLES)})


def _spoil_path(request: Request, dice: Dice) -> Request:
    parts = request.path.split("/")
    match dice.randint(0, 4):
        case 0:
            return replace(request, path=request.path + "/")
        case 1:
            return replace(request, path=request.path + "/bogus")
        case 2:
            parts[dice.randrange(1, len(parts))] = dice.choice(["bogus", "%e2%98%83", "%ff", "", "..", "1"])
            return replace(request, path="/".join(parts))
        case 3:
            return replace(request, method=dice.choice(["GET", "PUT", "POST", "DELETE", "PATCH", "HEAD", "OPTIONS"]))
    parts.pop(dice.randrange(1, len(parts)))
    return replace(request, path="/".join(parts) or "/")


def _spoil_query(request: Request, dice: Dice) -> Request:
    if isinstance(request.query, str):
        return request
    pairs = list(request.query)
    match dice.randint(0, 4):
        case 0:
            pairs.append((dice.choice(NAMES), dice.choice(TEXTS)))
        case 1 if pairs:
            pairs.append(dice.choice(pairs))
        case 2 if pairs:
            name, _ = pairs.pop(dice.randrange(len(pairs)))
            pairs.append((name, dice.choice(TEXTS)))
        case 3 if pairs:
            place = dice.randrange(len(pairs))
            name, value = pairs[place]
            pairs[place] = (dice.choice([f"{name}1", f"{name}_", name.upper(), f"{name}01"]), value)
        case _:
            return replace(
                request, query=dice.choice(["x", "%", "&&", "a=%ff", "=", "limit", "name", "required=&limit=1"])
            )
    return replace(request, query=tuple(pairs))


def _spoil_body(request: Request, dice: Dice) -> Request:
    if dice.chance(0.1):
        return replace(request, body=dice.choice(BODIES))
    body = _copy(request.body)
    holder, key = dice.choice(list(_places(body)) or [(None, None)])
    if holder is None:
        return replace(request, body=dice.choice(VALUES))
    match dice.randint(0, 4):
        # A provider without a uuid gets another from each.
        case 0 if key != "uuid":
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder[dice.choice(["bogus", "", "name", "generation", "uuid", "VCPU", "☃"])] = dice.choice(VALUES)
        case 2 if isinstance(holder, dict):
            holder[dice.choice([f"{key}x", "CUSTOM_NOBODY", "bad", "x" * 300])] = holder.pop(key)
        case _:
            holder[key] = dice.choice(VALUES)
    return replace(request, body=body)


def _copy(body: Any) -> Any:
    match body:
        case dict():
            return {key: _copy(value) for key, value in body.items()}
        case list() | tuple():
            return [_copy(value) for value in body]
    return body if isinstance(body, Generation) else json.loads(json.dumps(body))


def _places(body: Any) -> Any:
    """Every key of a dictionary and every place of a list, anywhere inside."""
    items = body.items() if isinstance(body, dict) else enumerate(body) if isinstance(body, list) else ()
    for key, value in items:
        yield body, key
        yield from _places(value)
