"""The names by which machines and their parts are known to Placement, and to whoever asks for them."""

from __future__ import annotations

import re
import uuid

GPU_MILLI = "CUSTOM_GPU_MILLI"
"""Thousandths of a GPU: the unit in which shared GPUs are asked for. A machine with 8 GPUs has 8000."""
GPU_MILLI_STEP = 10
"""Shares are given in hundredths of a GPU, as the requests of the trace are."""
GPU_MODEL = "CUSTOM_GPU_MODEL_"

# Uuids are derived from names, so that a file that is loaded again, here or elsewhere, means the same things.
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "machines.claimsite")


def derived_uuid(kind: str, *names: str) -> str:
    """The uuid of what is called so: ``derived_uuid("machine", "openb", "openb-node-0000")``."""
    return str(uuid.uuid5(_NAMESPACE, "/".join([kind, *names])))


def placement_class(resource_class: str) -> str:
    """The class of Placement under which Nova looks for nodes of an Ironic resource class."""
    return "CUSTOM_" + re.sub("[^A-Z0-9]", "_", resource_class.upper())


def custom(prefix: str, words: str) -> str:
    """A custom name of Placement from free words: ``custom("CUSTOM_CPU_MODEL_", "AMD EPYC 7513")``."""
    return prefix + re.sub(r"[^A-Z0-9]+", "_", words.upper()).strip("_")
