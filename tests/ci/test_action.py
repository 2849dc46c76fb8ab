"""The composite Action: its steps do what they say, run here with bash as GitHub runs them."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import click
import pytest
import yaml  # type: ignore[import-untyped]  # it ships no types
from tests.ci.project import ACTION, EXPRESSION, ROOT, Run, break_it, present, project

from isrcheck.cli import commands


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
    assert [s["name"] for s in ACTION["runs"]["steps"] if EXPRESSION.search(s.get("run", ""))] == []
    used = re.findall(r"inputs\.([a-z-]+)", (ROOT / "action.yml").read_text(encoding="utf-8"))
    assert set(used) == set(ACTION["inputs"])


def test_every_step_that_reports_runs_after_a_red_gate() -> None:
    steps = ACTION["runs"]["steps"]
    after = steps[[s.get("id") for s in steps].index("gate") + 1 :]
    assert all(s["if"].startswith("always()") for s in after)
    assert all("shell" in s for s in steps if "run" in s)


# Each is the commit that the tag of this version names, read in a clone of the action's repository.
PINS = {
    "actions/checkout": ("d23441a48e516b6c34aea4fa41551a30e30af803", "v6.1.0"),
    "actions/setup-python": ("ece7cb06caefa5fff74198d8649806c4678c61a1", "v6.3.0"),
    "actions/cache": ("27d5ce7f107fe9357f9df03efb73ab90386fccae", "v5.0.5"),
    "actions/upload-artifact": ("bbbca2ddaa5d8feaa63e36b76fdaad77386f024f", "v7.0.0"),
    "github/codeql-action": ("8aad20d150bbac5944a9f9d289da16a4b0d87c1e", "v4.36.2"),
}


def test_other_actions_are_pinned_by_their_commit() -> None:
    """Whoever can move a tag could run what they like in the jobs of this Action's users."""
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in ("action.yml", "docs/ci.md")]
    uses = [line.split("uses: ")[1] for text in texts for line in text.splitlines() if "uses: " in line]
    others = [line for line in uses if not line.startswith("OWNER/isrcheck@")]
    pinned = {f"{name}@{commit} # {version}" for name, (commit, version) in PINS.items()}
    assert {re.sub(r"^([^/]+/[^/@]+)[^@]*", r"\1", line) for line in others} == pinned
    assert len(others) == 9


def test_what_is_compiled_is_kept_after_a_red_gate_too(tmp_path: Path) -> None:
    steps = {step["name"]: step for step in ACTION["runs"]["steps"]}
    restored, kept = steps["Cache of compiled models"], steps["Keep compiled models"]
    assert restored["with"]["path"] == kept["with"]["path"] == steps["Gate"]["env"]["ISRCHECK_CACHE_DIR"]
    assert steps["Cache of packages"]["with"]["path"] == steps["Install"]["env"]["PIP_CACHE_DIR"]
    assert list(steps).index("Cache of packages") < list(steps).index("Install") < list(steps).index("Gate")
    run = started(tmp_path)
    assert run.steps("Install", "Gate", "Answer") == 0, run.said
    assert re.fullmatch(r"[0-9a-f]{16}", run.outputs["packages"])
    assert re.fullmatch(r"\d{4}-\d{2}", run.outputs["week"])
    before = run.outputs["packages"]
    run.inputs["isrcheck"] = "isrcheck==1"
    assert run.steps("Install", "Gate", "Answer") == 0, run.said
    assert run.outputs["packages"] != before


@pytest.mark.parametrize("requirement", ["", "isrcheck @ git+https://host.invalid/x"])
def test_what_is_installed_has_its_hashes_checked(tmp_path: Path, requirement: str) -> None:
    run = started(tmp_path, isrcheck=requirement)
    (tmp_path / "tools" / "python").write_text('#!/bin/sh\nprintf "%s|" "$@"; echo\n', encoding="utf-8")
    assert run.steps("Keys", "Gate", "Answer") == 0, run.said
    lines = [line.removeprefix("-m|pip|install|--quiet|--disable-pip-version-check|") for line in run.said.splitlines()]
    if requirement:
        assert lines == [f"{requirement}|"]
    else:
        assert lines == [
            f"--require-hashes|-r|{ROOT}/locks/build.txt|",
            f"--require-hashes|-r|{ROOT}/locks/base.txt|",
            f"--no-deps|--no-build-isolation|{ROOT}|",
        ]


GH = """\
#!/bin/sh
echo "$GH_TOKEN $GH_REPO $*" >> "$(dirname "$0")/gh.log"
exit "$(cat "$(dirname "$0")/gh.exit")"
"""


def test_a_pull_request_gets_one_comment_whatever_gh_says(tmp_path: Path) -> None:
    run, tools = started(tmp_path, token="secret"), tmp_path / "tools"
    (tools / "gh").write_text(GH, encoding="utf-8")
    (tools / "gh").chmod(0o755)
    (tools / "gh.exit").write_text("0", encoding="utf-8")
    assert run.steps("Install") == 0, run.said
    assert not (tools / "gh.log").exists()
    run.number = "3"
    assert run.steps("Install") == 0, run.said
    break_it(run.folder)
    (tools / "gh.exit").write_text("1", encoding="utf-8")
    assert run.steps("Install") == 21, run.said
    run.inputs["comment"] = "false"
    assert run.steps("Install") == 21, run.said
    file = tmp_path / "temp" / "isrcheck" / "summary.md"
    assert (tools / "gh.log").read_text(encoding="utf-8").splitlines() == [
        f"secret owner/name pr comment 3 --edit-last -F {file}",
        f"secret owner/name pr comment 3 --edit-last --create-if-none -F {file}",
    ]
    assert "**violated in 3 steps**" in file.read_text(encoding="utf-8")
    assert "secret" not in run.said


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
