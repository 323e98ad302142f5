"""What making a word of the vocabulary takes, be it a resource class or a trait."""

from __future__ import annotations

from typing import TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Max

from claimsite.foundation.transactions import needs_transaction
from placement_app import errors
from placement_app.models.vocabulary import FIRST_CUSTOM_ID, Name

N = TypeVar("N", bound=Name)


@needs_transaction
def insert(model: type[N], name: str) -> N:
    """A custom name, behind all others. Raises NameCreatedMeanwhile if somebody else made it, or took its number."""
    newest = model._default_manager.aggregate(newest=Max("id"))["newest"] or 0
    try:
        with transaction.atomic():
            return model._default_manager.create(id=max(newest + 1, FIRST_CUSTOM_ID), name=name)
    except IntegrityError:
        raise errors.NameCreatedMeanwhile(name=name) from None
