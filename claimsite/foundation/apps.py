from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps
from django.db.models.signals import post_migrate


class FoundationConfig(AppConfig):
    name = "claimsite.foundation"
    label = "foundation"
    default = True

    def ready(self) -> None:
        from claimsite.foundation import checks  # noqa: F401  registers the start-up checks

        # After Django's own receiver, which makes the permissions.
        post_migrate.connect(_make_groups, sender=self)


class OperatorAdminConfig(admin_apps.AdminConfig):
    """Django's admin, with claimsite's own site in place of the stock one."""

    default = False
    default_site = "claimsite.foundation.admin.site.OperatorSite"


def _make_groups(using: str, **_: object) -> None:
    """Groups ``view``, ``operate`` and ``administer``: each may do what the ones before it may. Existing ones stay."""
    from django.contrib.auth.models import Group, Permission

    rights = Permission.objects.using(using).filter(content_type__app_label="foundation")
    by_name = {right.codename: right for right in rights}
    granted = []
    for name in ("view", "operate", "administer"):
        if name not in by_name:
            return
        granted.append(by_name[name])
        group, is_new = Group.objects.using(using).get_or_create(name=name)
        if is_new:
            group.permissions.add(*granted)
