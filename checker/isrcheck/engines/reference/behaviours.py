"""The graph of a model's behaviours on the reference: the steps of every state, and the author's conditions there."""

from array import array
from collections.abc import Sequence
from typing import Protocol

from isrcheck.engines.common.behaviours import BehaviourGraph, ExploredBehaviours, Formula, FormulaKind
from isrcheck.engines.common.targets import Stopped, StopPolicy
from isrcheck.engines.contract import Progress, Request
from isrcheck.engines.explore import Stepper
from isrcheck.engines.frozen_values import State
from isrcheck.passes.bind import BoundModel
from isrcheck.process.budget import OutOfBudget, phase, poll_by_timer


class BehaviourStepper(Stepper[State], Protocol):
    """A stepper that knows the conditions within temporal properties."""

    model: BoundModel

    def formula_answers(self, name: str, state: State) -> list[tuple[bool, ...]]:
        """The truth of each condition within a temporal property in a state, formula by formula."""


def explore(stepper: BehaviourStepper, names: Sequence[str], request: Request) -> ExploredBehaviours:
    """The reachable graph, and the formulas of these temporal properties. Raises ModelError."""
    return _Exploring(stepper, names, request).run()


class _Exploring:
    def __init__(self, stepper: BehaviourStepper, names: Sequence[str], request: Request) -> None:
        self.stepper, self.names, self.request = stepper, names, request
        self.ids: dict[State, int] = {}
        self.states: list[State] = []
        self.starts: list[int] = []
        # of each state that was expanded, in order
        self.steps: list[list[tuple[int, int]]] = []  # instance and target
        self.pruned: list[list[int]] = []
        self.answers: list[list[list[tuple[bool, ...]]]] = []  # by property, formula by formula
        self.is_constrained = False
        self.policy = StopPolicy(request, {})

    def run(self) -> ExploredBehaviours:
        phase("exploring behaviours")
        cut = None
        with self.policy.stop_request.listen_to_signals():
            try:
                with poll_by_timer():
                    self._explore()
            except (Stopped, OutOfBudget) as reason:
                cut = str(reason)
        graph = self._graph()
        formulas = {name: self._formulas(place) for place, name in enumerate(self.names)}
        return ExploredBehaviours(graph, formulas, cut, self.is_constrained, self.policy.interrupted)

    def _explore(self) -> None:
        starts = [first for first in self.stepper.initials if self.stepper.keeps(None, first)]
        self.is_constrained = len(starts) < len(self.stepper.initials)
        self.starts = [self._id(first) for first in starts]
        depth = 0
        while len(self.steps) < (end := len(self.states)):
            depth += 1
            self.policy.after_level((), end, depth)
            while len(self.steps) < end:
                self._check_limits()
                self._expand(len(self.steps))

    def _check_limits(self) -> None:
        waiting = len(self.states) - len(self.steps)
        self.policy.check(len(self.states), lambda: Progress(0, len(self.states), 0, waiting, self.policy.seconds))

    def _expand(self, source: int) -> None:
        before = self.states[source]
        steps, pruned = list[tuple[int, int]](), list[int]()
        for instance, after in self.stepper.steps(before):
            if after is None:
                pruned.append(instance)
            elif after != before and not self.stepper.keeps((before, instance), after):
                self.is_constrained = True
                pruned.append(instance)
            elif after != before:
                steps.append((instance, self._id(after)))
        answers = [self.stepper.formula_answers(name, before) for name in self.names]
        self.answers.append(answers)
        self.pruned.append(pruned)
        self.steps.append(steps)

    def _id(self, state: State) -> int:
        number = self.ids.setdefault(state, len(self.states))
        if number == len(self.states):
            self.states.append(state)
        return number

    def _graph(self) -> BehaviourGraph:
        """The graph of the states that were expanded."""
        known = min(len(self.steps), len(self.pruned), len(self.answers))
        first, target, instance = array("Q", [0]), array("I"), array("I")
        pruned_first, pruned_instance = array("Q", [0]), array("I")
        for steps, pruned in zip(self.steps[:known], self.pruned, strict=False):
            inside = [(i, t) for i, t in steps if t < known]
            instance.extend(i for i, _ in inside)
            target.extend(t for _, t in inside)
            first.append(len(target))
            pruned_instance.extend((*pruned, *(i for i, t in steps if t >= known)))
            pruned_first.append(len(pruned_instance))
        starts = [start for start in self.starts if start < known]
        return BehaviourGraph(first, target, instance, starts, pruned_first, pruned_instance)

    def _formulas(self, place: int) -> list[Formula]:
        method = next(each for each in self.stepper.model.ir.temporal if each.name == self.names[place])
        kind, answers = FormulaKind(method.operator.value), [each[place] for each in self.answers]
        count = len(answers[0]) if answers else 0
        sides = [
            [bytearray(row[n][side] for row in answers) for side in range(len(method.operands))] for n in range(count)
        ]
        return [Formula(kind, *each) for each in sides]
