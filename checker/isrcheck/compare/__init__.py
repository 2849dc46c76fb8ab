"""Variants held against each other: many cells at once, and a model against what it was."""
