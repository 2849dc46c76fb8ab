"""The template for GitLab: its script is run here with bash."""

import re
import shlex
import subprocess
from pathlib import Path

import click
import pytest
import yaml  # type: ignore[import-untyped]  # it ships no types
from tests.ci.project import ROOT, break_it, present, project

from isrcheck.cli import commands

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


(HOOK,) = yaml.load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"), yaml.BaseLoader)


def test_the_hook_refuses_a_commit_that_changes_an_answer(tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    environment = present(tmp_path)

    def code() -> int:
        return subprocess.run(
            shlex.split(HOOK["entry"]), cwd=folder, env=environment, capture_output=True, check=False
        ).returncode

    assert code() == 0
    break_it(folder)
    assert code() == 21


@pytest.mark.parametrize(
    ("file", "runs"),
    [
        ("specs/a.toml", True),
        ("deep/specs/a.toml", True),
        ("mine.py", True),
        ("pyproject.toml", False),
        ("a.md", False),
    ],
)
def test_the_hook_runs_for_models_and_specs(file: str, runs: bool) -> None:
    assert bool(re.search(HOOK["files"], file)) is runs
    assert HOOK["pass_filenames"] == "false"


@pytest.mark.parametrize("page", ["docs/ci.md", "docs/compare.md", "docs/first-gate.md"])
def test_pages_name_commands_and_options_that_there_are(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    lines = [
        re.split(r" +#| \|\| ", line)[0] for line in re.findall(r"^(?: {4,}|\$ )(isrcheck .*)$", text, re.MULTILINE)
    ]
    assert lines
    for line in lines:
        _, name, *words = shlex.split(line)
        command = commands.get_command(click.Context(commands), name)
        assert isinstance(command, click.Command)
        known = {option for param in command.params for option in (*param.opts, *param.secondary_opts)}
        assert [w for w in words if w.startswith("-") and w not in known] == []
