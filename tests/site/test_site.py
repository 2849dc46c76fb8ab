"""The whole site, made from a clean clone without a network, and looked at in a browser."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from playwright.sync_api import Browser
from tests.browser.browser import Opener, one_browser
from tools.site.bugs import BUGS, Bug
from tools.site.links import from_the_network, links_to_nowhere
from tools.site.repository import ROOT

pytestmark = pytest.mark.slow
WITH_PICTURES = sorted(f"docs/{p.stem}.html" for p in ROOT.glob("docs/*.md") if "<img " in p.read_text())
PAGES = [
    *WITH_PICTURES,
    "index.html",
    "matrix.html",
    "bugs/index.html",
    "docs/policies.html",
    "docs/language.html",
    "docs/adr/index.html",
]


def offline() -> list[str]:
    """What cuts a command off from every network, where this user may do that."""
    cut = ["unshare", "--net"]
    able = shutil.which("unshare") and subprocess.run([*cut, "true"], capture_output=True, check=False).returncode == 0
    return cut if able else []


@pytest.fixture(scope="module")
def site() -> Iterator[Path]:
    """Made by what `./dev site` calls, with the packages of this environment and nothing else of this checkout."""
    with TemporaryDirectory() as folder:
        clone = Path(folder, "clone")
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone)], check=True)
        roots = os.pathsep.join(str(clone / name) for name in ("checker", "model", "brokers"))
        environment = {**os.environ, "PYTHONPATH": roots, "PYTHONWARNINGS": "error", "XDG_CACHE_HOME": folder}
        command = [*offline(), sys.executable, "-m", "tools.site.build"]
        made = subprocess.run(command, cwd=clone, env=environment, capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stderr
        assert made.stdout.endswith(f"{clone}/site/index.html\n")
        status = subprocess.run(["git", "status", "--short"], cwd=clone, capture_output=True, text=True, check=True)
        assert status.stdout == ""  # the site is where git does not look
        yield clone / "site"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with one_browser() as browser:
        yield browser


def test_it_is_whole(site: Path) -> None:
    assert links_to_nowhere(site) == []
    assert from_the_network(site) == []
    assert len(list((site / "matrix" / "traces").glob("*.html"))) > 50
    pages = {page.stem for page in (site / "docs").glob("*.html")}
    assert {page.stem for page in (site.parent / "docs").glob("*.md")} <= pages


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_bug_takes_as_many_steps_as_the_page_says(site: Path, bug: Bug) -> None:
    text = (site / "bugs" / f"{bug.name}.html").read_text(encoding="utf-8")
    assert 30_000 < len(text) < 300_000
    assert bug.end in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_scrolls_sideways(site: Path, browser: Browser, width: int, scheme: str) -> None:
    opener = Opener(browser)
    for name in PAGES:
        opened = opener(site / name, width=width, scheme="dark" if scheme == "dark" else "light", ready="h1")
        assert not opened.too_wide(), name
        assert opened.page.evaluate("getComputedStyle(document.body).colorScheme || ''") is not None
        background = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (background == "rgb(255, 255, 255)") == (scheme == "light"), name
        opened.quiet()
    opener.close()


def test_there_are_pages_with_pictures() -> None:
    assert {"docs/findings.html", "docs/explore.html"} <= {*WITH_PICTURES}


@pytest.mark.parametrize("width", [390, 1200])
def test_no_picture_is_wider_than_its_page(site: Path, browser: Browser, width: int) -> None:
    opener = Opener(browser)
    for name in WITH_PICTURES:
        pictures = opener(site / name, width=width, ready="article img").page.locator("article img")
        assert pictures.count() >= 1
        for picture in pictures.all():
            picture.scroll_into_view_if_needed()
            assert picture.evaluate("image => image.decode().then(() => image.naturalWidth > 0)"), name
            box = picture.bounding_box()
            assert box is not None, name
            assert 300 < box["width"] <= width, name
    opener.close()


def test_the_search_works_from_a_file(site: Path, browser: Browser) -> None:
    opener = Opener(browser)
    opened = opener(site / "index.html", ready="h1")
    opened.page.click("[data-md-component=search-query]")
    opened.page.keyboard.type("what does each version keep")
    opened.page.wait_for_selector(".md-search-result__link")
    first = opened.page.locator(".md-search-result__link").first.get_attribute("href")
    assert "/docs/policies.html?" in str(first)
    opened.quiet()
    opener.close()


def test_a_reader_can_choose_the_dark(site: Path, browser: Browser) -> None:
    opener = Opener(browser)
    opened = opener(site / "index.html", ready="h1")
    for expected in ("default", "slate"):
        opened.page.locator("label.md-header__button[for^=__palette]:visible").click()
        assert opened.page.get_attribute("body", "data-md-color-scheme") == expected
    opener.close()


def test_a_cell_of_the_matrix_leads_to_its_trace(site: Path, browser: Browser) -> None:
    opener = Opener(browser)
    opened = opener(site / "matrix.html", width=390, ready="a.violated")
    opened.page.locator("a.violated").first.click()
    opened.page.wait_for_url("**/matrix/traces/truncate-to-high-watermark-weak_isr.html*")
    assert "8 steps" in opened.text("body")
    opened.quiet()
    opener.close()
