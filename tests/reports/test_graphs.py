"""The graphs in reports/ are those of the models as they are now, each with its picture."""

import re
import xml.etree.ElementTree as ET

import pytest
from tests.reports.graphs import FOLDER, GRAPHS

from isrcheck.evidence.graph.dot import dot_text


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_is_that_of_its_model(name: str) -> None:
    text = dot_text(GRAPHS[name]())
    assert (FOLDER / f"{name}.dot").read_text(encoding="utf-8") == text
    groups = ET.parse(FOLDER / f"{name}.svg").getroot().iter("{http://www.w3.org/2000/svg}g")
    nodes = [group for group in groups if group.attrib.get("class") == "node"]
    assert len(nodes) == len(re.findall(r"^ +\w+ \[label=", text, re.MULTILINE)) - text.count("\n  graph [label=")


def test_there_is_nothing_else() -> None:
    assert {file.stem for file in FOLDER.iterdir()} == set(GRAPHS)
