from __future__ import annotations

from typing import Any

import orjson
from django.db import models


class DocumentField(models.JSONField):
    """A JSON column that is read by the fast parser: a page of nodes has ten of them a row."""

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        # A path into the document (a KeyTransform) is read Django's way: its value may be half parsed already.
        if isinstance(value, str | bytes) and not hasattr(expression, "key_name"):
            return orjson.loads(value)
        return super().from_db_value(value, expression, connection)
