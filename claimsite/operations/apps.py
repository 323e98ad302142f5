from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "claimsite.operations"
    label = "operations"
    verbose_name = "Operations"
