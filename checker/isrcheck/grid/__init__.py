"""Grids of runs: which models with which constants, properties and limits, from TOML to cells."""
