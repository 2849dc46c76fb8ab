"""Formulas that must be unsatisfiable for a proof to stand: one for each beginning, one for each way to take a step.

Start(s): the initial state, with symbolic constants as the assumptions allow. Inside(s): every scalar in its
domain, every integer within its bound, constants allowed: true before and after every step that is not pruned.

    start      Start(s0) and not L(s0)                                           L: all lemmas
    keep i     Inside(s), L(s), step i from s to t, and not L(t)                 for each instance i
    fault      Inside(s), L(s), and a mistake in the text of an action
    base j     Start(s0), j steps, and not P(sj)                                 for j < k, where P is asked
    step i     k states in a row, each inside, with L and P; step i from the last to t, and not P(t)

A step property has no base and no P before the step; its condition is that of instance i over s and t.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import z3

from isrcheck.engines.symbolic.encode import Encoder, Vector, fit
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.ir.scalar import Node
from isrcheck.passes.symbolic import SymbolicSystem

BY_SEARCH = "found by search"


@dataclass(frozen=True, eq=False)
class Lemma:
    """An auxiliary invariant in the model's words; `place`: where it is written, or FOUND."""

    name: str
    node: Node  # over the scalars of one state; 1 where it holds and has a value
    place: str
    source: str


@dataclass(frozen=True, eq=False)
class InductiveProof:
    """A property, proved for any number of steps and all symbolic constants: `k`-inductive where the lemmas hold."""

    symbolic: SymbolicSystem
    name: str
    kind: PropertyKind
    k: int  # 1 for step properties
    lemmas: tuple[Lemma, ...]
    conditions: tuple[Node, ...]  # 1 where the property holds and has a value; of steps, one for each instance
    asked: Node  # over the symbolic constants: where the property is asked
    faults: tuple[Node, ...]  # what must never be 1 in a reachable state: mistakes of the text that was kept

    @property
    def variables(self) -> tuple[str, ...]:
        return tuple(self.symbolic.model.domains)


State = tuple[int, ...]

FAULT = "that the text of every action has a meaning"


@dataclass(frozen=True, eq=False)
class Broken:
    """Instances taken and symbolic constants' positions; of a cut system, the reference has to confirm."""

    path: tuple[int, ...]
    positions: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Stuck:
    """Induction does not go through: `what` is a lemma's name, the property's, or FAULT.

    `states` and `path` are a counterexample to induction of length `k`: the last state does not keep `what`, and those
    before keep every lemma. `initial`: a lemma is false to begin with.
    """

    what: str
    k: int
    states: tuple[State, ...]
    path: tuple[int, ...]
    initial: bool = False


@dataclass(frozen=True, eq=False)
class GivenUp:
    reason: str
    k: int


Answer = InductiveProof | Broken | Stuck | GivenUp


@dataclass(frozen=True, eq=False)
class Obligation:
    """Formulas that must not be true together: over `states`, with `instance` as the last step."""

    name: str
    formulas: tuple[z3.BoolRef, ...]
    states: tuple[Vector, ...]
    instance: int | None = None


class Formulas:
    """A system's start, inside and step in z3. `extra`: nodes of lemmas and properties."""

    def __init__(self, symbolic: SymbolicSystem, extra: Sequence[Node]) -> None:
        self.symbolic, self.system = symbolic, symbolic.system
        self.first = symbolic.first_symbolic
        self.encoder = Encoder(symbolic.system, "integers", (symbolic.within, symbolic.allowed.node, *extra))

    def state(self, number: int, like: Vector | None = None) -> Vector:
        vector = self.encoder.vector(str(number))
        return vector if like is None else vector[: self.first] + like[self.first :]

    def truth(self, node: Node, state: Vector, before: Vector = ()) -> z3.BoolRef:
        return self.encoder.terms(state, before).truth(node)

    def start(self, state: Vector) -> z3.BoolRef:
        initial = self.encoder.equals(state, self.system.initial, range(self.first))
        return z3.And(initial, self.encoder.domain(state), self.truth(self.symbolic.allowed.node, state))

    def inside(self, state: Vector) -> z3.BoolRef:
        """True of every reachable state."""
        within = self.truth(self.symbolic.within, state)
        return z3.And(self.encoder.domain(state), within, self.truth(self.symbolic.allowed.node, state))

    def take(self, instance: int, before: Vector) -> tuple[z3.BoolRef, Vector]:
        """Whether an instance can be taken, and the state that it leads to, as terms."""
        what, terms = self.system.instances[instance], self.encoder.terms(before)
        can = z3.And(terms.truth(what.guard), z3.Not(terms.truth(what.pruned)))
        after = list(before)
        for position, node in what.updates:
            after[position] = replace(before[position], z3=fit(before[position], terms.term(node)))
        return can, tuple(after)

    def any_step(self, before: Vector, after: Vector) -> z3.BoolRef:
        ways = []
        for instance in self.possible():
            can, there = self.take(instance, before)
            ways.append(z3.And(can, *(there[i].z3 == after[i].z3 for i in range(self.first))))
        return z3.Or(*ways)

    def possible(self) -> Iterator[int]:
        return (i for i, what in enumerate(self.system.instances) if what.guard.high and not what.pruned.low)


def formulas_of(proof: InductiveProof) -> Formulas:
    return Formulas(proof.symbolic, (*proof.conditions, proof.asked, *proof.faults, *(x.node for x in proof.lemmas)))


def lemma_obligations(formulas: Formulas, lemmas: Sequence[Lemma]) -> Iterator[Obligation]:
    if not lemmas:
        return
    here = formulas.state(0)
    hold = all_of(formulas, lemmas, here)
    yield Obligation("start", (formulas.start(here), z3.Not(hold)), (here,))
    for instance in formulas.possible():
        can, there = formulas.take(instance, here)
        wrong = z3.Not(all_of(formulas, lemmas, there))
        yield Obligation(f"keep-{instance}", (formulas.inside(here), hold, can, wrong), (here, there), instance)


def fault_obligations(formulas: Formulas, lemmas: Sequence[Lemma], faults: Sequence[Node]) -> Iterator[Obligation]:
    if faults:
        here = formulas.state(0)
        wrong = z3.Or(*(formulas.truth(fault, here) for fault in faults))
        yield Obligation("fault", (formulas.inside(here), all_of(formulas, lemmas, here), wrong), (here,))


def property_obligations(formulas: Formulas, proof: InductiveProof) -> Iterator[Obligation]:
    return _of_each_step(formulas, proof) if proof.kind.is_of_steps else _of_k_steps(formulas, proof)


def base_obligation(formulas: Formulas, proof: InductiveProof, length: int) -> Obligation:
    """The obligation that no behaviour of exactly this many steps breaks an invariant."""
    states = _row(formulas, length + 1)
    steps = [formulas.any_step(one, other) for one, other in pairwise(states)]
    wrong = z3.And(formulas.truth(proof.asked, states[0]), z3.Not(formulas.truth(proof.conditions[0], states[-1])))
    insides = [formulas.inside(state) for state in states[1:]]
    return Obligation(f"base-{length}", (formulas.start(states[0]), *insides, *steps, wrong), states)


def _of_each_step(formulas: Formulas, proof: InductiveProof) -> Iterator[Obligation]:
    here = formulas.state(0)
    assumed = (formulas.inside(here), all_of(formulas, proof.lemmas, here), formulas.truth(proof.asked, here))
    for instance in formulas.possible():
        can, there = formulas.take(instance, here)
        wrong = z3.Not(formulas.truth(proof.conditions[instance], there, before=here))
        yield Obligation(f"step-{instance}", (*assumed, can, wrong), (here, there), instance)


def _of_k_steps(formulas: Formulas, proof: InductiveProof) -> Iterator[Obligation]:
    states = _row(formulas, proof.k)
    assumed = [formulas.truth(proof.asked, states[0])]
    for state in states:
        assumed += [
            formulas.inside(state),
            all_of(formulas, proof.lemmas, state),
            formulas.truth(proof.conditions[0], state),
        ]
    assumed += [formulas.any_step(one, other) for one, other in pairwise(states)]
    for instance in formulas.possible():
        can, there = formulas.take(instance, states[-1])
        wrong = z3.Not(formulas.truth(proof.conditions[0], there))
        yield Obligation(f"step-{instance}", (*assumed, can, wrong), (*states, there), instance)


def all_of(formulas: Formulas, lemmas: Sequence[Lemma], state: Vector) -> z3.BoolRef:
    terms = formulas.encoder.terms(state)
    return z3.And(*(terms.truth(lemma.node) for lemma in lemmas))


def _row(formulas: Formulas, length: int) -> tuple[Vector, ...]:
    first = formulas.state(0)
    return (first, *(formulas.state(i, first) for i in range(1, length)))
