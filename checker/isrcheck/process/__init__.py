"""Processes, their limits and their signals."""
