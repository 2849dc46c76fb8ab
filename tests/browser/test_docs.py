"""Pages of docs/ that show pictures, on a telephone: none is wider than the page."""

from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from tests.browser.browser import Opener

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {page.stem: page for page in sorted(DOCS.glob("*.md")) if "<img " in page.read_text(encoding="utf-8")}
_PAGE = "<!doctype html><meta charset=utf-8><meta name=viewport content='width=device-width'><base href='{}/'>{}"


def test_there_are_pages_with_pictures() -> None:
    assert {"findings", "explore"} <= PAGES.keys()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [390, 1200])
def test_no_picture_is_wider_than_the_page(opened: Opener, tmp_path: Path, name: str, width: int) -> None:
    text = MarkdownIt("commonmark").enable("table").render(PAGES[name].read_text(encoding="utf-8"))
    file = tmp_path / "page.html"
    file.write_text(_PAGE.format(DOCS.as_uri(), text), encoding="utf-8")
    pictures = opened(file, width=width, ready="img").page.locator("img")
    assert pictures.count() >= 1
    for picture in pictures.all():
        assert picture.evaluate("image => image.complete && image.naturalWidth > 0")
        box = picture.bounding_box()
        assert box is not None
        assert 300 < box["width"] <= width
