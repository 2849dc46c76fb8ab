"""Compiled models of a test run are kept apart from the user's, for all its processes together."""

import os
from pathlib import Path

import pytest

CHOSEN = "ISRCHECK_CACHE_DIR" in os.environ


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of this run: pytest-xdist gives each of its processes one below a common one."""
    own = tmp_path_factory.getbasetemp()
    return (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "compiled"


@pytest.fixture(autouse=True)
def cache(compiled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fresh cache, unless one was chosen."""
    if not CHOSEN:
        monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(compiled))
