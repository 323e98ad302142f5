"""No tables, only the three rights that operators can have."""

from django.db import models


class Right(models.Model):
    """Carries the permissions ``foundation.view``, ``foundation.operate``, ``foundation.administer``.

    Three rights for the whole site instead of four for every table: a page that comes later is covered at once.
    """

    class Meta:
        managed = False
        default_permissions = ()
        permissions = [
            ("view", "May see every page"),
            ("operate", "May fix what is wrong with claims and nodes"),
            ("administer", "May change what there is to claim, and who is an operator"),
        ]

    def __str__(self) -> str:
        return f"right {self.pk}"
