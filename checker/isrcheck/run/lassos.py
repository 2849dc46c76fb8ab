"""Lassos walked on the reference, the only way to one that is shown: the way round, the formula, each fairness."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from isrcheck.engines.common.behaviours import FairnessCondition, Lasso
from isrcheck.engines.frozen_values import State
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import Disagreement
from isrcheck.ir.domains import inner_domains
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import TemporalOperator, TemporalProperty
from isrcheck.passes.bind import BoundModel
from isrcheck.run.replay import FAULT, states_from, trace_along
from isrcheck.run.trace import Trace


@dataclass(frozen=True)
class WalkedLasso:
    """States 0 to n; the last is state `loop` again. Where the behaviour stops, state `loop` is the last."""

    path: tuple[int, ...]
    states: list[State]
    loop: int

    @property
    def cycle(self) -> list[State]:
        return self.states[self.loop :]


class LassoReplay:
    def __init__(
        self, model: BoundModel, conditions: Sequence[FairnessCondition], model_name: str, engine: str
    ) -> None:
        self.stepper = ReferenceStepper(model)
        self.conditions, self.model_name, self.engine = conditions, model_name, engine
        self.methods = {method.name: method for method in model.ir.temporal}

    @cached_property
    def _instances_of_fairness(self) -> list[int]:
        """The instances that fairness speaks of."""
        return sorted({instance for each in self.conditions for instance in each.instances})

    def trace(self, name: str, lasso: Lasso) -> Trace:
        """The trace of a violation. Raises Disagreement where the reference sees none."""
        walked = self._walk(name, lasso, with_pruned=True)
        trace = trace_along(self.stepper, self.methods[name], walked.path, walked.states, self.model_name)
        return replace(trace, loop=walked.loop)

    def name_bound(self, name: str, lasso: Lasso) -> str:
        """The bound that stops a behaviour, as a phrase. Raises Disagreement."""
        walked = self._walk(name, lasso, with_pruned=False)
        for condition in self._unfair(walked, with_pruned=True):
            for state in walked.cycle:
                for instance, after in self.stepper.steps(state, sorted(condition.instances)):
                    if after is None:
                        bound = bounds_of(self.stepper, state, instance)
                        return f"{bound} stops it, at {self.stepper.call(instance)}"
        names = " and ".join(each.name for each in self.stepper.model.ir.constraints)
        if names:
            return f"the constraint {names} stops it"
        raise self._disagreement(name, "the reference finds no bound that stops it")

    def _walk(self, name: str, lasso: Lasso, with_pruned: bool) -> WalkedLasso:
        """Walk a lasso from the first initial state from which it is fair, and the property false of it."""
        path = (*lasso.stem_instances, *lasso.cycle_instances)
        loop = len(lasso.stem_instances)
        why = "the reference does not go round it, or finds the property true of it"
        for first in self.stepper.initials:
            with suppress(Disagreement):
                states = states_from(self.stepper, first, path, name, self.engine)
                if states[-1] == states[loop] and self.is_false(self.methods[name], states, loop):
                    walked = WalkedLasso(path, states, loop)
                    unfair = next(self._unfair(walked, with_pruned), None)
                    if unfair is None:
                        return walked
                    why = f"the reference says that {unfair.name} is put off for ever"
        raise self._disagreement(name, why)

    def _disagreement(self, name: str, why: str) -> Disagreement:
        return Disagreement(f"the {self.engine} engine finds that {name} is false of a behaviour; {why}. {FAULT}")

    def is_false(self, method: TemporalProperty, states: Sequence[State], loop: int) -> bool:
        answers = [self.stepper.formula_answers(method.name, state) for state in states]
        return any(_is_false(method.operator, [row[n] for row in answers], loop) for n in range(len(answers[0])))

    def _unfair(self, walked: WalkedLasso, with_pruned: bool) -> Iterator[FairnessCondition]:
        """The conditions that going round for ever puts off."""
        steps = [self._steps_that_change(state, with_pruned) for state in walked.cycle]
        taken = {
            instance
            for here, after in zip(steps, walked.cycle[1:], strict=False)
            for instance, target in here.items()
            if target == after
        }
        for condition in self.conditions:
            enabled = [not condition.instances.isdisjoint(here) for here in steps]
            is_asked = any(enabled) if condition.is_strong else all(enabled)
            if is_asked and condition.instances.isdisjoint(taken):
                yield condition

    def _steps_that_change(self, state: State, with_pruned: bool) -> dict[int, State | None]:
        steps = self.stepper.steps(state, self._instances_of_fairness)
        if with_pruned:
            return {instance: after for instance, after in steps if after != state}
        kept = ((i, after) for i, after in steps if after not in (None, state))
        return {i: after for i, after in kept if after is not None and self.stepper.keeps((state, i), after)}


def _is_false(operator: TemporalOperator, answers: Sequence[tuple[bool, ...]], loop: int) -> bool:
    """Tell whether a formula is false of a behaviour with these answers, state by state, that goes on from `loop`."""
    cycle = answers[loop:]
    match operator:
        case TemporalOperator.EVENTUALLY:
            return not any(p for (p,) in answers)
        case TemporalOperator.ALWAYS_EVENTUALLY:
            return not any(p for (p,) in cycle)
        case TemporalOperator.EVENTUALLY_ALWAYS:
            return not all(p for (p,) in cycle)
    return any(p and not any(q for _, q in (*answers[at:], *cycle)) for at, (p, _) in enumerate(answers))


def bounds_of(stepper: ReferenceStepper, state: State, instance: int) -> str:
    """Name the bound that prunes a step, as "the bound on max_records": its constant, else the variables."""
    variables = stepper.above(state, instance)
    ir = stepper.model.ir
    domains = (variable.domain for variable in ir.variables if variable.name in variables)
    bounds = (getattr(inner, end, "") for of in domains for inner in inner_domains(of) for end in ("high", "total"))
    words = {name for bound in bounds if isinstance(bound, str) for name in re.findall(r"\w+", bound)}
    constants = words & {c.name for c in ir.constants}
    named = constants if len(constants) == 1 else variables
    return f"the bound on {' and '.join(sorted(named))}" if named else "a bound"
