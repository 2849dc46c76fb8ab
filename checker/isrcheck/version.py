"""The version of isrcheck, which pyproject.toml takes from here: to ask the installed package costs 0.05 s."""

__version__ = "0.1.0"
