"""The facts and drawings of the reports are what the models say now, and pages are made of such facts."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from tests.slow import quick_sample
from tools.reports.graphs import GRAPHS
from tools.reports.graphs import draw as draw_graph
from tools.reports.matrix import FOLDER, ROOT, RUNS, main
from tools.reports.traces import SECTIONS, Cell, draw, page, rows_violated

from isrcheck.compare.cells import cells_of_files
from isrcheck.evidence.follow import MOST_STEPS
from isrcheck.evidence.report.facts import key
from isrcheck.evidence.report.folder import report_page


def facts_in(folder: Path) -> dict[str, Any]:
    """The facts of the report in a folder."""
    facts: dict[str, Any] = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    return facts


def committed() -> dict[str, Any]:
    return facts_in(FOLDER)


def without_files(run: dict[str, Any]) -> dict[str, Any]:
    """A run's facts but for the version and the names of its drawings."""
    properties = [{n: v for n, v in p.items() if n != "drawn"} for p in run.get("properties", ())]
    return {**{n: v for n, v in run.items() if n != "version"}, "properties": properties}


def assert_same(old: dict[str, Any], new: dict[str, Any]) -> None:
    """The same runs, of which nothing differs but the version and the names of files."""
    before, after = ({key(run): run for run in facts["runs"]} for facts in (old, new))
    assert before.keys() == after.keys()
    for name, run in before.items():
        assert without_files(run) == without_files(after[name])


def test_it_is_made_by_the_list_of_runs() -> None:
    cells, made = cells_of_files([ROOT / RUNS]), committed()
    assert RUNS in made["command"]
    assert [cell.model for cell in cells] == [run["model"] for run in made["runs"]]


@pytest.mark.slow
def test_the_report_is_made_in_a_folder(tmp_path: Path) -> None:
    """Its facts are the committed ones; every violation has a page and a drawing, and no file is large."""
    main(tmp_path)
    facts = facts_in(tmp_path)
    assert_same(committed(), facts)
    noise = json.loads((tmp_path / "noise.json").read_text(encoding="utf-8"))
    assert (tmp_path / "index.html").read_text(encoding="utf-8") == report_page(facts, noise)
    drawn = {p["drawn"] for run in facts["runs"] for p in run["properties"] if p["verdict"] == "violated"}
    files = {f"{name}.{ending}" for name in drawn if name for ending in ("html", "svg")}
    assert {file.name for file in (tmp_path / "traces").iterdir()} == files
    sizes = [file.stat().st_size for file in tmp_path.rglob("*") if file.is_file()]
    assert max(sizes) < 1 << 20
    assert sum(sizes) < 5 << 20


CELLS = [cell for cells in SECTIONS.values() for cell in cells()]
QUICK = [min(cells(), key=lambda cell: cell.steps) for cells in SECTIONS.values()]


@pytest.mark.parametrize("cell", quick_sample(CELLS, 0, QUICK), ids=lambda cell: cell.file)
def test_a_drawing_has_every_step(cell: Cell, tmp_path: Path) -> None:
    draw(cell, tmp_path)
    groups = ET.parse(tmp_path / cell.file).getroot().iter("{http://www.w3.org/2000/svg}g")
    drawn = [group.attrib["id"] for group in groups]
    assert cell.steps <= len(drawn) <= cell.steps + MOST_STEPS
    assert drawn == [f"step-{n}" for n in range(1, len(drawn) + 1)]  # what can follow is drawn behind the violation


def test_every_cell_has_its_own_file_on_the_page() -> None:
    text = page()
    assert len({cell.file for cell in CELLS}) == len(CELLS) > 100
    assert [cell.file for cell in CELLS if f"({cell.file})" not in text] == []


def test_every_violated_row_of_every_matrix_is_drawn() -> None:
    exact = {(cell.model, cell.violates, cell.steps) for cell in CELLS}
    at_most = {(cell.model, cell.violates) for cell in CELLS}
    for row in rows_violated("smallest-violations.csv"):
        assert (row["model"], row["property"], int(row["steps"])) in exact, row
    for row in rows_violated("guards.csv"):
        if row["model"].startswith("async-isr"):
            assert (row["model"], row["property"], int(row["steps"])) in exact, row
    for row in rows_violated("original-design.csv"):
        if row["length"]:
            assert ("original-design", row["property"], int(row["length"]) - 1) in exact, row
    for matrix in ("isr-matrix.toml", "partition-matrix.csv"):
        for row in rows_violated(matrix):
            if row.get("length", row.get("steps")):
                assert (row["model"], row["property"]) in at_most, row


@pytest.mark.parametrize("name", quick_sample(GRAPHS, 0, ["toy-ratchet"]))
def test_a_picture_has_every_node(name: str, tmp_path: Path) -> None:
    draw_graph(name, tmp_path)
    text = (tmp_path / f"{name}.dot").read_text(encoding="utf-8")
    groups = ET.parse(tmp_path / f"{name}.svg").getroot().iter("{http://www.w3.org/2000/svg}g")
    nodes = [group for group in groups if group.attrib.get("class") == "node"]
    assert len(nodes) == len(re.findall(r"^ +\w+ \[label=", text, re.MULTILINE)) - text.count("\n  graph [label=")
