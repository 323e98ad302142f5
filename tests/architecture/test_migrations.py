"""The migrations describe the models."""

from django.apps import apps
from django.db import connection
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState


class TestMigrations:
    def test_they_are_complete(self, db):
        loader = MigrationLoader(connection)

        missing = MigrationAutodetector(loader.project_state(), ProjectState.from_apps(apps)).changes(loader.graph)

        assert missing == {}
