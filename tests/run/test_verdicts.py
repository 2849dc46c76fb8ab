"""What a run may say of each kind of property: by a trace, by the whole graph, or not at all."""

import pytest

from isrcheck import Verdict, check
from isrcheck.engines.contract import Bounded, Limits, NotStarted, Proved, RunResult, Sampled
from isrcheck.ir.frozen import replace
from isrcheck.run.outcome import Outcome, PropertyOutcome
from isrtoys import KNOWN, KnownRun

EXITS = {"invariant": 12, "step": 13, "reachable": 22}


def by_name(known: KnownRun, **options: object) -> dict[str, PropertyOutcome]:
    toy = next(name for name, each in KNOWN.items() if each is known)
    outcome = check(toy, engine="evaluator", constants=known.constants, **options)  # type: ignore[arg-type] # each its own
    return {found.name: found for found in outcome.properties}


@pytest.mark.parametrize("toy", KNOWN)
def test_every_property_has_its_known_verdict(toy: str) -> None:
    for name, (verdict, length) in KNOWN[toy].properties.items():
        found = by_name(KNOWN[toy])[name]
        assert (found.verdict.value, found.trace and found.trace.length) == (verdict, length), name
        assert found.assurance == ("replayed" if length else "exhaustive")
        assert found.exit == (0 if verdict == "holds" else EXITS[found.kind.name])


@pytest.mark.parametrize("toy", KNOWN)
def test_a_run_that_is_cut_short_decides_by_a_trace_or_not_at_all(toy: str) -> None:
    known = KNOWN[toy]
    for found in by_name(known, limits=Limits(depth=known.depth - 1)).values():
        decided, length = known.properties[found.name]
        if length is not None and length < known.depth:
            assert (found.verdict.value, found.trace is not None) == (decided, True)
        else:
            assert (found.verdict, found.assurance) == (Verdict.UNDETERMINED, f"bounded({known.depth - 2})")


def test_the_worst_of_its_properties_is_a_run_s_verdict() -> None:
    outcome = check("toy-clock", engine="evaluator")
    found = outcome.properties[0]
    undetermined = replace(found, verdict=Verdict.UNDETERMINED)
    violated = replace(found, verdict=Verdict.VIOLATED)
    for properties, verdict, code in (
        ((found, undetermined), Verdict.UNDETERMINED, 20),
        ((undetermined, found, violated), Verdict.VIOLATED, 12),
    ):
        made = replace(outcome, properties=properties)
        assert (made.verdict, made.exit) == (verdict, code)


def counted_only(outcome: Outcome, result: RunResult) -> Outcome:
    return replace(outcome, properties=(), result=result, invocation=replace(outcome.invocation, properties=()))


def test_a_model_none_of_whose_properties_applies_is_undetermined() -> None:
    outcome = check("toy-clock", engine="evaluator")
    without = replace(outcome, properties=())
    assert (without.verdict, without.exit) == (Verdict.UNDETERMINED, 20)
    counted = counted_only(outcome, outcome.result)
    assert (counted.verdict, counted.exit) == (Verdict.HOLDS, 0)
    assert counted_only(outcome, replace(outcome.result, cut="after 2 states")).exit == 20


@pytest.mark.parametrize(
    ("result", "complete"),
    [
        (Bounded(depth=3), False),
        (Sampled(seed=1, walks=2, steps=3), False),
        (NotStarted(), False),
        (Proved(), True),
        (Proved(cut="without a proof"), False),
    ],
)
def test_only_a_search_or_a_proof_is_ever_complete(result: RunResult, complete: bool) -> None:
    outcome = counted_only(check("toy-clock", engine="evaluator"), result)
    assert result.complete is complete
    assert outcome.verdict is (Verdict.HOLDS if complete else Verdict.UNDETERMINED)
    assert outcome.exit == (0 if complete else 20)
