"""On a base install, every command that needs an optional library says which, and how to get it."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from isrcheck import extras
from isrcheck.errors import UsageError
from isrcheck.extras import LIBRARIES, Library, install, need

# An isrcheck in a process that cannot import what an extra brings.
BARE = """
import sys
from importlib.abc import MetaPathFinder
from isrcheck.extras import LIBRARIES

class Bare(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in LIBRARIES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

assert not set(LIBRARIES) & set(sys.modules)
sys.meta_path.insert(0, Bare())
from isrcheck.cli import main
main()
"""
SPEC = '[[run]]\nmodel = "toy-mutex"\nexpect = { mutual_exclusion = "holds" }\n'
GRID = '[[grid]]\nmodels = ["toy-mutex"]\n'


def bare(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BARE, *words], capture_output=True, text=True, timeout=600, cwd=cwd, check=False
    )


def told(module: str) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, module, None)
        with pytest.raises(UsageError) as caught:
            need(module)
    return str(caught.value)


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("z3", "prove toy-mutex"),
        ("z3", "check toy-mutex --engine symbolic"),
        ("z3", "check toy-counter --engine symbolic -c limit=1..3"),
        ("pyspark", "check toy-mutex --engine spark"),
        ("pyspark", "check toy-mutex --engine spark --spark-conf spark.a=b"),
        ("pyspark", "sweep grid.toml --out there"),
        ("pyarrow", "export toy-mutex --to parquet -o there"),
    ],
)
def test_a_missing_library_is_a_sentence(module: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "grid.toml").write_text(GRID, encoding="utf-8")
    done = bare(*words.split(), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"isrcheck: {told(module)}\n"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (0, "list"),
        (0, "check toy-mutex"),
        (0, "export toy-mutex --to svg -o there.svg"),
        (0, "export toy-mutex --to tla -o there"),
        (20, "simulate toy-mutex --walks 10"),
        (0, "compare toy-mutex"),
        (0, "gate spec.toml"),
    ],
)
def test_a_base_install_is_enough(code: int, words: str, tmp_path: Path) -> None:
    (tmp_path / "spec.toml").write_text(SPEC, encoding="utf-8")
    done = bare(*words.split(), cwd=tmp_path)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_a_proof_is_not_rechecked_without_cvc5() -> None:
    assert told("cvc5") == (
        "checks of proofs need cvc5, which is not installed: install the extra symbolic with\n"
        f"  {sys.executable} -m pip install 'z3-solver>=4.13' 'cvc5>=1.2'"
    )


def test_a_library_that_lacks_one_of_its_own_is_told_from_one_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = 'raise ImportError("libgobject-2.0.so.0: cannot open shared object file")\n'
    (tmp_path / "broken_one.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(LIBRARIES, "broken_one", Library("broken-one>=1", "editor", "pictures"))
    with pytest.raises(UsageError) as caught:
        need("broken_one")
    assert str(caught.value).startswith(
        "pictures need broken-one, which is installed and cannot be loaded (ImportError: libgobject-2.0.so.0: cannot "
        "open shared object file): install the extra editor with\n"
    )


def test_the_command_fits_an_environment_without_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    monkeypatch.setattr(sys, "executable", "/a b/bin/python")
    command = install("editor")
    assert command == "uv pip install --python '/a b/bin/python' 'pygls>=2'"
    assert shlex.split(command)[4] == "/a b/bin/python"
