from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps


class FoundationConfig(AppConfig):
    name = "claimsite.foundation"
    label = "foundation"
    default = True

    def ready(self) -> None:
        from claimsite.foundation import checks  # noqa: F401  registers the start-up checks


class OperatorAdminConfig(admin_apps.AdminConfig):
    """Django's admin, with claimsite's own site in place of the stock one."""

    default = False
    default_site = "claimsite.foundation.admin.site.OperatorSite"
