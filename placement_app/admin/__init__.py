"""Pages for operators: who holds what, what is free, who was refused and why."""

from placement_app.admin import allocations, conflicts, consumers, histories, providers, vocabulary

__all__ = ["allocations", "conflicts", "consumers", "histories", "providers", "vocabulary"]
