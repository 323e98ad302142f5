from django.apps import AppConfig
from django.db.models.signals import post_migrate


class PlacementConfig(AppConfig):
    name = "placement_app"
    verbose_name = "Placement"

    def ready(self) -> None:
        post_migrate.connect(_install_stamps, sender=self)
        post_migrate.connect(_sync_standards, sender=self)


def _install_stamps(**_: object) -> None:
    from placement_app.models import stamps

    stamps.install()


def _sync_standards(**_: object) -> None:
    """Standard names are rows as soon as there are tables (and again after ``flush``), never by the first request."""
    from placement_app.services import standards

    standards.sync()
