"""The template for GitLab: its script is run here with bash."""

import subprocess
from pathlib import Path

import yaml  # type: ignore[import-untyped]  # it ships no types
from tests.ci.project import ROOT, break_it, present, project

TEMPLATE = yaml.safe_load((ROOT / "docs" / "gitlab-ci.yml").read_text(encoding="utf-8"))
JOB = TEMPLATE["isrcheck-gate"]


def test_a_red_gate_leaves_its_summary_and_its_reports(tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    break_it(folder)
    _, script = JOB["script"]
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env={**present(tmp_path), "BUDGET": JOB["variables"]["BUDGET"], "GITLAB_CI": "true"},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 21, done.stderr
    assert "**violated in 3 steps**" in (folder / "isrcheck.md").read_text(encoding="utf-8")
    reports = JOB["artifacts"]["reports"]
    kept = [*JOB["artifacts"]["paths"], *reports.values()]
    assert [name for name in kept if not (folder / name).exists()] == []


def test_reports_are_kept_after_a_red_gate_and_caches_are_used() -> None:
    assert JOB["artifacts"]["when"] == "always"
    assert JOB["cache"]["when"] == "always"
    folders = [JOB["variables"][name] for name in ("PIP_CACHE_DIR", "ISRCHECK_CACHE_DIR")]
    assert folders == [f"$CI_PROJECT_DIR/{path}" for path in JOB["cache"]["paths"]]
    assert len(TEMPLATE) == 1
