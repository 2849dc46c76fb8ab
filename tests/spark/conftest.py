"""One Spark for the tests of a module: it takes seconds to start, and sweeps want one with other options."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from isrcheck.engines.contract import Cluster
from isrcheck.engines.spark.session import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def spark() -> Iterator["SparkSession"]:
    """Spark with two threads that try a task four times; plain local mode tries none again."""
    with session(Cluster("local[2,4]")) as started:
        yield started
