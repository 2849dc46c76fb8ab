"""The fuzzer itself: a short seeded run, and that it finds what is broken on purpose."""

import subprocess
import sys
from pathlib import Path

import pytest

QUICK = "a guard inside an if is ignored"  # found within some mutants; the others take hundreds
RUN = "from tools.mutants.fuzz import main; import sys; sys.exit(main())"
# Hand-made faults of the reader and the passes, each as what is run before the fuzzer.
FAULTS = {
    "a guard inside an if is ignored": """
from msgspec.structs import replace
from isrcheck.ir.nodes import Require
from isrcheck.passes import update
plain = update.Executor.when
def when(self, node):
    then, other = (tuple(s for s in block if not isinstance(s, Require)) for block in (node.then, node.other))
    plain(self, replace(node, then=then, other=other))
update.Executor.when = when
""",
    "names swap one after the other": """
from msgspec.structs import replace
from isrcheck.passes import update
plain = update.Executor.block
def block(self, statements):
    apart = []
    for s in statements:
        pairs = zip(s.targets, s.values) if hasattr(s, "targets") else ()
        apart += [replace(s, targets=(t,), values=(v,)) for t, v in pairs] or [s]
    plain(self, tuple(apart))
update.Executor.block = block
""",
    "a remainder has the sign of what is divided": """
from isrcheck.engines.native import lanes
def division(self, node, a, b):
    return self.let(f"{'sdiv' if node.op is lanes.Op.DIV else 'srem'} {self.type} {a}, {b}")
lanes.Lanes._division = division
""",
    "max() of nothing is 0": """
from isrcheck.passes import evaluate
plain = evaluate.Evaluator.fault
def fault(self, condition, at, sentence):
    if "of nothing" not in sentence:
        plain(self, condition, at, sentence)
evaluate.Evaluator.fault = fault
""",
}


def fuzz(folder: Path, *words: str, first: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", f"{first}\n{RUN}", "--out", str(folder / "out"), *words]
    root = Path(__file__).parents[2]
    paths = {"PYTHONPATH": f"{root}/checker:{root}/model:{root}", "HOME": str(folder)}
    return subprocess.run(command, cwd=root, env=paths, capture_output=True, encoding="utf-8", check=False)


def test_a_short_run(tmp_path: Path) -> None:
    """The first mutants of a fixed seed: no disagreement, and a fifth of them have bite."""
    done = fuzz(tmp_path, "--seed", "4", "--mutants", "30")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "fault", [name if name == QUICK else pytest.param(name, marks=pytest.mark.slow) for name in FAULTS]
)
def test_what_is_broken_is_found(fault: str, tmp_path: Path) -> None:
    done = fuzz(tmp_path, "--seed", "3", "--no-hooks", "--stop-at", "1", "--minutes", "2", first=FAULTS[fault])
    assert done.returncode == 70, done.stdout + done.stderr
    report = (tmp_path / "out" / "disagreement_1.txt").read_text(encoding="utf-8")
    assert report.startswith("made of ")
    assert "reference: " in report
    assert "\nin " in report or "machine code differs" in report
    assert "class " in (tmp_path / "out" / "disagreement_1.py").read_text(encoding="utf-8")


def test_without_bite_a_run_fails(tmp_path: Path) -> None:
    """A reader that refuses everything agrees with everybody, and is not content with that."""
    first = """
from isrcheck.errors import ModelError
from isrcheck.place import NOWHERE
from tools.mutants import fuzz, trial
kept = fuzz.Fuzzer.trial
def refused(self, mutant, optimize):
    return kept(self, mutant, optimize) if mutant.source == mutant.base.source else trial.Trial("refused")
fuzz.Fuzzer.trial = refused
"""
    done = fuzz(tmp_path, "--seed", "1", "--mutants", "10", first=first)
    assert done.returncode == 1
    assert "too little bite: 0 % of the mutants, and 20 % are asked for." in done.stdout
