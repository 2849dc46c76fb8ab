"""What the mutants of a model are worth to a proof for any size: no mutant that search kills is proved."""

from collections import Counter

import pytest

from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Limits, Request
from isrcheck.engines.registry import engine
from isrcheck.errors import ModelError
from isrcheck.gate.mutants.make import mutants_of
from isrcheck.ir.model import ModelIR
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.proofs.obligations import FIRST_PATIENCE, Obligations, Refutable, without_constraints
from isrcheck.proofs.relational.system import RelationalSystem
from isrcheck.proofs.solvers import REFUTED, SOLVERS, ask_solver

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
    return ask_solver(SOLVERS["z3"], obligation.smtlib, FIRST_PATIENCE)[0] == REFUTED


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
            {"property violated, not proved": 4, f"{ERROR}, not proved": 1, "nothing violated, proved": 155},
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
