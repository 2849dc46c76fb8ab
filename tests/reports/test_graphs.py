"""The graphs that `./dev reports` draws: each node of the text is in its picture."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tools.reports.graphs import GRAPHS, draw

QUICK = ("toy-ratchet",)


def assert_drawn(name: str, folder: Path) -> None:
    draw(name, folder)
    text = (folder / f"{name}.dot").read_text(encoding="utf-8")
    groups = ET.parse(folder / f"{name}.svg").getroot().iter("{http://www.w3.org/2000/svg}g")
    nodes = [group for group in groups if group.attrib.get("class") == "node"]
    assert len(nodes) == len(re.findall(r"^ +\w+ \[label=", text, re.MULTILINE)) - text.count("\n  graph [label=")


@pytest.mark.parametrize("name", QUICK)
def test_a_picture_has_every_node(name: str, tmp_path: Path) -> None:
    assert_drawn(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in GRAPHS if name not in QUICK])
def test_every_other_picture_has_every_node(name: str, tmp_path: Path) -> None:
    assert_drawn(name, tmp_path)
