"""Grids of runs, from TOML to cells."""
