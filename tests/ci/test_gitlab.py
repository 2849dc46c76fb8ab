"""The template for GitLab: its script is run here with bash, against a GitLab that is played."""

import json
import subprocess
from pathlib import Path

import yaml  # type: ignore[import-untyped]  # it ships no types
from tests.ci.project import ROOT, break_it, present, project
from tests.gate.forges import TOKEN, played_forge

TEMPLATE = yaml.safe_load((ROOT / "docs" / "gitlab-ci.yml").read_text(encoding="utf-8"))
JOB = TEMPLATE["isrcheck-gate"]


def test_a_merge_request_gets_a_note_and_the_job_its_reports(tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    break_it(folder)
    _, script = JOB["script"]
    with played_forge() as forge:
        environment = {
            **present(tmp_path),
            "BUDGET": JOB["variables"]["BUDGET"],
            "GITLAB_CI": "true",
            "CI_API_V4_URL": forge.address,
            "CI_MERGE_REQUEST_IID": "12",
            "CI_MERGE_REQUEST_PROJECT_ID": "5",
            "CI_JOB_NAME": "isrcheck-gate",
            "GITLAB_TOKEN": TOKEN,
        }
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 21, done.stderr
        (note,) = forge.bodies
    assert TOKEN not in done.stdout + done.stderr
    assert note.partition("\n")[2] == (folder / "isrcheck.md").read_text(encoding="utf-8")
    reports = JOB["artifacts"]["reports"]
    (issue,) = json.loads((folder / reports["codequality"]).read_text(encoding="utf-8"))
    assert issue["location"]["path"] == "counter.py"
    kept = [*JOB["artifacts"]["paths"], *reports.values()]
    assert [name for name in kept if not (folder / name).exists()] == []


def test_reports_are_kept_after_a_red_gate_and_caches_are_used() -> None:
    assert JOB["artifacts"]["when"] == "always"
    assert JOB["cache"]["when"] == "always"
    folders = [JOB["variables"][name] for name in ("PIP_CACHE_DIR", "ISRCHECK_CACHE_DIR")]
    assert folders == [f"$CI_PROJECT_DIR/{path}" for path in JOB["cache"]["paths"]]
    assert len(TEMPLATE) == 1
