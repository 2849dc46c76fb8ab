"""Specs name the fairness that their runs assume, and whatever shows runs tells those apart."""

import json
from pathlib import Path

from tests.fixtures.command_line import as_process
from tests.liveness import small

from isrcheck import check
from isrcheck.compare.cells import cells_of_files, report_of
from isrcheck.evidence.report.entry import Measured, from_file
from isrcheck.gate.worker import result_of

SPEC = f"""
[[run]]
model = "{small.__file__}:Lock"
expect = {{ waiting_ends = "violated", lock_is_freed = "holds" }}

[[run]]
model = "{small.__file__}:Lock"
fairness = ["patient_lock"]
expect = {{ waiting_ends = "holds" }}
"""


def test_the_gate_runs_each_with_its_fairness(tmp_path: Path) -> None:
    (tmp_path / "locks.toml").write_text(SPEC)
    done = as_process("gate", str(tmp_path / "locks.toml"), "--json", str(tmp_path / "gate.json"))
    assert done.returncode == 0, done.stdout + done.stderr
    cells = json.loads((tmp_path / "gate.json").read_text())["cells"]
    assert [cell.get("fairness") for cell in cells] == [None, ["patient_lock"]]


def test_a_wrong_expectation_names_the_fairness(tmp_path: Path) -> None:
    (tmp_path / "locks.toml").write_text(SPEC.replace('{ waiting_ends = "holds" }', '{ waiting_ends = "violated" }'))
    done = as_process("gate", str(tmp_path / "locks.toml"))
    assert done.returncode == 21
    assert "fairness=patient_lock" in done.stdout


def test_a_comparison_keeps_runs_of_other_fairness_apart(tmp_path: Path) -> None:
    (tmp_path / "locks.toml").write_text(SPEC)
    found = [report_of(cell, result_of(cell)) for cell in cells_of_files([tmp_path / "locks.toml"])]
    entries = [entry.outcome for entry in found if isinstance(entry, Measured)]
    verdicts = [{p["name"]: p["verdict"] for p in entry["properties"]} for entry in entries]
    assert verdicts == [{"waiting_ends": "violated", "lock_is_freed": "holds"}, {"waiting_ends": "holds"}]
    assert [entry["constants"].get("fairness") for entry in entries] == [None, "patient_lock"]


def test_what_a_run_wrote_does_not_contradict_itself(tmp_path: Path) -> None:
    """The states are searched to the end, though every property of states is decided before: cycles need them all."""
    for model in (small.Early, small.Flips):
        outcome = check(model)
        assert outcome.property(outcome.properties[-1].name).assurance == "exhaustive"
        file = tmp_path / f"{model.__name__}.json"
        file.write_text(outcome.to_json())
        assert from_file(file).outcome["verdict"] == "violated"
