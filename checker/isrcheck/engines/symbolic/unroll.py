"""A scalar system step after step in one z3 solver: the states that so many steps lead to, as formulas.

Each state is a vector of bit-vectors, and each step a number that says which instance is taken; a state's scalars are
choices among what the instances make of them (docs/adr/011-symbolic-encoding.md says why so). Scalars that no instance
changes are the same z3 constants in every state.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import z3

from isrcheck.engines.contract import Path
from isrcheck.engines.symbolic.ask import SearchClock, make_solver
from isrcheck.engines.symbolic.encode import Encoder, StateTerms, Term, Vector, as_bits, bits_for, fitted
from isrcheck.engines.symbolic.kinds import ordered
from isrcheck.ir.scalar import Instance, Node, Op, ScalarSystem
from isrcheck.passes.symbolic import SymbolicSystem


@dataclass(frozen=True)
class SystemSlice:
    """Positions of scalars and of instances, both in order."""

    scalars: tuple[int, ...]
    instances: tuple[int, ...]


def support(nodes: Iterable[Node], size: int) -> frozenset[int]:
    return frozenset(node.value % size for node in ordered(nodes) if node.op is Op.VAR)


def slice_for(system: ScalarSystem, targets: Iterable[Node], every_step: bool) -> SystemSlice:
    """What decides these nodes. `every_step`: a step counts even if it changes nothing kept (step properties)."""
    size = len(system.scalars)
    kept = set(support(targets, size))
    taken: set[int] = set()
    grew = True
    while grew:
        grew = False
        for position, instance in enumerate(system.instances):
            written = {scalar for scalar, _ in instance.updates}
            if position not in taken and (every_step or written & kept) and instance.guard.high:
                taken.add(position)
                grew = True
        for position in taken:
            more = support(_reads(system.instances[position], kept), size) - kept
            grew |= bool(more)
            kept |= more
    return SystemSlice(tuple(sorted(kept)), tuple(sorted(taken)))


def _reads(instance: Instance, kept: set[int]) -> Iterable[Node]:
    return (instance.guard, instance.pruned, *(node for scalar, node in instance.updates if scalar in kept))


class Unrolling:
    """The states that 0, 1, 2, ... steps of a slice lead to. `position` in what follows counts steps."""

    def __init__(self, symbolic: SymbolicSystem, part: SystemSlice, encoder: Encoder, clock: SearchClock) -> None:
        self.symbolic, self.part, self.encoder, self.clock = symbolic, part, encoder, clock
        self.instances: tuple[Instance, ...] = tuple(symbolic.system.instances[i] for i in part.instances)
        changed = {p for instance in self.instances for p, _ in instance.updates}
        self.changing = tuple(p for p in part.scalars if p in changed)
        self.solver = make_solver()
        first, known = encoder.vector("0"), encoder.constants(symbolic.system.initial)
        self.states = [known[: symbolic.first_symbolic] + first[symbolic.first_symbolic :]]
        self.terms = [encoder.terms(self.states[0])]
        self.taken: list[Term] = []  # by step: the position of its instance in the slice
        self.solver.add(encoder.domain(self.states[0]), self.terms[0].truth(symbolic.allowed.node))

    def extend(self) -> None:
        self.clock.look()
        now, terms, encoder = self.states[-1], self.terms[-1], self.encoder
        fresh = encoder.vector(str(len(self.states)))
        after = tuple(fresh[p] if p in self.changing else term for p, term in enumerate(now))
        most = max(0, len(self.instances) - 1)
        taken = Term(z3.BitVec(f"taken@{len(self.taken)}", max(1, most.bit_length())), 0, most)
        chosen = [taken.z3 == i for i in range(len(self.instances))]
        self.solver.add(z3.Or(*chosen), encoder.domain(after))
        for here, instance in zip(chosen, self.instances, strict=True):
            self.solver.add(z3.Implies(here, z3.And(terms.truth(instance.guard), z3.Not(terms.truth(instance.pruned)))))
        for position in self.changing:
            self.solver.add(after[position].z3 == self._next(position, now, terms, chosen))
        self.taken.append(taken)
        self.states.append(after)
        self.terms.append(encoder.terms(after))

    def _next(self, position: int, now: Vector, terms: StateTerms, chosen: Sequence[z3.BoolRef]) -> z3.ExprRef:
        value = now[position].z3
        made: dict[int, list[z3.BoolRef]] = {}
        nodes: dict[int, Node] = {}
        for here, instance in zip(chosen, self.instances, strict=True):
            for scalar, node in instance.updates:
                if scalar == position:
                    made.setdefault(node.index, []).append(here)
                    nodes[node.index] = node
        for index, places in made.items():
            value = z3.If(z3.Or(*places), fitted(now[position], terms.term(nodes[index])), value)
        return value

    def truth(self, node: Node, position: int) -> z3.BoolRef:
        return self.terms[position].truth(node)

    def some_step(self, nodes: Sequence[Node], position: int) -> z3.BoolRef:
        """Whether the step from a state makes its own node 1: one node for each instance of the system."""
        terms = self.encoder.terms(self.states[position + 1], before=self.states[position])
        places: dict[int, list[int]] = {}
        for place, instance in enumerate(self.part.instances):
            places.setdefault(nodes[instance].index, []).append(place)
        by_index = {node.index: node for node in nodes}
        found = []
        for index, at in places.items():
            true = terms.truth(by_index[index])
            everywhere = len(at) == len(self.instances)
            found.append(true if everywhere else z3.And(z3.Or(*(self.taken[position].z3 == i for i in at)), true))
        return z3.Or(*found)

    def path(self, model: z3.ModelRef, steps: int) -> Path:
        found = []
        for taken in self.taken[:steps]:
            place = model.eval(taken.z3, model_completion=True)
            assert isinstance(place, z3.BitVecNumRef)
            found.append(self.part.instances[place.as_long()])
        return tuple(found)

    def choice(self, model: z3.ModelRef) -> tuple[int, ...]:
        return self.encoder.read(model, self.states[0])[self.symbolic.first_symbolic :]

    def chosen(self, choice: Sequence[int]) -> z3.BoolRef:
        values = (*self.symbolic.system.initial[: self.symbolic.first_symbolic], *choice)
        positions = range(self.symbolic.first_symbolic, self.encoder.size)
        return self.encoder.equals(self.states[0], values, positions)

    def between(self, place: int, low: int, high: int) -> z3.BoolRef:
        term = self.states[0][self.symbolic.first_symbolic + place]
        found = as_bits(term, bits_for(0, max(term.high, high)))
        return z3.And(z3.ULE(low, found), z3.ULE(found, high))

    def agree(self, choice: Sequence[int]) -> list[z3.BoolRef]:
        return [self.between(place, value, value) for place, value in enumerate(choice)]
