"""Bounded search for lassos: a behaviour of at most so many steps that comes back to one of its states, or stops."""

from collections.abc import Iterator, Sequence

import z3

from isrcheck.engines.common.behaviours import FairnessCondition, Lasso
from isrcheck.engines.common.targets import Stopped
from isrcheck.engines.contract import Request
from isrcheck.engines.symbolic.encode import Encoder, fit
from isrcheck.engines.symbolic.unroll import SearchClock, SystemSlice, Unrolling
from isrcheck.errors import counted
from isrcheck.ir.model import TemporalOperator
from isrcheck.ir.scalar import Instance, Node
from isrcheck.passes.symbolic import SymbolicSystem
from isrcheck.process.budget import OutOfBudget, phase

Formulas = dict[str, tuple[TemporalOperator, list[list[Node]]]]  # of each property: P, or P and Q, formula by formula


class LassoSearch:
    """The shortest of each property, as deep as the request allows; `cut` says, as a phrase, where it ended."""

    def __init__(
        self,
        symbolic: SymbolicSystem,
        formulas: Formulas,
        conditions: Sequence[FairnessCondition],
        request: Request,
        clock: SearchClock,
    ) -> None:
        system = symbolic.system
        complete = SystemSlice(tuple(range(len(system.scalars))), tuple(range(len(system.instances))))
        self._system, self._formulas, self._conditions = system, dict(formulas), conditions
        self._most, self._clock = request.limits.depth, clock
        self._run = Unrolling(symbolic, complete, Encoder(system, "bits"), clock)
        self._enabled: list[list[z3.BoolRef]] = []  # by position, by condition
        self._changes: list[z3.BoolRef] = []  # by step
        self.lassos: dict[str, Lasso] = {}
        self.depth = 0
        self.cut = ""

    def run(self) -> None:
        phase("")
        try:
            self._levels()
        except (Stopped, OutOfBudget) as stopped:
            self.cut = str(stopped)

    def _levels(self) -> None:
        while self._formulas:
            self._enabled.append([self._enables(condition) for condition in self._conditions])
            for name in [*self._formulas]:
                if (lasso := self._lasso(name)) is not None:
                    self.lassos[name] = lasso
                    del self._formulas[name]
            self.depth += 1
            if self._most is not None and self.depth >= self._most:
                self.cut = f"after {counted(self.depth, 'level')}"
                return
            self._run.extend()
            before, after = self._run.states[-2:]
            self._changes.append(z3.Or(*(before[p].z3 != after[p].z3 for p in self._run.changing)))

    def _enables(self, condition: FairnessCondition) -> z3.BoolRef:
        """Whether some instance of a condition changes the last state, or would leave a bound."""
        return z3.Or(*(self._can_happen(self._system.instances[each]) for each in sorted(condition.instances)))

    def _can_happen(self, instance: Instance) -> z3.BoolRef:
        terms, now = self._run.terms[-1], self._run.states[-1]
        changes = (now[p].z3 != fit(now[p], terms.term(node)) for p, node in instance.updates)
        return z3.And(terms.truth(instance.guard), z3.Or(terms.truth(instance.pruned), *changes))

    def _lasso(self, name: str) -> Lasso | None:
        """A lasso of as many steps as there are; None if there is none."""
        solver, end = self._run.solver, len(self._run.taken)
        loops = [z3.Bool(f"loop@{end}@{start}") for start in range(end + 1)]
        solver.push()
        try:
            solver.add(z3.Or(*loops), *self._is_lasso(loops, name))
            if not self._clock.is_sat(solver):
                return None
            model = solver.model()
            start = next(n for n, loop in enumerate(loops) if z3.is_true(model.eval(loop)))
            path = self._run.path(model, end)
            return Lasso((), path[:start], (), path[start:])
        finally:
            solver.pop()

    def _is_lasso(self, loops: Sequence[z3.BoolRef], name: str) -> Iterator[z3.BoolRef]:
        states = self._run.states
        last = states[-1]
        for loop, state in zip(loops, states, strict=True):
            same = (a.z3 == b.z3 for p in self._run.changing for a, b in [(state[p], last[p])] if a is not b)
            yield z3.Implies(loop, z3.And(*same))
        inside = [z3.Or(*loops[: place + 1]) for place in range(len(loops))]
        if self._system.outside is not None:
            yield z3.And(*(z3.Not(self._run.truth(self._system.outside, place)) for place in range(len(states))))
        for number, condition in enumerate(self._conditions):
            yield self._is_fair(condition, [row[number] for row in self._enabled], inside)
        operator, formulas = self._formulas[name]
        yield z3.Or(*(self._is_false(operator, each, inside) for each in formulas))

    def _is_fair(
        self, condition: FairnessCondition, enabled: Sequence[z3.BoolRef], inside: Sequence[z3.BoolRef]
    ) -> z3.BoolRef:
        taken = [
            z3.And(here, changes, z3.Or(*(step.z3 == instance for instance in sorted(condition.instances))))
            for here, changes, step in zip(inside, self._changes, self._run.taken, strict=False)
        ]
        off = [z3.And(here, z3.Not(on)) for here, on in zip(inside, enabled, strict=True)]
        if condition.is_strong:
            off = [z3.And(*(z3.Implies(here, z3.Not(on)) for here, on in zip(inside, enabled, strict=True)))]
        return z3.Or(*taken, *off)

    def _is_false(self, operator: TemporalOperator, nodes: Sequence[Node], inside: Sequence[z3.BoolRef]) -> z3.BoolRef:
        never, *goal = ([z3.Not(self._run.truth(node, place)) for place in range(len(inside))] for node in nodes)
        match operator:
            case TemporalOperator.EVENTUALLY:
                return z3.And(*never)
            case TemporalOperator.EVENTUALLY_ALWAYS:
                return z3.Or(*map(z3.And, inside, never))
            case TemporalOperator.ALWAYS_EVENTUALLY:
                return z3.And(*map(z3.Implies, inside, never))
        around = z3.And(*map(z3.Implies, inside, goal[0]))
        waits = (z3.And(z3.Not(p), *goal[0][place:]) for place, p in enumerate(never))
        return z3.And(around, z3.Or(*waits))
