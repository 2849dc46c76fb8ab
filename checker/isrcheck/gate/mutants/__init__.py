"""Mutants: a model changed in one place, and which of its properties kills it."""
