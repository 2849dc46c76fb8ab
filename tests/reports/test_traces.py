"""The drawings in reports/ are those of the cells, and nothing else."""

import xml.etree.ElementTree as ET

from tests.reports.traces import FOLDER, SECTIONS, violated

from isrcheck.evidence.follow import MOST_STEPS


def test_every_cell_has_its_drawing_with_every_step() -> None:
    found = [cell for cells in SECTIONS.values() for cell in cells()]
    assert len(found) > 100
    assert {file.name for file in FOLDER.glob("*.svg")} == {cell.file for cell in found}
    for cell in found:
        groups = ET.parse(FOLDER / cell.file).getroot().iter("{http://www.w3.org/2000/svg}g")
        drawn = [group.attrib["id"] for group in groups]
        assert cell.steps < len(drawn) <= cell.steps + 1 + MOST_STEPS, cell
        assert drawn == [f"step-{n}" for n in range(len(drawn))], cell  # what can follow is drawn behind the violation


def test_the_page_lists_every_drawing() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [file.name for file in FOLDER.glob("*.svg") if f"({file.name})" not in page] == []


def test_every_violated_row_of_every_matrix_is_drawn() -> None:
    drawn = [cell for cells in SECTIONS.values() for cell in cells()]
    exact = {(cell.model, cell.promise, cell.steps) for cell in drawn}
    at_most = {(cell.model, cell.promise) for cell in drawn}
    for row in violated("smallest-violations.csv"):
        assert (row["model"], row["property"], int(row["steps"])) in exact, row
    for row in violated("guards.csv"):
        if row["model"].startswith("async-isr"):
            assert (row["model"], row["property"], int(row["steps"])) in exact, row
    for row in violated("original-design.csv"):
        if row["length"]:
            assert ("original-design", row["property"], int(row["length"]) - 1) in exact, row
    for matrix in ("isr-matrix.csv", "partition-matrix.csv"):
        for row in violated(matrix):
            if row.get("length", row.get("steps")):
                assert (row["model"], row["property"]) in at_most, row
