"""The pages that need both apps, and those about the operators themselves."""

from claimsite.foundation.admin.site import OperatorSite, OwnPage
from claimsite.operations import finding, home
from claimsite.operations.admin import bare_metal, commands, explain, mismatches, nodes, people
from placement_app.admin import heat

__all__ = ["bare_metal", "nodes", "people"]

OperatorSite.home = staticmethod(home.context)
OperatorSite.pages += [
    OwnPage("explain", "Why would it not land?", explain.view, position=1),
    OwnPage("heat", "How full is it?", heat.view, position=2),
    OwnPage("commands", "Which command does it?", commands.view, position=3),
]
OperatorSite.finders = [finding.things, finding.requests]
home.FINDERS.append(mismatches.of_machines)
mismatches.extend_pages()
