"""One Spark for the tests of this folder: it takes seconds to start, and sweeps want one with other options."""

from typing import TYPE_CHECKING

import pytest
from tests.fixtures.per_folder import PerFolder
from tests.spark.runs import SHARED

from isrcheck.engines.contract import Cluster
from isrcheck.engines.spark.cluster import SEARCH_OPTIONS
from isrcheck.engines.spark.session import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Two threads that try a task four times; plain local mode tries none again.
SPARK = PerFolder(lambda: session(Cluster("local[2,4]"), defaults=SEARCH_OPTIONS))


@pytest.fixture(scope="module")
def spark() -> "SparkSession":
    SHARED.close()  # within a session there is no other one
    return SPARK.get()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    SPARK.leave(item, nextitem)
