"""k-induction with lemmas over one open system: proved, broken from the start, stuck at a step, or given up.

Lemmas are the largest part of a pool of candidates that every step keeps (Flanagan and Leino's Houdini): walks of
small choices throw out most, then each counterexample to induction those that it breaks.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import z3

from isrcheck.engines.common.evaluate import Values
from isrcheck.engines.symbolic.pool import pool
from isrcheck.engines.symbolic.proof import (
    FAULT,
    Answer,
    Broken,
    Formulas,
    GivenUp,
    InductiveProof,
    Lemma,
    Obligation,
    State,
    Stuck,
    all_of,
    base_obligation,
    fault_obligations,
    formulas_of,
    lemma_obligations,
    property_obligations,
)
from isrcheck.engines.symbolic.unroll import ask
from isrcheck.ir.frozen import replace
from isrcheck.ir.scalar import Condition, Node, Op
from isrcheck.passes.symbolic import SymbolicSystem
from isrcheck.process.budget import current, poll_memory


class Unanswered(Exception):
    """The argument says why."""


def model_of(obligation: Obligation) -> z3.ModelRef | None:
    """A model of an obligation's formulas; None if there is none. Raises Unanswered."""
    solver = z3.Solver()
    solver.set("ctrl_c", False)
    if _is_over():
        raise Unanswered("the time is over")
    if (left := current().left) is not None:
        solver.set("timeout", max(1, int(left * 1000)))
    solver.add(*obligation.formulas)
    answer = ask(solver, poll_memory)
    if answer == z3.unsat:
        return None
    if answer == z3.sat:
        return solver.model()
    raise Unanswered("the time is over" if _is_over() else f"z3 does not know ({solver.reason_unknown()})")


def _is_over() -> bool:
    left = current().left
    return left is not None and left < 0.001


def induct(symbolic: SymbolicSystem, name: str, lemmas: Sequence[Lemma], most: int, least: int = 1) -> Answer:
    """Tries k = `least` to `most`, smaller ones fail; a step property has k = 1 only."""
    proof = proof_of(symbolic, name, lemmas)
    k, formulas = least, formulas_of(proof)
    try:
        stuck = _first(formulas, lemma_obligations(formulas, proof.lemmas))
        if stuck is not None:
            return _explain_lemma(formulas, proof, *stuck)
        stuck = _first(formulas, fault_obligations(formulas, proof.lemmas, proof.faults))
        if stuck is not None:
            return Stuck(FAULT, 1, _states(formulas, *stuck), ())
        for k in range(least, most + 1) if proof.kind.bounded_by_base else range(1, 2):
            answer = _try(formulas, replace(proof, k=k))
            if not isinstance(answer, Stuck):
                break
        return answer
    except Unanswered as error:
        return GivenUp(str(error), k)


def _try(formulas: Formulas, proof: InductiveProof) -> Answer:
    for length in range(proof.k if proof.kind.bounded_by_base else 0):
        base = base_obligation(formulas, proof, length)
        model = model_of(base)
        if model is not None:
            states = _states(formulas, base, model)
            return Broken(_path(formulas, states), states[0][formulas.first :])
    stuck = _first(formulas, property_obligations(formulas, proof))
    if stuck is None:
        return proof
    states = _states(formulas, *stuck)
    assert stuck[0].instance is not None
    return Stuck(proof.name, proof.k, states, (*_path(formulas, states[:-1]), stuck[0].instance))


def _first(formulas: Formulas, obligations: Iterable[Obligation]) -> tuple[Obligation, z3.ModelRef] | None:
    for obligation in obligations:
        model = model_of(obligation)
        if model is not None:
            return obligation, model
    return None


def _explain_lemma(formulas: Formulas, proof: InductiveProof, obligation: Obligation, model: z3.ModelRef) -> Stuck:
    states = _states(formulas, obligation, model)
    end = formulas.encoder.constants(states[-1])
    broken = next(x for x in proof.lemmas if z3.is_false(z3.simplify(formulas.truth(x.node, end))))
    last_step = () if obligation.instance is None else (obligation.instance,)
    return Stuck(broken.name, 1, states, last_step, initial=not last_step)


def _path(formulas: Formulas, states: Sequence[State]) -> tuple[int, ...]:
    return tuple(_instance_between(formulas, one, other) for one, other in pairwise(states))


def _states(formulas: Formulas, obligation: Obligation, model: z3.ModelRef) -> tuple[State, ...]:
    return tuple(formulas.encoder.read(model, state) for state in obligation.states)


def _instance_between(formulas: Formulas, before: State, after: State) -> int:
    here = formulas.encoder.constants(before)
    for instance in formulas.possible():
        can, there = formulas.take(instance, here)
        if z3.is_true(z3.simplify(can)) and formulas.encoder.read(z3.Model(), there) == after:
            return instance
    raise AssertionError("no instance leads from one state of a model to the next")


def proof_of(symbolic: SymbolicSystem, name: str, lemmas: Sequence[Lemma]) -> InductiveProof:
    asked_property = next(p for p in symbolic.system.properties if p.name == name)
    conditions = tuple(_sound(symbolic, condition) for condition in asked_property.conditions)
    asked = symbolic.asked[name].node if name in symbolic.asked else symbolic.nodes.true
    mistakes = {f.condition.index: f.condition for i in symbolic.system.instances for f in i.faults}
    possible = tuple(node for node in mistakes.values() if node.op is not Op.CONST or node.value)
    return InductiveProof(
        symbolic=symbolic,
        name=name,
        kind=asked_property.kind,
        k=1,
        lemmas=tuple(lemmas),
        conditions=conditions,
        asked=asked,
        faults=possible,
    )


def _sound(symbolic: SymbolicSystem, condition: Condition) -> Node:
    n = symbolic.nodes
    return n.and_(condition.node, n.not_(n.or_(*(fault.condition for fault in condition.faults))))


def lemmas_of(symbolic: SymbolicSystem, names: Iterable[str]) -> Iterator[Lemma]:
    """Named invariants, as lemmas."""
    written = {p.name: p for p in symbolic.model.ir.properties}
    for each in symbolic.system.properties:
        if each.name in names:
            method, node = written[each.name], _sound(symbolic, each.conditions[0])
            yield Lemma(each.name, node, str(method.at), " ".join(method.doc.split("\n\n")[0].split()))


def walks(symbolic: SymbolicSystem, seed: int, count: int = 40, steps: int = 25) -> Iterator[State]:
    """States that are reachable for some small symbolic constants."""
    chance, first = random.Random(seed), symbolic.first_symbolic
    initial, free = symbolic.system.initial[:first], symbolic.system.scalars[first:]
    for _ in range(count):
        starts = ((*initial, *(chance.randrange(min(s.size, 4)) for s in free)) for _ in range(200))
        allowed = next((s for s in starts if Values(s).of(symbolic.allowed.node)), None)
        if allowed is None:
            return
        yield (state := allowed)
        for _ in range(steps):
            after = _any_successor(symbolic, state, chance)
            if after is None:
                break
            yield (state := after)


def _any_successor(symbolic: SymbolicSystem, state: State, chance: random.Random) -> State | None:
    values = Values(state)
    ways = chance.sample(symbolic.system.instances, len(symbolic.system.instances))
    return next((values.successor(i) for i in ways if values.of(i.guard) and not values.of(i.pruned)), None)


def plausible(symbolic: SymbolicSystem, seed: int) -> list[Lemma]:
    return _sift(list(pool(symbolic)), walks(symbolic, seed))


def _sift(candidates: list[Lemma], states: Iterable[State]) -> list[Lemma]:
    for state in states:
        values = Values(state)
        candidates = [c for c in candidates if values.of(c.node)]
    return candidates


def search(symbolic: SymbolicSystem, known: Sequence[Lemma], candidates: Sequence[Lemma]) -> tuple[Lemma, ...]:
    """The most candidates that hold initially and that steps keep, where known lemmas hold. Raises Unanswered."""
    formulas = Formulas(symbolic, [lemma.node for lemma in (*known, *candidates)])
    here = formulas.state(0)
    left = _from_start(formulas, list(candidates))
    settled = False
    while not settled:
        settled = True
        for instance in formulas.possible():
            can, there = formulas.take(instance, here)
            while True:
                hold = all_of(formulas, (*known, *left), here)
                wrong = z3.Not(all_of(formulas, left, there))
                obligation = Obligation("keep", (formulas.inside(here), hold, can, wrong), (here, there), instance)
                model = model_of(obligation)
                if model is None:
                    break
                left = _sift(left, [formulas.encoder.read(model, there)])
                settled = False
    return tuple(left)


def _from_start(formulas: Formulas, candidates: list[Lemma]) -> list[Lemma]:
    here = formulas.state(0)
    while True:
        wrong = z3.Not(all_of(formulas, candidates, here))
        model = model_of(Obligation("start", (formulas.start(here), wrong), (here,)))
        if model is None:
            return candidates
        candidates = _sift(candidates, [formulas.encoder.read(model, here)])
