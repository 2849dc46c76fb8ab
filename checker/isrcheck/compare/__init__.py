"""Variants held against each other: cells of a matrix, and a model against what it was."""
