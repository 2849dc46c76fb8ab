"""This project's own gate: its specs say what the published figures say, and every run is as they say."""

import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest
from tools.reports.specs import COLUMNS, Figures, figures, guard_runs, specs, write_specs
from tools.reports.tables import SPECS, rows

from isrcheck.gate.cells import cells
from isrcheck.gate.judge import judge
from isrcheck.gate.run import GateRunner
from isrcheck.gate.spec import parse_gate_spec

ROOT = Path(__file__).parents[2]
KRAFT = "kraft.toml"
TIMED = "kraft-timed.toml"
RAFT = "raft.toml"
FLUSS = "fluss.toml"
FAMILIES = (KRAFT, TIMED, RAFT, FLUSS)  # each has a test of its own; the last two in tests/raft and tests/fluss
FOREVER = ("forever.toml", "forever-kraft.toml", "forever-partition.toml")
BY_HAND = ["isr-matrix.toml", *FOREVER, *FAMILIES]
MADE = sorted(file.name for file in SPECS.glob("*.toml") if file.name not in BY_HAND)


@cache
def texts() -> dict[str, str]:
    """What `./dev specs` writes now; those in long/ run where the slow tests do."""
    return dict(specs())


@pytest.fixture(autouse=True)
def at_home() -> None:
    """Here the gate runs in the checkout."""


@pytest.mark.parametrize("name", MADE)
def test_the_specs_say_what_the_figures_say(name: str) -> None:
    """`./dev specs` writes them."""
    assert (SPECS / name).read_text(encoding="utf-8") == next(content for file, content in specs() if file == name)


def test_there_is_no_other_spec() -> None:
    """Grids of sweeps and the list of unneeded guards expect nothing."""
    assert sorted(name for name in texts() if not name.startswith("long/")) == MADE


def gate(names: list[str], workers: int) -> str:
    """What the gate says of some specs together, as `./dev gate` runs them; all is as expected, and nothing vacuous."""
    files = [f"specs/{name}" for name in names]
    words = [sys.executable, "-m", "isrcheck", "gate", *files, "--workers", str(workers), "--no-github"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "checker"), str(ROOT / "model")))}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_every_run_of_the_whole_gate_is_as_expected() -> None:
    write_specs()
    names = [name for name in (*BY_HAND, *texts()) if name not in FAMILIES]
    assert "vacuous" not in gate(names, os.cpu_count() or 1)


@pytest.mark.slow
def test_every_scenario_under_kraft_is_as_expected() -> None:
    """Every action of every model is taken in some run: an action that its constants switch off does not apply."""
    assert "vacuous" not in gate([KRAFT], os.cpu_count() or 1)


@pytest.mark.slow
def test_every_scenario_with_a_clock_is_as_expected() -> None:
    spec = parse_gate_spec((SPECS / TIMED).read_text(encoding="utf-8"), SPECS / TIMED)
    found = judge(GateRunner(cells(spec), os.cpu_count() or 1).run())
    assert [f.sentence for judged in found.cells for f in judged.wrong] == []
    assert len(found.cells) == 12


@pytest.mark.slow
def test_the_example_of_the_page() -> None:
    """The first spec and the grid of docs/gate.md, as they stand there."""
    page = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    blocks = re.findall(r"(?:^    .*\n|^\n(?=    ))+", page, re.MULTILINE)
    text = "\n".join(textwrap.dedent(block) for block in blocks if "[[run]]" in block or "[[grid" in block)
    found = judge(GateRunner(cells(parse_gate_spec(text, Path("gate.md"))), 2).run())
    assert [f.sentence for judged in found.cells for f in judged.wrong] == []
    assert len(found.cells) == 6


# The rows of specs/guards.csv are what the reference says, and those of a gate that misses every guard.

LARGEST_QUICK, LARGEST_FOR_REFERENCE = 500, 20_000  # distinct states


def table() -> dict[tuple[str, str], Figures]:

    def key(row: dict[str, str]) -> tuple[str, str]:
        return row["model"], row["constants"]

    return {
        chosen: {row["property"]: tuple(row[c] for c in COLUMNS[3:]) for row in group}
        for chosen, group in groupby(rows("guards.csv"), key)
    }


def cases() -> Sequence[object]:
    found = []
    for (model, constants), figures_of in table().items():
        states = int(figures_of["none"][2])
        if states <= LARGEST_FOR_REFERENCE:
            marks = [pytest.mark.slow] if states > LARGEST_QUICK else []
            found.append(pytest.param(model, constants, id=f"{model} {constants}".strip(), marks=marks))
    return found


@pytest.mark.parametrize(("model", "constants"), cases())
def test_the_reference_agrees(model: str, constants: str) -> None:
    assert figures(model, constants, "reference") == table()[model, constants]


def test_every_choice_at_which_guards_are_removed_has_its_rows() -> None:
    assert list(table()) == list(guard_runs())
