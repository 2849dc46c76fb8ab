"""The oldest patch release on this machine of every Python that is supported: the base install and what it does there.

`./dev test` runs under one Python, and this runs the oldest of all; the slow tests run the rest. Each has an
environment made from the lock.
"""

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from tests.ci.project import ROOT, break_it, project
from tests.structure.sources import PYPROJECT

from isrcheck.version import __version__

MINORS = ("3.11", "3.12", "3.13", "3.14")
NO_NETWORK = re.compile(r"NewConnectionError|NameResolutionError|ConnectTimeoutError|ProxyError|No route to host")


def folders() -> list[Path]:
    """Where Pythons may be: the path, and the versions that pyenv and uv keep."""
    kept = [Path.home() / ".pyenv" / "versions", Path.home() / ".local" / "share" / "uv" / "python"]
    path = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    return [*path, *(folder for place in kept for folder in sorted(place.glob("*/bin")))]


@cache
def pythons(minor: str) -> dict[tuple[int, ...], Path]:
    """Every CPython of a minor version on this machine, by its full version; those that do not start are left out."""
    found: dict[tuple[int, ...], Path] = {}
    code = "import sys, venv; print(*sys.version_info[:3], *sys.version_info[3:4], sys.implementation.name)"
    for folder in folders():
        python = folder / f"python{minor}"
        if not python.is_file():
            continue
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=600, check=False)
        words = done.stdout.split()
        if done.returncode == 0 and words[3:] == ["final", "cpython"]:
            found.setdefault(tuple(map(int, words[:3])), python)
    return found


def run(*words: str | Path, cwd: Path, code: int = 0) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    done = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, timeout=600, check=False)
    if NO_NETWORK.search(done.stderr):
        pytest.skip("the versions in the lock cannot be downloaded: there is no network")
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def environment(python: Path, folder: Path) -> Path:
    """An environment with the locked base install; the pip that fills it is the one of this environment."""
    run(python, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    pip = (sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "--disable-pip-version-check", "install")
    only = ("--quiet", "--only-binary", ":all:", "--require-hashes", "-r")
    run(*pip, *only, ROOT / "locks" / "build.txt", cwd=folder)
    run(*pip, *only, ROOT / "locks" / "base.txt", cwd=folder)
    source = folder / "source"  # a copy: building writes beside what it builds
    for name in ("checker", "model"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    run(*pip, "--quiet", "--no-deps", "--no-build-isolation", source, cwd=folder)
    return folder / "bin" / "isrcheck"


@pytest.mark.slow
@pytest.mark.parametrize("minor", MINORS)
def test_the_oldest_patch_release_does_what_the_page_says(minor: str, tmp_path: Path) -> None:
    if not (found := pythons(minor)):
        pytest.skip(f"there is no Python {minor} on this machine")
    version = min(found)
    if version == sys.version_info[:3]:
        pytest.skip(f"this run's own Python is the oldest {minor} on this machine")
    isrcheck = environment(found[version], tmp_path / "venv")
    small = ("-c", "replicas=2", "-c", "log_size=1", "-c", "max_records=1", "-c", "max_leader_epoch=1")
    run(isrcheck, "check", "truncate-to-high-watermark", *small, "--property", "strong_isr", cwd=tmp_path, code=12)
    assert "277 distinct states" in run(isrcheck, "check", "kip-320", *small, cwd=tmp_path)
    run(isrcheck, "check", "toy-mutex", "--engine", "reference", "--workers", "1", cwd=tmp_path)
    run(isrcheck, "export", "toy-mutex", "--to", "svg", "-o", "mutex.svg", cwd=tmp_path)
    run(isrcheck, "export", "toy-mutex", "--to", "tla", "-o", "tla", cwd=tmp_path)
    run(isrcheck, "mutate", "toy-mutex", cwd=tmp_path)
    assert "the extra symbolic" in run(isrcheck, "prove", "toy-mutex", cwd=tmp_path, code=2)
    folder = project(tmp_path / "project")
    run(isrcheck, "gate", cwd=folder)
    break_it(folder)
    run(isrcheck, "gate", cwd=folder, code=21)
    run(isrcheck, "check", "counter.py:Counter", "--trace-dir", ".", cwd=folder, code=12)
    run(isrcheck, "render", next(folder.glob("*.json")), "--to", "html", "-o", "story.html", cwd=folder)


INSTALL = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
EXTRAS = sorted(PYPROJECT["project"]["optional-dependencies"])


def test_no_page_asks_a_registry_for_isrcheck() -> None:
    asked = re.compile(r"pip install\b.*[ '\"]isrcheck(\[\w+\])?(?! ?@| ?\[|\w)")
    assert asked.search("pip install 'isrcheck[spark]'")
    wrong = [
        f"{page.relative_to(ROOT)}: {line}"
        for page in [ROOT / "README.md", ROOT / "action.yml", *ROOT.glob("docs/*.md"), *ROOT.glob("checker/**/*.py")]
        for line in page.read_text(encoding="utf-8").splitlines()
        if asked.search(line)
    ]
    assert wrong == []


def test_the_page_lists_the_extras_and_the_pythons() -> None:
    listed = ["symbolic", "spark", "editor", "brokers"]
    assert re.findall(r"^\| `(\w+)` \|", INSTALL, re.MULTILINE) == listed
    assert sorted(re.findall(r"^\| `(\w+)` \|", INSTALL, re.MULTILINE)) == EXTRAS
    assert f"isrcheck-{__version__}-py3-none-any.whl" in INSTALL


def test_the_line_that_is_printed_is_the_one_on_the_page() -> None:
    code = (
        "import sys; sys.executable = '/home/me/.venv/bin/python'; sys.modules['z3'] = None\n"
        "from isrcheck.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "prove", "toy-mutex"], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 2
    assert "".join(f"    {line}\n" for line in done.stderr.splitlines()) in INSTALL


@pytest.mark.parametrize("extra", EXTRAS)
def test_pip_takes_the_path_of_a_clone_with_an_extra(extra: str, tmp_path: Path) -> None:
    assert (
        f"'CHECKOUT[{extra}]'" in "".join(p.read_text(encoding="utf-8") for p in ROOT.glob("docs/*.md"))
        or extra == "graph"
    )
    done = subprocess.run(
        [
            sys.executable, "-m", "pip", "install", "--dry-run", "--no-deps", "--no-build-isolation", "--no-index",
            "--ignore-installed", "--target", str(tmp_path), f"{ROOT}[{extra}]",
        ],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"Would install isrcheck-{__version__}" in done.stdout
    assert "does not provide the extra" not in done.stderr
