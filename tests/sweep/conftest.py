"""One Spark session for all of this folder."""

from collections.abc import Iterator
from typing import Any

import pytest

from isrcheck.engines.spark.session import session
from isrcheck.pipeline.sweep import OPTIONS


@pytest.fixture(scope="package")
def spark() -> Iterator[Any]:
    with session(workers=2, defaults=OPTIONS) as started:
        yield started
