"""docs/first-gate.md, from an empty folder to a red gate and the picture of why."""

import os
import re
import shutil
import site
import subprocess
import sys
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.ci.project import ROOT, Run, break_it, present, project

PAGE = ROOT / "docs" / "first-gate.md"
_FENCE = re.compile(r"```(\w+)(?: ([^\n]+))?\n(.*?)```", re.DOTALL)
_ONE = re.compile(r"exit (\d+)")


@dataclass(frozen=True)
class Command:
    """A command, the lines that it prints among others, and its exit code where the page says it."""

    words: str
    printed: tuple[str, ...]
    code: int


@dataclass(frozen=True)
class File:
    """A file that the reader is told to save."""

    name: str
    text: str


def steps() -> Iterator[Command | File]:
    """What the page says to do, in its order."""
    for kind, name, text in _FENCE.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "console":
            yield from _commands(text)
        else:
            assert name, f"a block of {kind} without the name of a file"
            yield File(name, text)


def _commands(text: str) -> Iterator[Command]:
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        words, *lines = part.splitlines()
        code = int(match[1]) if lines and (match := _ONE.fullmatch(lines[-1])) else 0
        yield Command(words, tuple(line for line in lines if not _ONE.fullmatch(line)), code)


def follow(folder: Path, environment: dict[str, str], *left_out: str) -> None:
    """Does it all in one shell's folder; commands that hold one of `left_out` are passed over."""
    for step in steps():
        if isinstance(step, File):
            (folder / step.name).parent.mkdir(exist_ok=True)
            (folder / step.name).write_text(step.text, encoding="utf-8")
        elif not any(part in step.words for part in left_out):
            _run(step, folder, environment)


def _run(step: Command, folder: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        ["bash", "-c", step.words],
        cwd=folder,
        env={**environment, "COLUMNS": "120"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == step.code, f"{step.words}\n{done.stdout}{done.stderr}"
    shown = " ".join(done.stdout.split())
    for line in step.printed:
        assert " ".join(line.split()) in shown, f"{step.words}\n{line}\n{done.stdout}"


def bare(path: str) -> dict[str, str]:
    """An environment with this PATH and nothing of Python's, GitHub's or a virtual environment."""
    wrong = ("PYTHON", "VIRTUAL_ENV", "GITHUB_", "PIP_", "COV_")
    return {**{n: v for n, v in os.environ.items() if not n.startswith(wrong)}, "PATH": path}


@pytest.mark.slow
def test_the_page_is_true_where_isrcheck_is_installed(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    (tmp_path / "room").mkdir()
    follow(folder, present(tmp_path / "room"), "venv", "activate", "pip")
    pictures = sorted(file.suffix for file in (folder / "pictures").iterdir())
    assert pictures == [".json", ".svg", ".txt"]
    drawing = next((folder / "pictures").glob("*.svg")).read_text(encoding="utf-8")
    assert "missing" in drawing


def test_it_begins_with_pip_and_ends_green() -> None:
    commands = [step for step in steps() if isinstance(step, Command)]
    assert [c.words for c in commands[:3]] == [
        "python3 -m venv .venv",
        ". .venv/bin/activate",
        "python -m pip install --quiet CHECKOUT",
    ]
    assert [c.code for c in commands if c.words.startswith("isrcheck gate")] == [21, 0, 0]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel as `./dev build` makes it."""
    folder = tmp_path_factory.mktemp("dist")
    source = folder / "source"
    ignored = shutil.ignore_patterns(".git", ".venv*", "reports", "tests", "__pycache__", ".*_cache")
    shutil.copytree(ROOT, source, ignore=ignored)
    words = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    subprocess.run([sys.executable, *words, str(source)], check=True, capture_output=True, timeout=600)
    return next(folder.glob("*.whl"))


def installed(folder: Path, wheel: Path) -> Path:
    """An environment with the wheel in it; its dependencies are those of this one, so that nothing is downloaded."""
    venv.create(folder, with_pip=True)
    packages = next((folder / "lib").glob("python*")) / "site-packages"
    here = [p for p in (*site.getsitepackages(), sysconfig_path()) if Path(p).is_dir()]
    (packages / "zz_dependencies.pth").write_text("\n".join(dict.fromkeys(here)) + "\n", encoding="utf-8")
    words = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--force-reinstall", str(wheel)]
    done = subprocess.run(
        [str(folder / "bin" / "python"), *words], env=bare("/usr/bin:/bin"), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder / "bin"


def sysconfig_path() -> str:
    import sysconfig

    return sysconfig.get_path("purelib")


@pytest.mark.slow
def test_the_page_is_true_from_an_installed_wheel(tmp_path: Path, wheel: Path) -> None:
    tools = installed(tmp_path / "venv", wheel)
    folder = tmp_path / "empty"
    folder.mkdir()
    follow(folder, bare(f"{tools}:/usr/bin:/bin"), "venv", "activate", "pip")


@pytest.mark.slow
def test_the_action_installs_and_answers_from_a_wheel(tmp_path: Path, wheel: Path) -> None:
    tools = installed(tmp_path / "venv", wheel)
    (tmp_path / "temp").mkdir()
    offline = {**bare(f"{tools}:/usr/bin:/bin"), "PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1"}
    run = Run(project(tmp_path / "project"), tmp_path, offline, {"isrcheck": str(wheel)})
    assert run.steps() == 0, run.said
    break_it(run.folder)
    assert run.steps() == 21, run.said
