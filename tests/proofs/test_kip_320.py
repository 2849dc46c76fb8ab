"""KIP-320 for any number of replicas, records and epochs; without a rule, or in a mutant, an obligation breaks."""

from collections import Counter
from typing import Any

import pytest

from isrcheck import check, prove
from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Limits, Request
from isrcheck.engines.registry import engine
from isrcheck.errors import ModelError
from isrcheck.gate.mutants.make import mutants_of
from isrcheck.ir.model import ModelIR
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.proofs.obligations import FIRST_PATIENCE, Obligations, Refutable, answer, without_constraints
from isrcheck.proofs.relational.system import RelationalSystem
from isrcheck.proofs.solvers import REFUTED, SOLVERS, ask_solver

# Model, the lemma of which search finds a violation first, the action that breaks it, steps to there, and the sizes.
BROKEN: list[tuple[str, str, str, int, dict[str, Any]]] = [
    (
        "kip-320-without-epoch-start",
        "exposed_is_on_the_isr_on_record",
        "leader_expands_isr",
        11,
        {"replicas": 3, "log_size": 1, "max_records": 1, "max_leader_epoch": 1},
    ),
    (
        "kip-320-unfenced-high-watermark",
        "leaders_lack_only_what_came_later",
        "leader_advances_high_watermark",
        10,
        {"replicas": 3, "log_size": 1, "max_records": 1, "max_leader_epoch": 2},
    ),
    (
        "kip-320-unfenced-truncation",
        "requests_are_heeded",
        "replica_becomes_follower",
        2,
        {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1},
    ),
    (
        "kip-320-unfenced-fetch",
        "records_are_of_known_epochs",
        "follower_replicates",
        7,
        {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1},
    ),
]


SEARCHED = [
    pytest.param(*row, id=row[0], marks=[pytest.mark.slow] if row[4]["max_leader_epoch"] > 1 else []) for row in BROKEN
]


@pytest.mark.slow
def test_kip_320_is_proved_for_any_replicas_records_and_epochs() -> None:
    outcome = prove("kip-320", properties=["strong_isr", "weak_isr"]).outcome
    assert [(p.verdict.value, p.assurance) for p in outcome.properties] == [("holds", "proved")] * 2
    assert {name: outcome.sizes[name] for name in ("replicas", "records", "epochs", "log_size")} == {
        "replicas": "any",
        "records": "any",
        "epochs": "any",
        "log_size": "any",
    }


@pytest.mark.parametrize(("model", "lemma", "action", "steps", "sizes"), SEARCHED)
def test_search_finds_where_a_lemma_breaks_first(
    model: str, lemma: str, action: str, steps: int, sizes: dict[str, Any]
) -> None:
    """All lemmas hold in every state before, so the obligation has a reachable counterexample: nobody can refute it."""
    ir = read_model(find_model(model))
    constants = {"isr_may_empty": False, **sizes}
    outcome = check(model, properties=[each.name for each in ir.lemmas], constants=constants)
    broken = {p.name: p.trace for p in outcome.properties if p.trace is not None}
    assert outcome.cut is None
    assert (len(broken[lemma].steps) - 1, broken[lemma].steps[-1].action) == (steps, action)
    assert all(len(trace.steps) - 1 >= steps for trace in broken.values())


@pytest.mark.slow
@pytest.mark.parametrize(("model", "lemma", "action", "steps", "sizes"), BROKEN, ids=[row[0] for row in BROKEN])
def test_the_obligation_that_breaks_is_not_refuted(
    model: str, lemma: str, action: str, steps: int, sizes: dict[str, Any]
) -> None:
    name = f"keep {lemma} by {action}"
    assert answer(_obligation(model, name), 8.0).answer != REFUTED
    assert answer(_obligation("kip-320", name), 40.0).answer == REFUTED


def _obligation(model: str, name: str) -> Refutable:
    ir = without_constraints(read_model(find_model(model)))
    obligations = Obligations(RelationalSystem(ir, {}), ir.lemmas)
    (found,) = (each for each in obligations.of_lemmas() if each.name == name)
    return found


ERROR = "an error in the text"


def violated(ir: ModelIR, names: tuple[str, ...]) -> set[str]:
    """Of the properties and lemmas, what search kills at the defaults."""
    lemmas = [lemma.name for lemma in ir.lemmas]
    model = bind(ir.with_lemmas(lemmas), {}, slots=False)
    asked = tuple(p.name for p in model.properties if p.name in (*names, *lemmas))
    try:
        return set(engine("evaluator").search(model, Request(properties=asked, limits=Limits(states=5_000))).paths)
    except ModelError:
        return {ERROR}


def is_refuted(obligation: Refutable) -> bool:
    return ask_solver(SOLVERS["z3"], obligation.smtlib(), FIRST_PATIENCE)[0] == REFUTED


def open_obligations(ir: ModelIR, names: tuple[str, ...]) -> list[str]:
    obligations = Obligations(RelationalSystem(ir, {}), ir.lemmas)
    of_properties = (each for p in ir.properties if p.name in names for each in obligations.of_property(p))
    return [each.name for each in (*obligations.of_lemmas(), *of_properties) if not is_refuted(each)]


def judged(ir: ModelIR, names: tuple[str, ...]) -> str:
    seen = violated(ir, names)
    proof = "not proved" if open_obligations(ir, names) else "proved"
    if ERROR in seen:
        return f"{ERROR}, {proof}"
    return f"{'property' if seen & {*names} else 'lemma' if seen else 'nothing'} violated, {proof}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "names", "expected"),
    [
        (
            "async-isr",
            ("valid_high_watermark",),
            {"property violated, not proved": 6, "nothing violated, proved": 22, "nothing violated, not proved": 1},
        ),
        (
            "isr-kafka-7152",
            ("isr_at_least_hw", "hw_never_decreases"),
            {"property violated, not proved": 4, f"{ERROR}, not proved": 1, "nothing violated, proved": 154},
        ),
    ],
    ids=["async-isr", "isr-kafka-7152"],
)
def test_no_mutant_that_search_kills_is_proved(model: str, names: tuple[str, ...], expected: dict[str, int]) -> None:
    """All others are proved, but one: a leader of async-isr that hears of no ISR keeps no lemma, but violates none."""
    ir = without_constraints(read_model(find_model(model)))
    assert Counter(judged(mutant.ir, names) for mutant in mutants_of(ir)) == expected


def test_the_one_mutant_that_is_neither_breaks_a_named_lemma() -> None:
    ir = without_constraints(read_model(find_model("async-isr")))
    (deaf,) = (each.ir for each in mutants_of(ir) if each.name == "leader_handles_update/effect-1")
    broken = ("keep requests_are_reckoned_with", "keep controller_isr_is_within_maximal", "valid_high_watermark")
    assert violated(deaf, ("valid_high_watermark",)) == set()
    assert open_obligations(deaf, ("valid_high_watermark",)) == [f"{each} by leader_handles_update" for each in broken]
