"""The navigation: the table "Read on" of README.md, row by row; then whatever else is in docs/, by what it tells."""

import re

from tools.site.repository import files_in_git, read_file

Item = str | dict[str, "Nav"]
Nav = list[Item]

# Pages about Kafka, to which README links from its text, and those to which they lead.
FINDINGS = [
    "findings",
    "policies",
    "partition",
    "kraft",
    "raft",
    "last-leader",
    "risk",
    "proof-of-kip-320",
]


def read_on() -> dict[str, list[str]]:
    """The pages of README's last table, by what a reader wants."""
    table = read_file("README.md").partition("## Read on")[2]
    rows = re.findall(r"^\| ([^|]+) \| (.*\]\(.*) \|$", table, re.MULTILINE)
    return {wish[0].upper() + wish[1:]: re.findall(r"\]\((docs/[^)#]+)\)", cell) for wish, cell in rows}


def navigation() -> Nav:
    """The site's navigation; pages are titled by their headings, which are questions."""
    sections = read_on()
    placed = [page for pages in sections.values() for page in pages]
    findings = [
        page for page in (f"docs/{name}.md" for name in FINDINGS) if page in files_in_git() and page not in placed
    ]
    rest = [page for page in files_in_git() if re.fullmatch(r"docs/[\w-]+\.md", page) and page not in placed + findings]
    nav: Nav = ["README.md", {"See what was found": ["matrix.md", "bugs/index.md", *findings]}]
    nav += [_section(wish, pages) for wish, pages in sections.items()]
    return [*nav, *([_section("Further", rest)] if rest else []), "CHANGELOG.md"]


def _section(name: str, pages: list[str]) -> Item:
    return {name: [_item(page) for page in pages]}


def _item(page: str) -> Item:
    if page != "docs/adr":
        return page
    decisions = [
        path for path in files_in_git() if path.startswith("docs/adr/") and not path.endswith("000-template.md")
    ]
    return {"Decisions": ["docs/adr/index.md", *decisions]}
