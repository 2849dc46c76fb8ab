"""A gate's verdict, made once, and a stand-in for the machinery that makes it."""

import os
from pathlib import Path

import pytest
from tests.gate.conftest import MODEL, SPEC

from isrcheck.commands import gate as command
from isrcheck.gate.cells import cells
from isrcheck.gate.judge import GateVerdict, judge
from isrcheck.gate.run import GateRunner
from isrcheck.gate.spec import read_gate_spec
from isrcheck.ir.frozen import replace


def verdict_of(folder: Path, spec: str = SPEC) -> GateVerdict:
    """Of the lamp, with paths from `folder`."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        Path("lamp.py").write_text(MODEL, encoding="utf-8")
        Path("lamp.toml").write_text(spec, encoding="utf-8")
        return judge(GateRunner(cells(read_gate_spec(Path("lamp.toml"))), 2).run())
    finally:
        os.chdir(before)


def answer_at_once(verdict: GateVerdict, monkeypatch: pytest.MonkeyPatch) -> None:
    """`isrcheck gate` has this verdict without a run."""

    class AtOnce:
        def __init__(self, *_: object) -> None: ...

        def run(self) -> None: ...

    monkeypatch.setattr(command, "GateRunner", AtOnce)
    monkeypatch.setattr(command, "judge", lambda _: verdict)


def repeated(verdict: GateVerdict, times: int) -> GateVerdict:
    return replace(verdict, cells=verdict.cells * times)
