"""Pages for operators: who holds what, what is free, who was refused and why."""

from placement_app.admin import claims, conflicts, consumers, providers, vocabulary

__all__ = ["claims", "conflicts", "consumers", "providers", "vocabulary"]
