"""The version of isrcheck, also for pyproject.toml: to ask the package costs 0.05 s."""

__version__ = "0.1.0"
