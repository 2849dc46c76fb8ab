"""The random models of ./dev fuzz: a small sample, and that a difference is found, written and made smaller."""

from pathlib import Path

import pytest
from tools.fuzz import __main__ as fuzz
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
    assert fuzz.main([*words, "--engines", "reference,evaluator", "--out", str(tmp_path / "out")]) == 1
    assert "difference: evaluator: invariant holds for violated: 1" in capsys.readouterr().out


def test_a_seed_is_a_model_and_features_are_in_it() -> None:
    assert write_model(7).source == write_model(7).source != write_model(8).source
    for feature in FEATURES:
        assert feature in write_model(3, frozenset({feature})).features


@pytest.mark.parametrize("seed", [1, 24])
def test_a_small_sample(seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--seed", str(seed), "--models", "2", "--engines", "reference,native,gpu", "--out", str(tmp_path / "out")]
    code, printed = fuzz.main(words), capsys.readouterr().out
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
