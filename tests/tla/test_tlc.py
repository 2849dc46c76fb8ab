"""TLC itself, where it is at hand: TLC_JAR is a path to its jar or classes. Otherwise its words alone are read."""

import os
import shutil

import pytest
from tools.reports import tlc

AT_HAND = bool(os.environ.get("TLC_JAR")) and shutil.which("java") is not None
needs_tlc = pytest.mark.skipif(not AT_HAND, reason="TLC is not at hand: set TLC_JAR, and have java on the path")


def test_without_tlc_it_says_so_and_ends_well(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("TLC_JAR", raising=False)
    assert tlc.main([]) == 0
    said = "TLC was not run: it needs Java, and TLC_JAR as a path to tla2tools.jar or to TLC's classes.\n"
    assert capsys.readouterr().out == said


def test_tlc_s_words_are_understood() -> None:
    held = (
        "Model checking completed. No error has been found.\n"
        "43 states generated, 24 distinct states found, 0 states left on queue.\n"
        "The depth of the complete state graph search is 7.\n"
    )
    assert tlc.parse_answer(held) == tlc.Answer(24, 43, 7, "", 0)
    broken = "Error: Invariant StrongIsr is violated.\nState 1: <Initial predicate>\nState 2: <Next>\n"
    assert tlc.parse_answer(broken) == tlc.Answer(None, None, None, "StrongIsr", 2)
    assert tlc.parse_answer("Error: Invariant Dark is violated by the initial state:\n").length == 1
    of_instance = (
        "Error: Action property line 46, col 17 to line 46, col 29 of module TCommit is violated.\nState 2: <Commit>\n"
    )
    assert tlc.parse_answer(of_instance) == tlc.Answer(None, None, None, "TCommit", 2)
    with pytest.raises(RuntimeError, match="out of memory"):
        tlc.parse_answer("Error: Java ran out of memory.\n")


@needs_tlc
@pytest.mark.slow
@pytest.mark.parametrize("model", ["toy-mutex", "toy-cashier", "toy-juggler", "tests.lang.models.values:Sequences"])
def test_tlc_agrees(model: str) -> None:
    row = tlc.compare(tlc.Tlc(os.environ["TLC_JAR"]), model, {})
    assert row.theirs is not None
    assert row.apart == []


@needs_tlc
@pytest.mark.slow
@pytest.mark.parametrize(("model", "constants"), tlc.GROUPS["messages"] + tlc.GROUPS["examples"])
def test_tlc_counts_messages_and_examples_alike(model: str, constants: dict[str, int]) -> None:
    """Distinct states and depth; each invariant, refinement and step property; the length of every trace."""
    row = tlc.compare(tlc.Tlc(os.environ["TLC_JAR"]), model, constants)
    assert row.theirs is not None
    assert row.apart == []
