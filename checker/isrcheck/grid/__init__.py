"""Grids of runs: which models with which constants, properties and limits, written down in TOML and expanded to cells."""
