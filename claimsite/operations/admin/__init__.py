"""The pages that need both apps, and those about the operators themselves."""

from claimsite.operations.admin import people

__all__ = ["people"]
