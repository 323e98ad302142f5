"""The field's own clients, unmodified, against this site as it runs in production.

    python -m tests.realclients              all of them
    python -m tests.realclients sdk nova     some of them

Each client lives in a virtual environment of its own (``.cache/realclients/``), built when it is first needed. The site
is started for the run, with a database of its own and a conductor whose machines need a moment for everything.
"""
