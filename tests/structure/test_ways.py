"""The ways of values through the house in docs/architecture.md pass files that are there, and none twice."""

import re

from tests.structure.sources import CHECKER, ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def ways() -> dict[str, list[str]]:
    """By what goes a way, the files that it passes."""
    section = PAGE.partition("## The ways of four values")[2].partition("\n## ")[0]
    told = re.findall(r"^\*\*(.+?)\*\*(.+?)(?=^\*\*|\Z)", section, re.MULTILINE | re.DOTALL)
    return {name: re.findall(r"`([\w/]+\.py)`", text) for name, text in told}


def test_four_ways_are_told() -> None:
    assert len(ways()) == 4
    assert all(len(files) > 5 for files in ways().values())


def test_the_files_are_there_and_none_is_passed_twice() -> None:
    for name, files in ways().items():
        assert [file for file in files if not (CHECKER / file).is_file()] == [], name
        assert len(files) == len(set(files)), name
