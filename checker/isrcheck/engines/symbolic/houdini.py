"""Lemma search: of a pool of candidates, the largest part that every step keeps (Flanagan and Leino's Houdini).

Random walks of small choices throw out most candidates before z3 is asked; then each counterexample to induction
throws out all candidates that it breaks, until there is none.
"""

from collections.abc import Iterable, Sequence

import z3

from isrcheck.engines.common.evaluate import Values
from isrcheck.engines.symbolic.answers import State
from isrcheck.engines.symbolic.induction import Deadline, model_of
from isrcheck.engines.symbolic.interpret import walks
from isrcheck.engines.symbolic.obligations import Formulas, Obligation, all_of
from isrcheck.engines.symbolic.pool import pool
from isrcheck.engines.symbolic.proof import Lemma
from isrcheck.passes.symbolic import SymbolicSystem


def plausible(symbolic: SymbolicSystem, seed: int) -> list[Lemma]:
    """The candidates that no state of the random walks breaks."""
    return _sifted(list(pool(symbolic)), walks(symbolic, seed))


def _sifted(candidates: list[Lemma], states: Iterable[State]) -> list[Lemma]:
    for state in states:
        values = Values(state)
        candidates = [c for c in candidates if values.of(c.node)]
    return candidates


def search(
    symbolic: SymbolicSystem, known: Sequence[Lemma], candidates: Sequence[Lemma], deadline: Deadline
) -> tuple[Lemma, ...]:
    """The largest set of candidates that holds initially and that every step keeps, where the known lemmas hold.

    Raises Unanswered when z3 does not decide: then nothing is known of any.
    """
    made = Formulas(symbolic, [lemma.node for lemma in (*known, *candidates)])
    here = made.state(0)
    left = _from_start(made, list(candidates), deadline)
    settled = False
    while not settled:
        settled = True
        for instance in made.possible():
            can, there = made.taken(instance, here)
            while True:
                hold = all_of(made, (*known, *left), here)
                wrong = z3.Not(all_of(made, left, there))
                obligation = Obligation("keep", (made.inside(here), hold, can, wrong), (here, there), instance)
                model = model_of(obligation, deadline)
                if model is None:
                    break
                left = _sifted(left, [made.encoder.read(model, there)])
                settled = False
    return tuple(left)


def _from_start(made: Formulas, candidates: list[Lemma], deadline: Deadline) -> list[Lemma]:
    """The candidates that hold in every initial state."""
    here = made.state(0)
    while True:
        wrong = z3.Not(all_of(made, candidates, here))
        model = model_of(Obligation("start", (made.start(here), wrong), (here,)), deadline)
        if model is None:
            return candidates
        candidates = _sifted(candidates, [made.encoder.read(model, here)])
