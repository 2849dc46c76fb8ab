"""The shortest distinguishing schedule, least among the shortest: breadth first over both variants at once."""

import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from isrcheck.engines.contract import Progress
from isrcheck.engines.explore import Stepper
from isrcheck.errors import UsageError, nearest, quantity
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.passes.bind import BoundModel
from isrcheck.schedule.walk import reason_to_stop

S = TypeVar("S", bound=Hashable)
T = TypeVar("T", bound=Hashable)
Subset = frozenset[int]  # where a variant may be: numbers of states


def check_property(name: str, models: dict[str, BoundModel]) -> None:
    """Require that both variants ask the property. Raises UsageError."""
    for model, bound in models.items():
        known = [p.name for p in bound.ir.properties]
        if name not in known:
            raise UsageError(f"{model} has no property {name}.{nearest(name, known)}")
        if name in bound.not_asked:
            raise UsageError(f"{name} does not apply to {model} with these constants: {bound.not_asked[name]}")


@dataclass(frozen=True)
class ReachedSet:
    """The states in which a variant may be after a schedule, and whether the property is decided on the way."""

    states: Subset
    decides: bool


@dataclass
class SearchedVariant(Generic[S]):
    stepper: Stepper[S]
    labels: tuple[int | None, ...]  # by instance: None if it is internal, -1 if it is not shared
    name: str  # of the property
    kind: PropertyKind
    states: list[S] = field(default_factory=list)
    numbers: dict[S, int] = field(default_factory=dict)
    decided: list[bool] = field(default_factory=list)  # by state
    after: dict[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    known: dict[Subset, dict[int, ReachedSet]] = field(default_factory=dict)

    def start(self) -> ReachedSet:
        return self._close_under_internal({self._number(self.stepper.initial)}, False)

    def expand(self, states: Subset) -> dict[int, ReachedSet]:
        """Map each label that some state of a set can take to the set of states after it."""
        if states not in self.known:
            successors: dict[int, set[int]] = {}
            deciding = set[int]()
            for state in states:
                for instance, after in self._steps(state):
                    label = self.labels[instance]
                    if label is not None and label >= 0:
                        successors.setdefault(label, set()).add(after)
                        if self._step_decides(state, instance, after):
                            deciding.add(label)
            self.known[states] = {
                label: self._close_under_internal(reached, label in deciding) for label, reached in successors.items()
            }
        return self.known[states]

    def _close_under_internal(self, states: set[int], decides: bool) -> ReachedSet:
        waiting = list(states)
        while waiting:
            state = waiting.pop()
            decides |= self.decided[state]
            for instance, after in self._steps(state):
                if self.labels[instance] is None:
                    decides |= self._step_decides(state, instance, after)
                    if after not in states:
                        states.add(after)
                        waiting.append(after)
        return ReachedSet(frozenset(states), decides)

    def _step_decides(self, before: int, instance: int, after: int) -> bool:
        if not self.kind.is_of_steps:
            return False
        return self.kind.is_target(
            self.stepper.step_holds(self.name, self.states[before], instance, self.states[after])
        )

    def _steps(self, state: int) -> tuple[tuple[int, int], ...]:
        if state not in self.after:
            steps = self.stepper.steps(self.states[state])
            self.after[state] = tuple((i, self._number(after)) for i, after in steps if after is not None)
        return self.after[state]

    def _number(self, state: S) -> int:
        number = self.numbers.get(state)
        if number is None:
            number = self.numbers[state] = len(self.states)
            self.states.append(state)
            of_states = not self.kind.is_of_steps
            self.decided.append(of_states and self.kind.is_target(self.stepper.holds(self.name, state)))
        return number


@dataclass(frozen=True)
class Distinction:
    """The labels of a distinguishing schedule, if any, and whether `left` and `right` decide the property on it."""

    labels: tuple[int, ...] | None
    left: bool
    right: bool
    nodes: int  # pairs of sets
    states: int
    depth: int
    seconds: float
    cut: str | None  # not all was tried


_NOWHERE = ReachedSet(frozenset(), False)


class DistinguishingSearch(Generic[S, T]):
    """A breadth-first search over `most` pairs of sets. With `refusal_counts` one variant may be unable to follow."""

    def __init__(
        self,
        left: SearchedVariant[S],
        right: SearchedVariant[T],
        most: int | None,
        refusal_counts: bool,
        progress: Callable[[Progress], None],
    ) -> None:
        self.left, self.right, self.most, self.progress = left, right, most, progress
        self.refusal_counts = refusal_counts
        self.came: dict[tuple[Subset, Subset], tuple[tuple[Subset, Subset], int] | None] = {}
        self.started = self.said = time.monotonic()
        self.depth = 0
        self.cut: str | None = None

    def run(self) -> Distinction:
        left, right = self.left.start(), self.right.start()
        if left.decides != right.decides:
            return self._answer((), left, right)
        start = (left.states, right.states)
        self.came[start] = None
        level = [] if left.decides else [start]  # what both decide is decided for ever
        while level:
            following = []
            for node in level:
                for label, one, two in self._steps(node):
                    if one.decides != two.decides:
                        return self._answer((*self._labels(node), label), one, two)
                    then = (one.states, two.states)
                    if then not in self.came and not one.decides:
                        self.came[then] = (node, label)
                        following.append(then)
                self.cut = self._reason_to_stop(len(following))
                if self.cut:
                    return self._answer(None, _NOWHERE, _NOWHERE)
            level = following
            self.depth += bool(level)
        return self._answer(None, _NOWHERE, _NOWHERE)

    def _steps(self, node: tuple[Subset, Subset]) -> Iterator[tuple[int, ReachedSet, ReachedSet]]:
        ones, twos = self.left.expand(node[0]), self.right.expand(node[1])
        labels = ones.keys() | twos.keys() if self.refusal_counts else ones.keys() & twos.keys()
        for label in sorted(labels):
            yield label, ones.get(label, _NOWHERE), twos.get(label, _NOWHERE)

    def _labels(self, node: tuple[Subset, Subset]) -> tuple[int, ...]:
        labels = []
        while (came := self.came[node]) is not None:
            node, label = came
            labels.append(label)
        return tuple(reversed(labels))

    def _answer(self, labels: tuple[int, ...] | None, one: ReachedSet, two: ReachedSet) -> Distinction:
        states = len(self.left.states) + len(self.right.states)
        seconds = time.monotonic() - self.started
        return Distinction(
            labels=labels,
            left=one.decides,
            right=two.decides,
            nodes=len(self.came),
            states=states,
            depth=self.depth,
            seconds=seconds,
            cut=self.cut,
        )

    def _reason_to_stop(self, following: int) -> str | None:
        now, nodes = time.monotonic(), len(self.came)
        so_far = f"{quantity(nodes, 'pair')} of sets"
        if self.most is not None and nodes >= self.most:
            return f"after {so_far}"
        if now - self.said > 0.5:
            self.said = now
            self.progress(Progress(self.depth + 1, nodes, nodes, following, now - self.started))
        return reason_to_stop(so_far)
