"""What machine code says of a mutant, seen again in plain Python on the same way.

The reference cannot do it: it runs the author's own methods, which know nothing of the mutant.
"""

from functools import cached_property

from isrcheck.engines.contract import DEADLOCK, FoundFault, Path
from isrcheck.engines.evaluator import ScalarStepper, State
from isrcheck.errors import Disagreement, ModelError
from isrcheck.gate.mutants.mutant import where
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.ir.scalar import ScalarSystem

_FAULT = "This is a fault of isrcheck; no verdict is given."


class Confirmation:
    """The evaluator of one mutant; `kinds` has the kind of each property."""

    def __init__(self, system: ScalarSystem, kinds: dict[str, PropertyKind]) -> None:
        self.system = system
        self._kinds = kinds

    @cached_property
    def _stepper(self) -> ScalarStepper:
        return ScalarStepper(self.system)

    def confirm(self, name: str, path: Path) -> None:
        """Raises Disagreement unless the evaluator, too, sees this violation or deadlock at the end of the path."""
        states = self._walked(path)
        if name == DEADLOCK:
            seen = next(self._stepper.steps(states[-1]), None) is None
        elif self._kinds[name].is_of_steps:
            seen = self._kinds[name].is_target(self._stepper.step_holds(name, states[-2], path[-1], states[-1]))
        else:
            seen = self._kinds[name].is_target(self._stepper.holds(name, states[-1]))
        if not seen:
            raise Disagreement(f"the native engine says that {name} kills a mutant, the evaluator does not. {_FAULT}")

    def error(self, fault: FoundFault) -> str:
        """What is wrong in the mutant's text, and where. Raises Disagreement if the evaluator finds nothing."""
        states = self._walked(fault.path)
        try:
            if fault.property is None:
                list(self._stepper.steps(states[-1]))
            elif self._kinds[fault.property].is_of_steps:
                self._stepper.step_holds(fault.property, states[-2], fault.path[-1], states[-1])
            else:
                self._stepper.holds(fault.property, states[-1])
        except ModelError as error:
            return f"{where(error.place)}: {error.sentence.rstrip('.')}"
        raise Disagreement(f"the native engine meets an error in a mutant that the evaluator does not. {_FAULT}")

    def _walked(self, path: Path) -> list[State]:
        """The states of a path. Raises Disagreement if a step cannot be taken."""
        states = [self._stepper.initial]
        for instance in path:
            after = dict(self._stepper.steps(states[-1])).get(instance)
            if after is None:
                raise Disagreement(f"the evaluator cannot take step {instance} of a mutant's trace. {_FAULT}")
            states.append(after)
        return states
