"""The nodes of Grid'5000, one JSON document a line, condensed from its public reference repository."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any, TextIO

from claimsite.machines.fields import Malformed, whole_number, words
from claimsite.machines.record import Disk, Machine, NetworkCard

# As far as a name of a node in Ironic and its resource class go.
_NAME = re.compile(r"[A-Za-z0-9._~-]+")
_LONGEST_CLASS = 80
_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")


def recognises(first_line: str) -> bool:
    return first_line.lstrip().startswith("{")


def rows(first_line: str, rest: TextIO) -> Iterator[tuple[int, Machine | Malformed]]:
    """Each row with its line number in the file, as a machine or as what is wrong with it. Empty lines are skipped."""
    for line, text in enumerate(itertools.chain([first_line], rest), start=1):
        if not text.strip():
            continue
        try:
            yield line, _machine(text)
        except Malformed as fault:
            yield line, fault


def _machine(text: str) -> Machine:
    row = _document(text)
    return Machine(
        source="grid5000",
        name=_name(row),
        cpus=whole_number(row, "threads", minimum=1),
        cores=whole_number(row, "cores", minimum=1),
        memory_mb=whole_number(row, "ram_mb", minimum=1),
        gpus=_gpus(row.get("gpus", {})),
        is_bare_metal=True,
        architecture=words(row, "arch", required=True),
        cpu_vendor=words(row, "cpu_vendor"),
        cpu_model=words(row, "cpu_model"),
        microarchitecture=words(row, "microarchitecture"),
        virtualization=words(row, "virtualization"),
        chassis=words(row, "chassis"),
        site=words(row, "site", required=True),
        cluster=words(row, "cluster", required=True, longest=_LONGEST_CLASS),
        disks=tuple(_disk(item) for item in _list(row, "disks")),
        cards=tuple(_card(item) for item in _list(row, "nics")),
    )


def _document(text: str) -> dict[str, Any]:
    try:
        row = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"not JSON: {error}") from error
    if not isinstance(row, dict):
        raise Malformed("not a JSON object")
    return row


def _name(row: dict[str, Any]) -> str:
    name = words(row, "name", required=True)
    if not _NAME.fullmatch(name):
        raise Malformed(f"name is {name!r}, not a host name")
    return name


def _gpus(value: object) -> dict[str, int]:
    if not isinstance(value, dict):
        raise Malformed("gpus is not an object of model and number")
    return {model: whole_number(value, model, minimum=1, maximum=1000) for model in value}


def _disk(item: dict[str, Any]) -> Disk:
    kind = words(item, "type", required=True)
    if kind not in {"HDD", "SSD"}:
        raise Malformed(f"type of a disk is {kind!r}, neither HDD nor SSD")
    return Disk(gb=whole_number(item, "gb", minimum=1), kind=kind, interface=words(item, "interface"))


def _card(item: dict[str, Any]) -> NetworkCard:
    mac = words(item, "mac", required=True).lower()
    if not _MAC.fullmatch(mac):
        raise Malformed(f"mac is {mac!r}, not six bytes in hexadecimal")
    return NetworkCard(
        mac=mac,
        gbps=whole_number(item, "gbps"),
        interface=words(item, "interface", required=True),
        enabled=item.get("enabled") is True,
    )


def _list(row: dict[str, Any], field: str) -> list[dict[str, Any]]:
    value = row.get(field, [])
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise Malformed(f"{field} is not a list of objects")
    return value
