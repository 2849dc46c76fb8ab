"""Every link of a built site leads to a file in it, and to a place in that file where it names one."""

import os
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

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


_LINKS = {
    "a": "href",
    "link": "href",
    "img": "src",
    "script": "src",
    "iframe": "src",
    "source": "src",
    "object": "data",
}


@dataclass
class Page(HTMLParser):
    """The places of a page that a link can name, and where its links lead."""

    places: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keeps what an element names, and where it leads."""
        given = dict(attrs)
        self.places |= {value for key in ("id", "name") if (value := given.get(key))}
        link = given.get(_LINKS.get(tag, ""))
        if link is not None:
            self.links.append(link)
            if tag != "a" and given.get("rel") != "canonical":
                self.loads.append(link)


@cache
def read(file: Path) -> Page:
    """A page, parsed."""
    page = Page()
    page.feed(file.read_text(encoding="utf-8"))
    return page


def pages(site: Path) -> list[Path]:
    """The pages of a site."""
    return sorted(site.rglob("*.html"))


def links_to_nowhere(site: Path) -> list[str]:
    """The links that lead nowhere, each with its page."""
    return [
        f"{page.relative_to(site)}: {link}"
        for page in pages(site)
        if page.name != "404.html"  # which a server shows for any address, so its links begin at the root
        for link in read(page).links
        if not leads_somewhere(site, page, link)
    ]


def leads_somewhere(site: Path, page: Path, link: str) -> bool:
    """Whether a link of the site leads to what is there; links to the network are not asked."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return parts.scheme in ("https", "data", "mailto", "javascript")
    file = Path(os.path.normpath(page.parent / unquote(parts.path))) if parts.path else page
    if not file.is_relative_to(site) or not file.is_file():
        return False
    if not parts.fragment or file.suffix != ".html" or parts.fragment.startswith("__"):
        return True
    return unquote(parts.fragment) in read(file).places


def from_the_network(site: Path) -> list[str]:
    """The links by which a page loads from elsewhere when it is opened."""
    return [
        f"{page.relative_to(site)}: {link}"
        for page in pages(site)
        for link in read(page).loads
        if urlsplit(link).netloc
    ]
