"""The pages that need both apps, and those about the operators themselves."""

from claimsite.foundation.admin.site import OperatorSite
from claimsite.operations import finding, home
from claimsite.operations.admin import people

__all__ = ["people"]

OperatorSite.home = staticmethod(home.context)
OperatorSite.finders = [finding.things, finding.requests]
