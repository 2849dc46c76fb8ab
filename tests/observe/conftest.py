"""One Spark session for the tests of this folder."""

from typing import Any

import pytest
from tests.fixtures.per_folder import PerFolder

from isrcheck.engines.spark.session import session
from isrmodel.observe.table import OPTIONS

SPARK = PerFolder(lambda: session(workers=2, defaults=OPTIONS))


@pytest.fixture(scope="module")
def spark() -> Any:
    return SPARK.get()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    SPARK.leave(item, nextitem)
