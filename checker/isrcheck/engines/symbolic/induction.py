"""k-induction with lemmas over one open system: proved, broken from the start, stuck at a step, or given up."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import z3

from isrcheck.budget import poll_memory
from isrcheck.engines.symbolic.answers import FAULT, Answer, Broken, GivenUp, State, Stuck
from isrcheck.engines.symbolic.ask import check_aside
from isrcheck.engines.symbolic.encode import Vector
from isrcheck.engines.symbolic.obligations import (
    Formulas,
    Obligation,
    base_obligation,
    fault_obligations,
    formulas_of,
    lemma_obligations,
    property_obligations,
)
from isrcheck.engines.symbolic.proof import InductiveProof, Lemma
from isrcheck.ir.scalar import Fault, Node, Op
from isrcheck.passes.symbolic import SymbolicSystem


@dataclass(frozen=True)
class Deadline:
    """When a run ends, by the monotonic clock; None: never."""

    at: float | None = None

    @staticmethod
    def after(seconds: float | None) -> "Deadline":
        return Deadline(None if seconds is None else time.monotonic() + seconds)

    @property
    def milliseconds(self) -> int | None:
        """What is left; None where there is no end."""
        return None if self.at is None else max(0, int((self.at - time.monotonic()) * 1000))


class Unanswered(Exception):
    """z3 did not decide a formula; the argument says why."""


def model_of(obligation: Obligation, deadline: Deadline) -> z3.ModelRef | None:
    """A model of an obligation's formulas; None if there is none. Raises Unanswered."""
    solver = z3.Solver()
    solver.set("ctrl_c", False)
    left = deadline.milliseconds
    if left is not None:
        if left <= 0:
            raise Unanswered("the time is over")
        solver.set("timeout", left)
    solver.add(*obligation.formulas)
    answer = check_aside(solver, poll_memory)
    if answer == z3.unsat:
        return None
    if answer == z3.sat:
        return solver.model()
    over = deadline.milliseconds is not None and deadline.milliseconds <= 0
    raise Unanswered("the time is over" if over else f"z3 does not know ({solver.reason_unknown()})")


def induct(
    symbolic: SymbolicSystem, name: str, lemmas: Sequence[Lemma], most: int, deadline: Deadline, least: int = 1
) -> Answer:
    """Tries k = `least` to `most`, where smaller ones are known to fail; a step property has k = 1 only."""
    proof = proof_of(symbolic, name, lemmas)
    made = formulas_of(proof)
    try:
        stuck = _first(made, lemma_obligations(made, proof.lemmas), deadline)
        if stuck is not None:
            return _stuck_lemma(made, proof, *stuck)
        stuck = _first(made, fault_obligations(made, proof.lemmas, proof.faults), deadline)
        if stuck is not None:
            return Stuck(FAULT, 1, _states(made, *stuck), ())
        return _property(made, proof, range(least, most + 1) if proof.kind.bounded_by_base else range(1, 2), deadline)
    except Unanswered as error:
        return GivenUp(str(error), least)


def _property(made: Formulas, proof: InductiveProof, lengths: range, deadline: Deadline) -> Answer:
    answer: Answer | None = None
    for k in lengths:
        proof = replace(proof, k=k)
        try:
            found = _try(made, proof, deadline)
        except Unanswered as error:
            return GivenUp(str(error), k)
        if not isinstance(found, Stuck):
            return found
        answer = found
    assert answer is not None
    return answer


def _try(made: Formulas, proof: InductiveProof, deadline: Deadline) -> Answer:
    """One k: its base, then its step."""
    for length in range(proof.k if proof.kind.bounded_by_base else 0):
        base = base_obligation(made, proof, length)
        model = model_of(base, deadline)
        if model is not None:
            return _broken(made, base, model)
    steps = (o for o in property_obligations(made, proof) if o.instance is not None)
    stuck = _first(made, steps, deadline)
    if stuck is None:
        return proof
    states = _states(made, *stuck)
    return Stuck(proof.name, proof.k, states, _path(made, states, stuck[0].instance))


def _first(
    made: Formulas, obligations: Iterable[Obligation], deadline: Deadline
) -> tuple[Obligation, z3.ModelRef] | None:
    """The first obligation that does not stand, with a model."""
    for obligation in obligations:
        model = model_of(obligation, deadline)
        if model is not None:
            return obligation, model
    return None


def _stuck_lemma(made: Formulas, proof: InductiveProof, obligation: Obligation, model: z3.ModelRef) -> Stuck:
    """The first lemma that a counterexample breaks."""
    states = _states(made, obligation, model)
    last = made.encoder.constants(states[-1])
    broken = next(x for x in proof.lemmas if z3.is_false(z3.simplify(made.truth(x.node, last))))
    last_step = () if obligation.instance is None else (obligation.instance,)
    return Stuck(broken.name, 1, states, last_step, initial=not last_step)


def _path(made: Formulas, states: Sequence[State], last: int | None) -> tuple[int, ...]:
    """The instances between states, of which the last is known."""
    assert last is not None
    return (*(instance_between(made, one, other) for one, other in pairwise(states[:-1])), last)


def _states(made: Formulas, obligation: Obligation, model: z3.ModelRef) -> tuple[State, ...]:
    return tuple(made.encoder.read(model, state) for state in obligation.states)


def _broken(made: Formulas, base: Obligation, model: z3.ModelRef) -> Broken:
    """The way that a base case goes: for each step an instance that makes it."""
    states = _states(made, base, model)
    path = tuple(instance_between(made, one, other) for one, other in pairwise(states))
    return Broken(path, states[0][made.first :])


def instance_between(made: Formulas, before: State, after: State) -> int:
    """The first instance that leads from one known state to another."""
    here = made.encoder.constants(before)
    for instance in made.possible():
        can, there = made.taken(instance, here)
        if z3.is_true(z3.simplify(can)) and _values(made, there) == after:
            return instance
    raise AssertionError("no instance leads from one state of a model to the next")


def _values(made: Formulas, state: Vector) -> State:
    return made.encoder.read(z3.Model(), state)


# What a proof is about


def proof_of(symbolic: SymbolicSystem, name: str, lemmas: Sequence[Lemma]) -> InductiveProof:
    """What is to be proved of one property, with k = 1."""
    found = next(p for p in symbolic.system.properties if p.name == name)
    conditions = tuple(symbolic.nodes.and_(c.node, no_fault(symbolic, c.faults)) for c in found.conditions)
    asked = symbolic.asked[name].node if name in symbolic.asked else symbolic.nodes.true
    return InductiveProof(symbolic, name, found.kind, 1, tuple(lemmas), conditions, asked, faults_of(symbolic))


def no_fault(symbolic: SymbolicSystem, faults: Sequence[Fault]) -> Node:
    """Whether a condition has a value."""
    return symbolic.nodes.not_(symbolic.nodes.or_(*(fault.condition for fault in faults)))


def faults_of(symbolic: SymbolicSystem) -> tuple[Node, ...]:
    """The mistakes that the actions' text may meet, each once; those that are impossible in every state left out."""
    found = {f.condition.index: f.condition for i in symbolic.system.instances for f in i.faults}
    return tuple(node for node in found.values() if node.op is not Op.CONST or node.value)


def lemmas_of(symbolic: SymbolicSystem, names: Iterable[str]) -> Iterator[Lemma]:
    """Those properties of a system that are to be used as lemmas: invariants by name."""
    written = {p.name: p for p in symbolic.model.ir.properties}
    for found in symbolic.system.properties:
        if found.name in names:
            condition = found.conditions[0]
            node = symbolic.nodes.and_(condition.node, no_fault(symbolic, condition.faults))
            method = written[found.name]
            yield Lemma(found.name, node, str(method.at), " ".join(method.doc.split("\n\n")[0].split()))
