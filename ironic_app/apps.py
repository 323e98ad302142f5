from django.apps import AppConfig


class IronicConfig(AppConfig):
    name = "ironic_app"
    verbose_name = "Bare metal"
