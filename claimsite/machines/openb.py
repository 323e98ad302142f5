"""The node list of Alibaba's GPU cluster trace (cluster-trace-gpu-v2023): ``sn,cpu_milli,memory_mib,gpu,model``."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import TextIO

from claimsite.machines.fields import Malformed, whole_number, words
from claimsite.machines.record import Machine

HEADER = ["sn", "cpu_milli", "memory_mib", "gpu", "model"]


def recognises(first_line: str) -> bool:
    return first_line.strip().split(",") == HEADER


def rows(first_line: str, rest: TextIO) -> Iterator[tuple[int, Machine | Malformed]]:
    """Each row with its line number in the file, as a machine or as what is wrong with it."""
    reader = csv.DictReader(rest, fieldnames=HEADER, strict=True)
    try:
        for row in reader:
            line = reader.line_num + 1
            try:
                yield line, _machine(row)
            except Malformed as fault:
                yield line, fault
    except csv.Error as error:
        yield reader.line_num + 1, Malformed(str(error))


def _machine(row: dict[str, str]) -> Machine:
    if len(row) != len(HEADER) or None in row.values():
        raise Malformed(f"expected the {len(HEADER)} columns {', '.join(HEADER)}")
    cpu_milli = whole_number(row, "cpu_milli", minimum=1000)
    gpus, model = whole_number(row, "gpu", maximum=1000), words(row, "model")
    if bool(gpus) != bool(model):
        raise Malformed(f"{gpus} GPUs of model {model!r}: either both or neither")
    return Machine(
        source="openb",
        name=words(row, "sn", required=True),
        # Down, never up: a fraction of a core is nobody's whole one.
        cpus=cpu_milli // 1000,
        memory_mb=whole_number(row, "memory_mib", minimum=1),
        gpus={model: gpus} if gpus else {},
        gpus_are_shared=True,
    )
