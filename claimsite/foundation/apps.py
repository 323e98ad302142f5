from django.apps import AppConfig


class FoundationConfig(AppConfig):
    name = "claimsite.foundation"
    label = "foundation"

    def ready(self) -> None:
        from claimsite.foundation import checks  # noqa: F401  registers the start-up checks
