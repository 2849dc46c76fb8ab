"""The navigation: the table "Read on" of README.md, row by row; then whatever else is in docs/, by what it tells."""

import re

from tools.site.repository import kept, text

Entry = str | dict[str, "Nav"]
Nav = list[Entry]

# Pages about Kafka, to which README links from its text, and those to which they lead.
FOUND = [
    "findings",
    "policies",
    "original-design",
    "partition",
    "kraft",
    "raft",
    "last-leader",
    "risk",
    "proof-of-kip-320",
]


def read_on() -> dict[str, list[str]]:
    """By what a reader wants, the pages of README's last table."""
    table = text("README.md").partition("## Read on")[2]
    rows = re.findall(r"^\| ([^|]+) \| (.*\]\(.*) \|$", table, re.MULTILINE)
    return {wish[0].upper() + wish[1:]: re.findall(r"\]\((docs/[^)#]+)\)", cell) for wish, cell in rows}


def navigation() -> Nav:
    """The site's navigation; pages are titled by their headings, which are questions."""
    sections = read_on()
    placed = [page for pages in sections.values() for page in pages]
    found = [page for page in (f"docs/{name}.md" for name in FOUND) if page in kept() and page not in placed]
    rest = [page for page in kept() if re.fullmatch(r"docs/[\w-]+\.md", page) and page not in placed + found]
    nav: Nav = ["README.md", {"See what was found": ["matrix.md", "bugs/index.md", *found]}]
    nav += [_section(wish, pages) for wish, pages in sections.items()]
    return [*nav, *([_section("Further", rest)] if rest else []), "CHANGELOG.md"]


def _section(name: str, pages: list[str]) -> Entry:
    return {name: [_entry(page) for page in pages]}


def _entry(page: str) -> Entry:
    if page != "docs/adr":
        return page
    decisions = [path for path in kept() if path.startswith("docs/adr/") and not path.endswith("000-template.md")]
    return {"Decisions": ["docs/adr/index.md", *decisions]}
