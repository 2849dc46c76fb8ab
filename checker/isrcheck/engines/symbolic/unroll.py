"""A scalar system step after step in one z3 solver: the states that steps lead to.

A step is a number that says which instance is taken; a state's scalars are choices among what instances make of them
(docs/adr/011-symbolic-encoding.md). Scalars that no instance changes are the same constants in every state.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import z3

from isrcheck.engines.common.targets import Stopped, StopPolicy
from isrcheck.engines.contract import Path, Progress
from isrcheck.engines.symbolic.encode import Encoder, StateTerms, Term, Vector, as_bits, bits_for, fit, order_nodes
from isrcheck.ir.scalar import Instance, Node, Op, ScalarSystem
from isrcheck.passes.symbolic import SymbolicSystem
from isrcheck.process.interrupt import run_in_background


def make_solver() -> z3.Solver:
    """A solver for bit-vectors that leaves Ctrl-C to Python, from which z3's handler would hide it."""
    solver = z3.SolverFor("QF_BV")
    solver.set("ctrl_c", False)
    return solver


class SearchClock(StopPolicy):
    """The stop policy of a search that asks z3."""

    depth = 0  # of the search

    def check_limits(self) -> None:
        """Check the limits, and show progress. Raises Stopped."""
        self.check(0, lambda: Progress(self.depth, 0, 0, 0, self.seconds))

    def is_sat(self, solver: z3.Solver) -> bool:
        """Whether z3 answers sat, from a thread, so that this one hears signals. Raises Stopped, also for `unknown`."""
        self.check_limits()
        answer = ask(solver, self.check_limits)
        if answer == z3.unknown:
            self.check_limits()
            raise Stopped(f"because z3 answered unknown ({solver.reason_unknown()})")
        return bool(answer == z3.sat)


def ask(solver: z3.Solver, poll: Callable[[], object] = lambda: None) -> z3.CheckSatResult:
    """Ask z3 in the background; `poll` and signals may interrupt it."""
    return run_in_background(solver.check, poll, solver.interrupt)


@dataclass(frozen=True)
class SystemSlice:
    scalars: tuple[int, ...]
    instances: tuple[int, ...]


def support(nodes: Iterable[Node], size: int) -> frozenset[int]:
    return frozenset(node.value % size for node in order_nodes(nodes) if node.op is Op.VAR)


def slice_for(system: ScalarSystem, targets: Iterable[Node], every_step: bool) -> SystemSlice:
    """The slice of a system that decides these nodes. `every_step`: with steps that change none of its scalars."""
    size, before = len(system.scalars), -1
    scalars = set(support(targets, size))
    taken = set[int]()
    while len(scalars) + len(taken) != before:
        before = len(scalars) + len(taken)
        for position, instance in enumerate(system.instances):
            if instance.guard.high and (every_step or any(scalar in scalars for scalar, _ in instance.updates)):
                taken.add(position)
        for position in taken:
            scalars |= support(_reads(system.instances[position], scalars), size)
    return SystemSlice(tuple(sorted(scalars)), tuple(sorted(taken)))


def _reads(instance: Instance, scalars: set[int]) -> Iterable[Node]:
    return (instance.guard, instance.pruned, *(node for scalar, node in instance.updates if scalar in scalars))


class Unrolling:
    """The transition relation unrolled into a z3 solver; a `position` in it is a number of steps."""

    def __init__(
        self, symbolic: SymbolicSystem, system_slice: SystemSlice, encoder: Encoder, clock: SearchClock
    ) -> None:
        self.symbolic, self.system_slice, self.encoder, self.clock = symbolic, system_slice, encoder, clock
        self.instances = tuple(symbolic.system.instances[i] for i in system_slice.instances)
        changed = {p for instance in self.instances for p, _ in instance.updates}
        self.changing = tuple(p for p in system_slice.scalars if p in changed)
        self.solver = make_solver()
        first, known = encoder.vector("0"), encoder.constants(symbolic.system.initial)
        self.states = [known[: symbolic.first_symbolic] + first[symbolic.first_symbolic :]]
        self.terms = [encoder.terms(self.states[0])]
        self.taken: list[Term] = []  # by step: the position of its instance in the slice
        self.solver.add(encoder.domain(self.states[0]), self.terms[0].truth(symbolic.allowed.node))

    def extend(self) -> None:
        self.clock.check_limits()
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
        at: dict[int, list[z3.BoolRef]] = {}
        nodes: dict[int, Node] = {}
        for here, instance in zip(chosen, self.instances, strict=True):
            for scalar, node in instance.updates:
                if scalar == position:
                    at.setdefault(node.index, []).append(here)
                    nodes[node.index] = node
        for index, places in at.items():
            value = z3.If(z3.Or(*places), fit(now[position], terms.term(nodes[index])), value)
        return value

    def truth(self, node: Node, position: int) -> z3.BoolRef:
        return self.terms[position].truth(node)

    def some_step(self, nodes: Sequence[Node], position: int) -> z3.BoolRef:
        """The condition that the step taken at a position makes its instance's node true."""
        terms = self.encoder.terms(self.states[position + 1], before=self.states[position])
        places: dict[int, list[int]] = {}
        for place, instance in enumerate(self.system_slice.instances):
            places.setdefault(nodes[instance].index, []).append(place)
        by_index = {node.index: node for node in nodes}
        conditions = []
        for index, at in places.items():
            true = terms.truth(by_index[index])
            everywhere = len(at) == len(self.instances)
            conditions.append(true if everywhere else z3.And(z3.Or(*(self.taken[position].z3 == i for i in at)), true))
        return z3.Or(*conditions)

    def path(self, model: z3.ModelRef, steps: int) -> Path:
        path = []
        for taken in self.taken[:steps]:
            place = model.eval(taken.z3, model_completion=True)
            assert isinstance(place, z3.BitVecNumRef)
            path.append(self.system_slice.instances[place.as_long()])
        return tuple(path)

    def choice(self, model: z3.ModelRef) -> tuple[int, ...]:
        return self.encoder.read(model, self.states[0])[self.symbolic.first_symbolic :]

    def has_choice(self, choice: Sequence[int]) -> z3.BoolRef:
        values = (*self.symbolic.system.initial[: self.symbolic.first_symbolic], *choice)
        positions = range(self.symbolic.first_symbolic, self.encoder.size)
        return self.encoder.equals(self.states[0], values, positions)

    def between(self, place: int, low: int, high: int) -> z3.BoolRef:
        term = self.states[0][self.symbolic.first_symbolic + place]
        value = as_bits(term, bits_for(0, max(term.high, high)))
        return z3.And(z3.ULE(low, value), z3.ULE(value, high))
