"""The scenarios of docs/kraft.md are runs of the specs: their model, all constants, faults and steps."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
TABLE = re.compile(r"(?<=<!-- scenarios -->\n).*?(?=<!-- end of scenarios -->)", re.DOTALL)
LETTERS = {
    "f": "fences",
    "k": "kills",
    "l": "power_losses",
    "d": "disks",
    "s": "shrinks",
    "e": "elections",
    "c": "clean_stops",
    "r": "reassignments",
}
BOUNDS = {"max_version", "max_epoch", "max_session"}


def scenarios() -> list[list[str]]:
    """The cells of each row below the heading."""
    found = TABLE.search((ROOT / "docs" / "kraft.md").read_text(encoding="utf-8"))
    assert found
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in found[0].splitlines()[2:]]


@cache
def runs() -> list[dict[str, Any]]:
    texts = [(ROOT / "specs" / name).read_text(encoding="utf-8") for name in ("kraft.toml", "kraft-timed.toml")]
    return [run for text in texts for run in tomllib.loads(text)["run"]]


def chosen(run: dict[str, Any]) -> dict[str, str]:
    """The constants of a run, without bounds that follow from the faults, and without faults that do not happen."""
    constants = {name: str(value).lower() for name, value in run["constants"].items() if name not in BOUNDS}
    return {name: value for name, value in constants.items() if name not in LETTERS.values() or value != "0"}


@pytest.mark.parametrize("row", scenarios(), ids=lambda row: f"{row[0]} {row[3]}")
def test_a_scenario_is_a_run_with_these_constants_and_steps(row: list[str]) -> None:
    model, *pairs = re.findall(r"`([^`]+)`", row[3])
    faults = {LETTERS[letter]: number for letter, number in re.findall(r"\b([a-z])(\d)\b", row[4])}
    constants = {**dict(pair.split("=") for pair in pairs), **faults}
    steps = re.findall(r"`(\w+)`: (\d+)", row[5])
    assert steps
    for name, number in steps:
        expected = {run["expect"].get(name) for run in runs() if (run["model"], chosen(run)) == (model, constants)}
        assert f"violated in {number} steps" in expected


def test_each_scenario_of_the_spec_is_on_the_page() -> None:
    named = set(re.findall(r"\bS\d+\b", (ROOT / "specs" / "kraft.toml").read_text(encoding="utf-8")))
    assert named <= {name for row in scenarios() for name in re.findall(r"S\d+", row[0])}
