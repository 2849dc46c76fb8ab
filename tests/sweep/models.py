"""Small models in files of their own, as a user would write them."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from isrcheck.grid.cells import Expansion, expand
from isrcheck.grid.spec import parse_spec
from isrcheck.pipeline.folder import Folder
from isrcheck.pipeline.sweep import SweepResult, plan, sweep

COUNTER = '''"""A counter."""

from typing import Annotated

from isrcheck import Model, UpTo, action, constant, invariant, require


class Counter(Model):
    """It goes up to a limit."""

    limit: int = constant(3, "where it stops", at_least=1)
    bad: int = constant(2, "what it must not reach")

    count: Annotated[int, UpTo("limit")] = 0

    @action
    def up(self) -> None:
        """One more."""
        require(self.count < self.limit)
        self.count += {step}

    @invariant
    def below_bad(self) -> bool:
        """It stays below."""
        return self.count < self.bad
'''

# What stands here runs where the model is loaded. On a worker that is a process of its own, below Spark's.
DIES = """
import os
import pathlib
import signal
import threading

_left = pathlib.Path({left!r})
_is_supervised = "isrcheck parent" in [thread.name for thread in threading.enumerate()]
if _is_supervised and (deaths := int(_left.read_text())):
    _left.write_text(str(deaths - 1))
    os.kill({whom}, signal.SIGKILL)
"""


def counter(folder: Path, name: str = "counter", step: int = 1, more: str = "") -> str:
    file = folder / f"{name}.py"
    file.write_text(COUNTER.replace("{step}", str(step)) + more, encoding="utf-8")
    return f"{file}:Counter"


def dying(folder: Path, deaths: int, whom: str) -> str:
    """A counter whose process, `os.getpid()`, or Spark's worker, `os.getppid()`, is killed that many times."""
    left = folder / "deaths"
    left.write_text(str(deaths), encoding="utf-8")
    return counter(folder, "dying", more=DIES.format(left=str(left), whom=whom))


def expanded(text: str) -> Expansion:
    return expand(parse_spec(text, "s.toml"))


def grid(**keys: str) -> str:
    """A spec of one grid: a key a line, from line 2."""
    return "[[grid]]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items())


def swept(text: str, folder: Path, spark: Any, tell: Any = lambda _: None) -> SweepResult:
    return sweep(plan(parse_spec(text, "s.toml")), Folder(folder), lambda: spark, {"spec": text}, tell)


def cells(folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(folder / "cells.parquet").to_pylist()
    return [{**row, "constants": dict(row["constants"])} for row in rows]


def run_script(script: str, *words: str) -> str:
    """Run a script in a new process, and return what it prints.

    Without bytecode: what CPython writes of a module would be cut off by a limit, too, and read by later processes.
    """
    root = Path(__file__).parents[2]
    path = [str(root / "checker"), str(root / "model"), str(root)]
    return subprocess.run(
        [sys.executable, "-B", "-c", f"import sys; sys.path[:0] = {path!r}\n{script}", *words],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
