"""OpenStack Placement's own HTTP tests, run against this site.

The suite is 79 files of requests and expected answers in the wheel of openstack-placement; it is read from there and
never changed. What its files expect to find (providers, claims, settings, names in the environment) is made here:

- ``suite``: where the files are, and how one of them is run against a site in this process or behind an address
- ``worlds``: the providers and claims that files start with, as plain data; ``loader`` makes them through the API
- ``scenes``: which world and which settings stand behind each fixture that a file can name
- ``table``: ``docs/conformance.md``, from real runs
"""
