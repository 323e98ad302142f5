"""Replays recorded requests against a Placement service over HTTP, and checks afterwards that its books are right.

A client like any other: it knows the protocol and the names of machines, and imports neither app.
"""
