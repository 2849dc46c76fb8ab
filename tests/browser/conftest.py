"""One browser for the tests of this folder, and pages in it for a test."""

from collections.abc import Iterator

import pytest
from tests.browser.browser import Opener, one_browser
from tests.fixtures.per_folder import PerFolder

BROWSER = PerFolder(one_browser)


@pytest.fixture
def opened() -> Iterator[Opener]:
    opener = Opener(BROWSER.get())
    yield opener
    opener.close()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    BROWSER.leave(item, nextitem)
