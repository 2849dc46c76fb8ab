"""Compiled models of a test run are kept apart from the user's."""

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A fresh cache, unless one was chosen."""
    if "ISRCHECK_CACHE_DIR" in os.environ:
        yield
        return
    os.environ["ISRCHECK_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
    yield
    del os.environ["ISRCHECK_CACHE_DIR"]
