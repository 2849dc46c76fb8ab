"""A project that uses isrcheck, and the Action's steps run in it with bash."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]  # it ships no types

ROOT = Path(__file__).parents[2]
ACTION = yaml.load((ROOT / "action.yml").read_text(encoding="utf-8"), yaml.BaseLoader)  # every value is a text
EXPRESSION = re.compile(r"\$\{\{ *([a-z_.-]+) *\}\}")
COUNTER = '''from typing import Annotated

from isrcheck import Model, UpTo, action, invariant, require


class Counter(Model):
    """A counter that stops."""

    n: Annotated[int, UpTo(4)] = 0

    @action
    def grow(self) -> None:
        """One more."""
        require(self.n < 2)
        self.n += 1

    @invariant
    def small(self) -> bool:
        """It stays small."""
        return self.n <= 2
'''
SPEC = """[[run]]
model = "counter.py:Counter"
expect = { small = "holds" }
"""


def project(folder: Path, name: str = "counter.py") -> Path:
    """A model and a spec that expects what is so."""
    (folder / "specs").mkdir(parents=True)
    (folder / name).write_text(COUNTER, encoding="utf-8")
    (folder / "specs" / "counter.toml").write_text(SPEC.replace("counter.py", name), encoding="utf-8")
    return folder


def break_it(folder: Path) -> None:
    """Weakens the guard, as a change under review might.

    The file gets a later time: Python takes one of the same size and second for unchanged.
    """
    file = folder / "counter.py"
    file.write_text(file.read_text(encoding="utf-8").replace("n < 2", "n < 3"), encoding="utf-8")
    os.utime(file, (file.stat().st_atime, file.stat().st_mtime + 5))


def present(folder: Path) -> dict[str, str]:
    """An environment in which isrcheck and python are those of this test, and nothing of a virtual environment."""
    tools = folder / "tools"
    tools.mkdir()
    for name, words in (("isrcheck", " -m isrcheck"), ("python", "")):
        (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}"{words} "$@"\n', encoding="utf-8")
        (tools / name).chmod(0o755)
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("GITHUB_", "VIRTUAL_ENV", "PYTHON", "COV_"))}
    paths = os.pathsep.join(str(ROOT / part) for part in ("checker", "model"))
    return {**kept, "PATH": f"{tools}:/usr/bin:/bin", "PYTHONPATH": paths}


@dataclass
class Run:
    """The Action under way: its inputs, and what its steps left."""

    folder: Path
    room: Path
    environment: dict[str, str]
    inputs: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    number: str = ""  # of the pull request
    job: dict[str, str] = field(default_factory=dict)  # what a job's environment has besides
    said: str = ""

    @property
    def summary(self) -> str:
        file = self.room / "summary.md"
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def steps(self, *left_out: str) -> int:
        """Runs the steps that have a `run`, as GitHub does: the code of the last one, which always runs."""
        code = 0
        for step in ACTION["runs"]["steps"]:
            if "run" in step and step["name"] not in left_out and self._is_due(step.get("if", "success()"), code):
                code = self._step(step)
        return code

    def _is_due(self, condition: str, code: int) -> bool:
        values = {"success()": code == 0, "always()": True}
        for name, value in self._values().items():
            for given in {value, "true", ""}:
                values |= {f"{name} == '{given}'": value == given, f"{name} != '{given}'": value != given}
        return all(values[part] for part in condition.split(" && "))

    def _values(self) -> dict[str, str]:
        given = {name: about["default"] for name, about in ACTION["inputs"].items()} | self.inputs
        values = {f"inputs.{name}": value for name, value in given.items()}
        values |= {f"steps.gate.outputs.{name}": self.outputs.get(name, "") for name in ("exit", "folder", "sarif")}
        values |= {"github.event.pull_request.number": self.number, "github.repository": "owner/name"}
        return values | {"github.action_path": str(ROOT), "runner.temp": str(self.room / "temp")}

    def _step(self, step: dict[str, Any]) -> int:
        output, values = self.room / "output", self._values()
        output.write_text("", encoding="utf-8")
        told = {name: EXPRESSION.sub(lambda m: values[m[1]], text) for name, text in step.get("env", {}).items()}
        github = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(self.folder),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.room / "summary.md"),
        }
        script = self.room / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        bash = shutil.which("bash") or "bash"
        done = subprocess.run(
            [bash, "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.folder,
            env={**self.environment, **github, **told, **self.job},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        self.said += done.stdout + done.stderr
        for line in output.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition("=")
            self.outputs[name] = value
        return done.returncode
