"""The site's pages: all of docs/, each with what GitHub shows of it, in an order, and no link leads nowhere."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tools.site.bugs import BUGS, index
from tools.site.build import render, write_pages
from tools.site.links import Page, from_the_network, leads_somewhere, links_to_nowhere, on_github, on_the_site
from tools.site.matrix_page import matrix_page
from tools.site.repository import Nav, files_in_git, links, navigation, notebook, read_file, read_on
from tools.site.sources import list_of, page, page_of_file, source_of

DOCS = [path for path in files_in_git() if path.startswith("docs/") and path.endswith(".md")]
FACTS = json.loads(read_file("reports/matrix/facts.json"))


def stand_ins(sources: Path) -> None:
    """Empty pages in place of those for which models run."""
    drawn = [p["drawn"] for run in FACTS["runs"] for p in run["properties"] if p["drawn"]]
    for file in [*(f"bugs/{bug.name}" for bug in BUGS), *(f"matrix/traces/{name}" for name in drawn)]:
        (sources / f"{file}.html").parent.mkdir(parents=True, exist_ok=True)
        (sources / f"{file}.html").write_text("<p>", encoding="utf-8")
    (sources / "bugs" / "index.md").write_text(index(), encoding="utf-8")
    places = "".join(f"<p id=run-{n}>" for n, _ in enumerate(FACTS["runs"], start=1))
    (sources / "matrix" / "index.html").write_text(places, encoding="utf-8")


@pytest.fixture(scope="module")
def site() -> Iterator[Path]:
    """The site but for what runs of models make; MkDocs refuses to make it if it has anything to warn of."""
    with TemporaryDirectory() as folder:
        sources, out = Path(folder, "sources"), Path(folder, "site")
        sources.mkdir()
        write_pages(sources)
        stand_ins(sources)
        render(sources, out)
        yield out


def test_no_link_leads_nowhere_and_nothing_comes_from_the_network(site: Path) -> None:
    assert links_to_nowhere(site) == []
    assert from_the_network(site) == []


def test_every_page_shows_what_github_shows(site: Path) -> None:
    """Lists, tables, blocks and pictures by their number: the site's reader of Markdown is stricter than GitHub's."""
    wrong = {}
    for path in [*DOCS, "README.md", "CHANGELOG.md"]:
        file = "index.html" if path == "README.md" else path.removesuffix(".md") + ".html"
        shown_there = on_the_site((site / file).read_text(encoding="utf-8"))
        if (expected := on_github(read_file(path))) != shown_there:
            wrong[path] = {"GitHub": expected - shown_there, "site": shown_there - expected}
    assert wrong == {}


def test_the_search_knows_every_page(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    known = {entry["location"].partition("#")[0] for entry in index["docs"]}
    assert {path.removesuffix(".md") + ".html" for path in DOCS if "000-template" not in path} <= known


def pages_of(nav: Nav) -> Iterator[str]:
    for entry in nav:
        if isinstance(entry, str):
            yield entry
        else:
            for inner in entry.values():
                yield from pages_of(inner)


def test_the_navigation_has_every_page_once() -> None:
    pages = Counter(pages_of(navigation()))
    assert [page for page, times in pages.items() if times > 1] == []
    assert {path for path in DOCS if not path.endswith("000-template.md")} <= pages.keys()


def test_the_navigation_follows_the_readme() -> None:
    """Section by section; what README's table does not name comes before it or after."""
    sections = [name for entry in navigation() if isinstance(entry, dict) for name in entry]
    assert sections[1 : 1 + len(read_on())] == list(read_on())
    assert len(read_on()) >= 8
    assert {page for pages in read_on().values() for page in pages} - {"docs/adr"} <= set(links("README.md"))


def test_the_matrix_has_a_cell_for_every_verdict() -> None:
    """With the steps of each violation, and a link to its drawing or to its run."""
    page = matrix_page()
    runs = FACTS["runs"]
    violated = [p for run in runs for p in run["properties"] if p["verdict"] == "violated" and p["kind"] != "reachable"]
    assert len(violated) > 50
    for asked in violated:
        assert f"[violated in {asked['length'] - 1}](matrix/traces/{asked['drawn']}.html){{ .violated }}" in page
    assert page.count("{ .") == sum(len(run["properties"]) for run in runs)
    within = [p for r in runs if r["states"]["pruned"] for p in r["properties"] if p["verdict"] == "holds"]
    assert page.count("{ .bounded }") == len([p for p in within if p["assurance"] == "exhaustive"])


def test_links_to_folders_and_code_lead_to_pages(tmp_path: Path) -> None:
    assert source_of("docs/adr") == "docs/adr/index.md"
    assert source_of("reports") == "reports/README.md"
    assert source_of("examples/paxos.py") == "examples/paxos.py.md"
    assert "[decisions](docs/adr/index.md)" in page("README.md")
    assert re.search(r"\[!\[A committed record is missing[^\]]*\]\(([^)]+)\)\]\(\1\)", page("README.md"))
    assert "(../examples/two_phase.py.md)" in page("docs/from-tla.md")
    assert '```python title="mine.py"' in page("docs/first-gate.md") or "```python mine" not in read_file(
        "docs/first-gate.md"
    )
    assert page_of_file("examples/paxos.py").startswith("# examples/paxos.py\n\n````python\n")
    assert "(001-packaging.md)" in list_of("docs/adr")


@pytest.mark.parametrize(
    ("link", "good"),
    [
        ("there.html", True),
        ("there.html#place", True),
        ("there.html#elsewhere", False),
        ("missing.html", False),
        ("#here", True),
        ("#missing", False),
        ("../outside.html", False),
        ("folder", False),
        ("https://kafka.apache.org/", True),
        ("http://kafka.apache.org/", False),
    ],
)
def test_a_link_that_leads_nowhere_is_found(tmp_path: Path, link: str, good: bool) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "there.html").write_text("<h2 id='place'>", encoding="utf-8")
    here = tmp_path / "here.html"
    here.write_text(f"<a id=here href='{link}'>", encoding="utf-8")
    assert leads_somewhere(tmp_path, here, link) == good
    assert links_to_nowhere(tmp_path) == ([] if good else [f"here.html: {link}"])


def test_a_notebook_becomes_a_page() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# A check\n", "\n", "See."]},
        {"cell_type": "code", "source": "1 + 1"},
    ]
    assert notebook(json.dumps({"cells": cells})) == "# A check\n\nSee.\n\n````python\n1 + 1\n````\n"


def test_what_a_page_loads_is_told_from_where_it_leads() -> None:
    page = Page()
    page.feed("<a href='https://a.org'></a><script src='https://b.org/x.js'></script><img src=c.png>")
    assert page.loads == ["https://b.org/x.js", "c.png"]
    assert page.links == ["https://a.org", "https://b.org/x.js", "c.png"]
