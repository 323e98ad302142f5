"""Real machines as plain data: read from files, known to no database. Each app makes of them what it keeps.

Imports neither app.
"""
