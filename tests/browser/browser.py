"""A page in the machine's own Chromium, by Playwright, with all that it says and asks for kept."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, Playwright, sync_playwright
from tests.evidence.stories import kip_101

from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Path as Way
from isrcheck.evidence.explorer.explored_model import ExploredModel
from isrcheck.evidence.explorer.page import file_page, nearby
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.run.replay import path_to_verdict

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--no-sandbox", "--disable-quic", "--disable-background-networking", "--disable-component-update"]


def chromium() -> str:
    """The browser's path; the test is skipped where there is none."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no Chromium here (on Debian: apt-get install chromium), so the page is not tried in a browser")
    return found


def launched(playwright: Playwright) -> Browser:
    """The machine's browser; Playwright's own is never downloaded."""
    return playwright.chromium.launch(executable_path=chromium(), args=FLAGS)


@contextmanager
def one_browser() -> Iterator[Browser]:
    """A browser for as long as a module's tests need it."""
    chromium()
    with sync_playwright() as playwright:
        browser = launched(playwright)
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page with what it has said on the console, the errors that nobody caught, and all that it has asked for."""

    page: Page
    said: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def text(self, selector: str) -> str:
        return self.page.inner_text(selector)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def where(self, position: str) -> str:
        """Waits until the page is at a position such as 1 of 9 steps, and gives the whole line."""
        self.page.wait_for_function(
            "wanted => document.getElementById('where').textContent.startsWith(wanted + ' step')", arg=position
        )
        return self.text("#where")

    def too_wide(self) -> bool:
        """Whether the page as a whole scrolls sideways."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth > innerWidth"))

    def quiet(self) -> None:
        """Asserts that nothing went wrong, and that nothing but files was asked for."""
        assert self.said == []
        assert self.errors == []
        assert [url for url in self.asked if not url.startswith(("file://", "data:"))] == []


@dataclass
class Opener:
    """Opens pages in one browser, and closes them after a test."""

    browser: Browser
    pages: list[Page] = field(default_factory=list)

    def __call__(
        self,
        where: Path | str,
        fragment: str = "",
        width: int = 1280,
        scheme: Literal["light", "dark"] = "light",
        ready: str = "#steps li [aria-current]",
    ) -> Opened:
        """A file or an address, in a window of this width, once it shows what matches `ready`."""
        page = self.browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.set_default_timeout(20_000)
        self.pages.append(page)
        opened = Opened(page)
        page.on("console", lambda message: opened.said.append(message.text))
        page.on("pageerror", lambda error: opened.errors.append(str(error)))
        page.on("request", lambda request: opened.asked.append(request.url))
        address = where.resolve().as_uri() if isinstance(where, Path) else where
        page.goto(f"{address}{fragment}")
        page.wait_for_selector(ready)
        return opened

    def close(self) -> None:
        for page in self.pages:
            page.close()


def subject(name: str, trace: Way | None = None, **constants: object) -> ExploredModel:
    bound = bind(read_model(find_model(name)), constants)
    return ExploredModel(bound, name, tuple(p.name for p in bound.properties), trace, "A claim." if trace else "")


@cache
def story() -> ExploredModel:
    trace = kip_101()
    way = path_to_verdict(bind(read_model(find_model(trace.model)), trace.constants), trace, "trace.json")
    return subject(trace.model, way, **trace.constants)


@cache
def text_of(one: ExploredModel, limit: int) -> str:
    return file_page(one, nearby(one, limit))


def page(tmp_path: Path, one: ExploredModel, limit: int = 500) -> Path:
    file = tmp_path / "page.html"
    file.write_text(text_of(one, limit), encoding="utf-8")
    return file


def rows(seen: Opened) -> dict[str, str]:
    lines = seen.page.locator("#state tr").all()
    return {line.locator("th").inner_text(): line.locator("td").first.inner_text() for line in lines}


def address(seen: Opened, ending: str) -> str:
    """The address, once it ends like this."""
    seen.page.wait_for_function("end => location.hash.endsWith(end)", arg=ending)
    return str(seen.page.evaluate("location.hash"))
