"""One Spark session for the tests of a module, with the options of sweeps."""

from collections.abc import Iterator
from typing import Any

import pytest

from isrcheck.engines.spark.session import session
from isrcheck.pipeline.sweep import OPTIONS


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with session(workers=2, defaults=OPTIONS) as started:
        yield started
