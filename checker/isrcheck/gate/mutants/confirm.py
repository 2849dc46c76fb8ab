"""Mutants' kills, seen in plain Python."""

from collections.abc import Iterable
from functools import cached_property

from isrcheck.engines.contract import DEADLOCK, FoundFault, Path
from isrcheck.engines.evaluator import ScalarStepper, State
from isrcheck.errors import Disagreement, ModelError
from isrcheck.gate.mutants.mutant import where
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.passes.lowering import is_same_instance
from isrcheck.passes.starts import refuse_several

_FAULT = "This is a fault of isrcheck; no verdict is given."


# The reference runs the author's own methods, which know nothing of a mutant.
class Confirmation:
    def __init__(self, system: ScalarSystem, kinds: dict[str, PropertyKind]) -> None:
        self.system = system
        self._kinds = kinds

    @cached_property
    def _stepper(self) -> ScalarStepper:
        return ScalarStepper(self.system)

    def confirm(self, name: str, path: Path) -> None:
        """Check that the evaluator, too, sees this target at the end of the path. Raises Disagreement."""
        states = self._states_along(path)
        if name == DEADLOCK:
            is_target = next(self._stepper.steps(states[-1]), None) is None
        else:
            is_target = self._kinds[name].is_target(self._answer(name, path, states))
        if not is_target:
            raise Disagreement(f"the native engine says that {name} kills a mutant, the evaluator does not. {_FAULT}")

    def error(self, fault: FoundFault) -> str:
        """The model error in the mutant's text, and its place. Raises Disagreement if the evaluator meets none."""
        states = self._states_along(fault.path)
        try:
            if fault.property is None:
                list(self._stepper.steps(states[-1]))
            else:
                self._answer(fault.property, fault.path, states)
        except ModelError as error:
            return f"{where(error.place)}: {error.sentence.rstrip('.')}"
        raise Disagreement(f"the native engine meets an error in a mutant that the evaluator does not. {_FAULT}")

    def _answer(self, name: str, path: Path, states: list[State]) -> bool:
        if self._kinds[name].is_of_steps:
            return self._stepper.step_holds(name, states[-2], path[-1], states[-1])
        return self._stepper.holds(name, states[-1])

    def _states_along(self, path: Path) -> list[State]:
        refuse_several("the model", len(self._stepper.initials), "a mutant begins in one")
        states = [self._stepper.initial]
        for instance in path:
            after = dict(self._stepper.steps(states[-1])).get(instance)
            if after is None:
                raise Disagreement(f"the evaluator cannot take step {instance} of a mutant's trace. {_FAULT}")
            states.append(after)
        return states


def are_equivalent(one: ScalarSystem, other: ScalarSystem, states: Iterable[State]) -> bool:
    """Whether in all these states, which are those of one side, both have the same steps."""
    if len(one.instances) != len(other.instances):  # with other parameters taken from slots
        first, second = ScalarStepper(one), ScalarStepper(other)
        return all(dict(first.steps(state)) == dict(second.steps(state)) for state in states)
    pairs = zip(one.instances, other.instances, strict=True)
    differing = [pair for pair in pairs if not is_same_instance(*pair)]
    sides = (replace(one, instances=tuple(pair[side] for pair in differing)) for side in (0, 1))
    first, second = map(ScalarStepper, sides)
    return all(list(first.steps(state)) == list(second.steps(state)) for state in states)
