"""docs/architecture.md names files that are there."""

import re
from pathlib import Path

import pytest
from tests.structure.sources import CHECKER, ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ROWS = [line.split("|")[1:-1] for line in PAGE.splitlines() if line.startswith("| `")]


def found(path: str) -> Path:
    return next((root / path for root in (CHECKER, ROOT) if (root / path).exists()), ROOT / path)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip())
def test_every_room_of_the_page_is_there(row: list[str]) -> None:
    rooms = re.findall(r"`([^`]+)`", row[0])
    assert [room for room in rooms if not found(room).exists()] == []


def test_no_folder_of_the_checker_is_left_out() -> None:
    folders = {f.relative_to(CHECKER).as_posix() for f in CHECKER.iterdir() if f.is_dir() and any(f.glob("*.py"))}
    assert {name for name in folders if f"`{name}`" not in PAGE} == set()
