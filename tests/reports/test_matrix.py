"""The kept facts of the run report are what the models say now, and the report is made of such facts."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from tools.reports.matrix import FOLDER, main, words

from isrcheck.commands.report import Planned, plan_runs, report_run
from isrcheck.evidence.progress import ProgressLine
from isrcheck.evidence.report.facts import differences, facts_of, key
from isrcheck.evidence.report.folder import report_page


def runs() -> tuple[Planned, ...]:
    listed = words()
    return plan_runs((), {}, [b for a, b in pairwise(listed) if a == "--run"])


def facts_in(folder: Path) -> dict[str, Any]:
    """The facts of the report in a folder."""
    facts: dict[str, Any] = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    return facts


def committed() -> dict[str, Any]:
    return facts_in(FOLDER)


def assert_same(old: dict[str, Any], new: dict[str, Any]) -> None:
    """The same runs, of which nothing differs but the version and the names of files."""
    before, after = ({key(run): run for run in facts["runs"]} for facts in (old, new))
    assert before.keys() == after.keys()
    for name, run in before.items():
        assert list(differences(run, after[name])) == []
        assert run.get("vacuous") == after[name].get("vacuous")


@pytest.mark.slow
def test_no_fact_has_drifted() -> None:
    """Nothing differs between the runs, made now, and those in the report."""
    with ProgressLine(Console(quiet=True)) as progress:
        facts = facts_of([report_run(run, progress) for run in runs()], "now", "none")
    assert_same(committed(), facts)


def test_it_is_made_by_the_list_of_runs() -> None:
    assert committed()["command"].count("--run") == len(runs()) == len(committed()["runs"])


@pytest.mark.slow
def test_the_report_is_made_in_a_folder(tmp_path: Path) -> None:
    """Its page is made of its facts and its noise, every violation has a page and a drawing, and no file is large."""
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
