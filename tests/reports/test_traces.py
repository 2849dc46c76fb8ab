"""The drawings in reports/ are those of the cells, and nothing else."""

import xml.etree.ElementTree as ET

from tests.reports.traces import FOLDER, SECTIONS


def test_every_cell_has_its_drawing_with_every_step() -> None:
    found = [cell for cells in SECTIONS.values() for cell in cells()]
    assert len(found) > 100
    assert {file.name for file in FOLDER.glob("*.svg")} == {cell.file for cell in found}
    for cell in found:
        groups = ET.parse(FOLDER / cell.file).getroot().iter("{http://www.w3.org/2000/svg}g")
        assert [group.attrib["id"] for group in groups] == [f"step-{n + 1}" for n in range(cell.steps + 1)], cell


def test_the_page_lists_every_drawing() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [file.name for file in FOLDER.glob("*.svg") if f"({file.name})" not in page] == []
