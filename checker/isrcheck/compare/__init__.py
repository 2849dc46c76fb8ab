"""Variants compared: cells of a matrix, and a model against what it was."""
