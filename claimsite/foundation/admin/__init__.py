"""What every operators' page stands on: the site, read-only pages, acts with confirmation, lists, exports.

Nothing is registered here; pages are registered by the apps and by ``claimsite.operations``.
"""
