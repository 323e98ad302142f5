"""The recorded requests: the pod list of Alibaba's GPU cluster trace (cluster-trace-gpu-v2023), as claims to make."""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Mapping
from pathlib import Path

from claimsite.machines import names
from claimsite.machines.fields import Malformed, whole_number, words
from claimsite.machines.reading import opened

COLUMNS = ("name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec")


class BadTrace(Exception):
    """The file is not such a trace; the text names file, line and fault."""


@dataclasses.dataclass(frozen=True, slots=True)
class Request:
    """What one consumer wants."""

    name: str
    consumer: str
    """Its uuid, derived from the trace and the name: a later replay of the trace means the same consumers."""
    resources: Mapping[str, int]
    any_of: tuple[str, ...] = ()
    """Traits of which the machine must have at least one; none: any machine will do."""


def read(path: Path, *, limit: int = 0) -> list[Request]:
    """The requests in order of arrival, at most ``limit`` (0: all). Raises OSError and BadTrace."""
    with opened(path) as file:
        reader = csv.DictReader(file, strict=True)
        try:
            if missing := set(COLUMNS) - set(reader.fieldnames or ()):
                raise BadTrace(f"{path} is no trace of requests: it has no column {', '.join(sorted(missing))}.")
            requests: list[Request] = []
            for row in reader:
                if limit and len(requests) == limit:
                    break
                requests.append(_request(path.name.partition(".")[0], row))
        except (csv.Error, Malformed, UnicodeDecodeError, EOFError) as error:
            raise BadTrace(f"{path}:{reader.line_num}: {error}") from error
    return requests


def _request(trace: str, row: Mapping[str, str]) -> Request:
    name = words(row, "name", required=True)
    gpu_milli = whole_number(row, "num_gpu") * whole_number(row, "gpu_milli", maximum=1000)
    wanted = {
        # A started core is a core: Placement counts whole ones, and rounding down would give more than there is.
        "VCPU": -(-whole_number(row, "cpu_milli") // 1000),
        "MEMORY_MB": whole_number(row, "memory_mib"),
        names.GPU_MILLI: gpu_milli,
    }
    resources = {resource_class: amount for resource_class, amount in wanted.items() if amount}
    if not resources:
        raise Malformed(f"{name} wants nothing")
    models = [model for model in words(row, "gpu_spec").split("|") if model]
    return Request(
        name=name,
        consumer=names.derived_uuid("consumer", trace, name),
        resources=resources,
        any_of=tuple(names.custom(names.GPU_MODEL, model) for model in models),
    )
