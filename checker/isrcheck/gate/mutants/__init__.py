"""Mutants: a model changed in one place."""
