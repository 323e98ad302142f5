"""Fixtures for every test. Which database they run on is settled earlier, in ``tests/postgres.py``."""

import pytest

from tests.clients import BaremetalClient, PlacementClient


@pytest.fixture
def api(db) -> PlacementClient:
    """Placement, as an administrator with the newest version: ``api.put(url, body, version="1.28")``."""
    return PlacementClient()


@pytest.fixture
def baremetal(db) -> BaremetalClient:
    """Ironic, as an administrator with the newest version: ``baremetal.patch("/v1/nodes/…", operations)``."""
    return BaremetalClient()
