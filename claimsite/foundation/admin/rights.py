"""The three rights of operators. Groups of the same names carry them (made by a migration)."""

from __future__ import annotations

VIEW = "foundation.view"
OPERATE = "foundation.operate"
ADMINISTER = "foundation.administer"
