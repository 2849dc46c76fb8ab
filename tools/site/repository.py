"""The files that git keeps, as pages of the site read them: what a link leads to, and what a page is called."""

import json
import os
import re
import subprocess
from functools import cache
from pathlib import Path

Item = str | dict[str, "Nav"]
Nav = list[Item]

# Pages about Kafka, to which README links from its text, and those to which they lead.
FINDINGS = [
    "findings",
    "policies",
    "partition",
    "kraft",
    "raft",
    "fluss",
    "last-leader",
    "replaced-disk",
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


ROOT = Path(__file__).parents[2]
PAGES = (".md", ".ipynb")
LINK = re.compile(r"(?<=\]\()([^)#\s:]+)(?=[)#\s])")
_FENCE = re.compile(r"^\s*```")


@cache
def files_in_git() -> tuple[str, ...]:
    """Every file that git keeps; outside a checkout, what is there."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    files = listed.stdout.splitlines() or [p.relative_to(ROOT).as_posix() for p in ROOT.rglob("*") if p.is_file()]
    return tuple(sorted(file for file in files if (ROOT / file).is_file()))


@cache
def read_file(path: str) -> str:
    """Read a file of the checkout."""
    return (ROOT / path).read_text(encoding="utf-8")


def title(path: str) -> str:
    """The first heading of a page, or the file's name."""
    heading = re.search(r"^# (.+)$", markdown(path), re.MULTILINE) if path.endswith(PAGES) else None
    return heading[1] if heading else path.rpartition("/")[2]


def markdown(path: str) -> str:
    """A page as Markdown: a page as it stands, a notebook as its cells without what they printed."""
    return notebook(read_file(path)) if path.endswith(".ipynb") else read_file(path)


def notebook(written: str) -> str:
    """The cells of a notebook: its prose, and its code in blocks."""
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(written)["cells"]]
    return "\n\n".join(f"````python\n{said}\n````" if kind == "code" else said for kind, said in cells) + "\n"


def prose(page: str) -> list[tuple[bool, str]]:
    """The lines of Markdown, each with whether it is prose: no line of a fenced block."""
    fenced, lines = False, []
    for line in page.splitlines(keepends=True):
        edge = bool(_FENCE.match(line))
        lines.append((not fenced and not edge, line))
        fenced ^= edge
    return lines


def target(page: str, link: str) -> str:
    """The path in the checkout to which a page's link leads."""
    return os.path.normpath(os.path.join(os.path.dirname(page), link))  # noqa: PTH118, PTH120 - pure paths keep `..`


def links(page: str) -> list[str]:
    """The paths in the checkout to which the links of a page lead, pictures included."""
    lines = [line for is_prose, line in prose(markdown(page)) if is_prose]
    targets = [match[1] for line in lines for match in LINK.finditer(line)]
    targets += [link for line in lines for link in re.findall(r'(?:href|src)="([^"#:]+)[#"]', line)]
    return [target(page, link) for link in targets]


def folder(path: str) -> list[str]:
    """The files that git keeps directly in a folder."""
    return [file for file in files_in_git() if file.rpartition("/")[0] == path]


def is_folder(path: str) -> bool:
    """Whether git keeps a file below it."""
    return any(file.startswith(f"{path}/") for file in files_in_git())
