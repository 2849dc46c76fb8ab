"""The composite Action: its steps do what they say, run here with bash as GitHub runs them."""

import json
import re
from pathlib import Path

import pytest
from tests.ci.project import ACTION, ROOT, Run, break_it, present, project
from tests.ci.workflow import expressions, parse


def started(tmp_path: Path, **inputs: str) -> Run:
    folder = project(tmp_path / "project")
    (tmp_path / "temp").mkdir()
    return Run(folder, tmp_path, present(tmp_path), inputs)


def test_a_green_gate(tmp_path: Path) -> None:
    run = started(tmp_path)
    assert run.steps("Install") == 0, run.said
    assert run.outputs["exit"] == "0"
    assert run.outputs["sarif"] == "true"
    made = {file.name for file in (tmp_path / "temp" / "isrcheck").iterdir()}
    assert {"gate.json", "junit.xml", "isrcheck.sarif"} <= made
    assert "as expected" in run.summary


def test_a_red_gate_with_its_pictures(tmp_path: Path) -> None:
    run = started(tmp_path, budget="5m", args="--workers 1")
    break_it(run.folder)
    assert run.steps("Install") == 21, run.said
    assert run.outputs["exit"] == "21"
    assert "::error file=counter.py,line=" in run.said
    assert "small" in run.summary
    assert "```mermaid\nsequenceDiagram\n" in run.summary
    made = tmp_path / "temp" / "isrcheck"
    assert [f.suffix for f in sorted((made / "traces").iterdir())] == [".json", ".svg", ".txt"]
    sarif = json.loads((made / "isrcheck.sarif").read_text(encoding="utf-8"))
    assert sarif["runs"][0]["results"]


@pytest.mark.parametrize("specs", ["specs/none*.toml", "$(touch hurt)", "specs/counter.toml --yes"])
def test_specs_that_are_none_never_pass(tmp_path: Path, specs: str) -> None:
    run = started(tmp_path, specs=specs)
    assert run.steps("Install") == 2, run.said
    assert not (run.folder / "hurt").exists()


def test_a_command_that_is_missing_never_passes(tmp_path: Path) -> None:
    run = started(tmp_path)
    (tmp_path / "tools" / "isrcheck").unlink()
    assert run.steps("Install") == 127
    assert "sarif" not in run.outputs


def test_inputs_reach_scripts_only_as_variables() -> None:
    """Text from outside that is pasted into a script would be run by it."""
    assert [s["name"] for s in ACTION["runs"]["steps"] if list(expressions(s.get("run", "")))] == []
    used = re.findall(r"inputs\.([a-z-]+)", (ROOT / "action.yml").read_text(encoding="utf-8"))
    assert set(used) == set(ACTION["inputs"])


def test_every_step_that_reports_runs_after_a_red_gate() -> None:
    steps = ACTION["runs"]["steps"]
    after = steps[[s.get("id") for s in steps].index("gate") + 1 :]
    assert all(s["if"].startswith("always()") for s in after)
    assert all("shell" in s for s in steps if "run" in s)


def test_the_parser_refuses_what_it_does_not_know() -> None:
    for text in ("a: [1]\n", "a: 1\na: 2\n", "a:\n   b: 1\n", "just words\n", "a: x # y\n", "a: &b c\n"):
        with pytest.raises(ValueError, match="line"):
            parse(text)
