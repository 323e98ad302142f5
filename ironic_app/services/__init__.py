"""Writes, and the small reads that belong to them: a module of verbs for each noun."""
