"""The fuzzers: short seeded runs, and what is broken on purpose is found."""

import subprocess
import sys
from pathlib import Path

import pytest
from tools.fuzz import __main__ as fuzz_command
from tools.fuzz.author import write_model
from tools.fuzz.cycles import Graph, judge
from tools.fuzz.explorer import explore
from tools.fuzz.judge import judge_model
from tools.fuzz.shrink import shrink
from tools.fuzz.types import FEATURES

from isrcheck.ir.codec import POSITIONS, Numbering
from isrcheck.ir.domains import Domain, RecordDomain
from isrcheck.passes.evaluate import Evaluator
from isrcheck.passes.values import kinds
from isrcheck.passes.values.sets import Sets

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


TEXT = '''
from typing import Annotated

from isrcheck import Model, Sort, UpTo, action, constant, each, invariant


class Node(Sort, size="nodes"):
    """Members."""


class M(Model):
    nodes: int = constant(2, "members")
    marks: dict[Node, bool] = each(Node, False)
    most: Annotated[int, UpTo("3")] = 0

    @action
    def mark(self, n: Node) -> None:
        self.marks[n] = not self.marks[n]

    @action
    def count(self) -> None:
        self.most = max(1 for n in Node if self.marks[n])

    @invariant
    def few(self) -> bool:
        return not all(self.marks[n] for n in Node)
'''


def test_the_explorer_counts_as_a_person_would() -> None:
    """Four sets of marks by two values of `most`, of which the first is left once something is marked."""
    answers = explore(TEXT.replace("if self.marks[n])", "if self.marks[n] or self.most == 0)"), "M", {}, 100)
    assert (answers.distinct, answers.generated, answers.depth, answers.pruned) == (8, 21, 4, 0) or answers.error
    assert answers.lengths == {"few": 3}


def test_a_model_that_goes_wrong_is_an_error_to_both() -> None:
    judged = judge_model(TEXT, "M", {}, ("reference", "native"))
    assert (judged.ended, judged.compared, judged.differences) == ("error", ["reference", "native"], [])


def test_what_is_broken_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """An evaluator that takes the max() of nothing for a value."""
    plain = Evaluator.fault

    def fault(self: Evaluator, condition: object, at: object, sentence: str) -> None:
        if "of nothing" not in sentence:
            plain(self, condition, at, sentence)  # type: ignore[arg-type]  # what it was given

    monkeypatch.setattr(Evaluator, "fault", fault)
    judged = judge_model(TEXT, "M", {}, ("reference", "native"))
    assert [each.engine for each in judged.differences] == ["native"]
    assert "where the model has an error" in judged.differences[0].kind


def test_a_wrong_number_of_a_sum_in_slots_is_a_difference(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One of several classes by its position, where a slot has its code. Another generator needs another seed."""
    plain = Sets.locate

    def locate(self: Sets, domain: Domain, value: kinds.Value, by: Numbering = POSITIONS) -> kinds.Located:
        by_position = isinstance(value, kinds.SumValue) and isinstance(domain, RecordDomain)
        return plain(self, domain, value, POSITIONS if by_position else by)

    monkeypatch.setattr(Sets, "locate", locate)
    words = ["--seed", "2696", "--models", "1", "--features", "union,slots_everywhere", "--shrink", "0"]
    assert fuzz_command.main([*words, "--engines", "reference,evaluator", "--out", str(tmp_path / "out")]) == 1
    assert "difference: evaluator: invariant holds for violated: 1" in capsys.readouterr().out


def test_a_seed_is_a_model_and_features_are_in_it() -> None:
    assert write_model(7).source == write_model(7).source != write_model(8).source
    for feature in FEATURES:
        assert feature in write_model(3, frozenset({feature})).features


@pytest.mark.parametrize("seed", [1, 24])
def test_a_small_sample(seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--seed", str(seed), "--models", "2", "--engines", "reference,native,gpu", "--out", str(tmp_path / "out")]
    code, printed = fuzz_command.main(words), capsys.readouterr().out
    assert (code, "gpu" in printed) == (0, True), printed


def test_a_text_is_made_smaller() -> None:
    smaller = shrink("a = 1\nb = f(2 + 3, g(4))\nc = 5\n", lambda text: "g(4)" in text, 10.0)
    assert smaller == "b = g(4)"


@pytest.mark.parametrize(
    ("kind", "fair", "right"),
    [
        ("eventually", "", {"violated"}),
        ("eventually", "weak", {"holds"}),
        ("always_eventually", "weak", {"holds"}),
        ("eventually_always", "weak", {"violated"}),
    ],
)
def test_fairness_of_a_step_that_goes_round(kind: str, fair: str, right: set[str]) -> None:
    """From 0 to 1 and back: the condition is true in 1 alone."""
    graph = Graph([0], [[(0, 1)], [(1, 0)]], [fair, fair], [0, 1])
    assert judge(graph, (kind, [(False,), (True,)])) == right


def test_a_bound_that_stops_a_fair_step_leaves_it_undetermined() -> None:
    graph = Graph([0], [[(0, None)]], ["weak"], [0])
    assert judge(graph, ("eventually", [(False,)])) == {"undetermined"}
