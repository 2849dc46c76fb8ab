"""The drawings that `./dev reports` makes: one for each violated cell, with every step; and its graphs."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tests.slow import quick_sample
from tools.reports.graphs import GRAPHS
from tools.reports.graphs import draw as draw_graph
from tools.reports.traces import SECTIONS, Cell, draw, page, rows_violated

from isrcheck.evidence.follow import MOST_STEPS

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
