"""One browser for a module, and pages in it for a test."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser
from tests.browser.browser import Opener, one_browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with one_browser() as browser:
        yield browser


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opener]:
    opener = Opener(browser)
    yield opener
    opener.close()
