"""How Django writes what a page leaves to it, by language."""
