"""The pre-commit hook, and the commands that the pages name."""

import re
import shlex
import subprocess
from pathlib import Path

import click
import pytest
from tests.ci.project import ROOT, break_it, present, project
from tests.ci.workflow import parse

from isrcheck.cli import commands

HOOK = parse((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))[0]


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
