"""Elements of a page, as GitHub reads it and as the site shows it. Readers of Markdown differ in lists."""

from collections import Counter
from html.parser import HTMLParser

from markdown_it import MarkdownIt

_COUNTED = {"h1", "h2", "h3", "h4", "li", "table", "tr", "td", "pre", "img", "blockquote"}


class Elements(HTMLParser):
    """Counts the elements of an article, or of everything where `within` is None."""

    def __init__(self, within: str | None) -> None:
        super().__init__()
        self.within = within
        self.inside = within is None
        self.counted: Counter[str] = Counter()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Counts an element; a line of code that is numbered or named counts as the block that it is."""
        if tag == self.within:
            self.inside = True
        elif self.inside and tag in _COUNTED and ("class", "md-nav__item") not in attrs:
            self.counted[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        """Leaves the article."""
        self.inside &= tag != self.within


def on_github(markdown: str) -> Counter[str]:
    """The elements of a page of Markdown as CommonMark with tables has them."""
    return _elements(MarkdownIt("commonmark").enable("table").render(markdown), None)


def on_the_site(html: str) -> Counter[str]:
    """The elements of a page's article."""
    return _elements(html, "article")


def _elements(html: str, within: str | None) -> Counter[str]:
    elements = Elements(within)
    elements.feed(html)
    return elements.counted
