from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "claimsite.operations"
    label = "operations"
    verbose_name = "Operations"

    def ready(self) -> None:
        from claimsite.operations import mirror
        from ironic_app.services import observers

        observers.listen(mirror.follow)
