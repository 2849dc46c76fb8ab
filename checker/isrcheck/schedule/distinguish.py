"""The shortest distinguishing schedule, least among the shortest: breadth first over both variants at once."""

import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from isrcheck.engines.contract import Limits, Progress
from isrcheck.engines.explore import Stepper
from isrcheck.errors import UsageError, nearest, quantity
from isrcheck.ir.codec import codec
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.passes.bind import BoundModel
from isrcheck.schedule.walk import reason_to_stop

S = TypeVar("S", bound=Hashable)
T = TypeVar("T", bound=Hashable)
STATE = "state:"  # before a variable
# where a variant may be: numbers of states
Subset = frozenset[int]


@dataclass(frozen=True)
class Observable:
    """A property, or a value at a place."""

    stepper: Stepper[Any]
    name: str
    kind: PropertyKind | None
    place: slice

    @property
    def lasts(self) -> bool:
        return self.kind is not None

    def sees(self, state: Hashable) -> Hashable:
        """The observation of a state: a value as scalars, or whether the property decides there, else None."""
        if self.kind is None:
            return tuple(self.stepper.scalars(state)[self.place])
        return None if self.kind.is_of_steps else self.kind.is_target(self.stepper.holds(self.name, state)) or None

    def sees_step(self, before: Hashable, instance: int, after: Hashable) -> Hashable:
        if self.kind is None or not self.kind.is_of_steps:
            return None
        return self.kind.is_target(self.stepper.step_holds(self.name, before, instance, after)) or None


def place_of(model: BoundModel, variable: str) -> slice:
    start = 0
    for name, domain in model.domains.items():
        size = len(list(codec(domain).scalars(name)))
        if name == variable:
            return slice(start, start + size)
        start += size
    raise KeyError(variable)


def check_observable(name: str, models: dict[str, BoundModel]) -> None:
    """Require that both variants ask the property, or have the variable with equal values. Raises UsageError."""
    variable = name.removeprefix(STATE)
    for model, bound in models.items():
        known = [p.name for p in bound.ir.properties]
        if name != variable:
            if variable not in bound.domains:
                raise UsageError(f"{model} has no variable {variable}.{nearest(variable, bound.domains)}")
        elif name not in known:
            remedy = nearest(name, known).strip()
            raise UsageError(f"{model} has no property {name}. {remedy} Or write {STATE}VARIABLE.")
        elif name in bound.not_asked:
            raise UsageError(f"{name} does not apply to {model} with these constants: {bound.not_asked[name]}")
    if name != variable and len({str(bound.domains[variable]) for bound in models.values()}) > 1:
        raise UsageError(f"{variable} has other values in {' than in '.join(models)}: give both the same constants.")


def observable(name: str, model: BoundModel, stepper: Stepper[Any]) -> Observable:
    if name.startswith(STATE):
        return Observable(stepper, name, None, place_of(model, name.removeprefix(STATE)))
    kind = next(p.kind for p in model.ir.properties if p.name == name)
    return Observable(stepper, name, kind, slice(0))


@dataclass(frozen=True)
class ReachedSet:
    """The states in which a variant may be after a schedule, and what was observed on the way."""

    states: Subset
    observations: frozenset[Hashable]


@dataclass
class SearchedVariant(Generic[S]):
    stepper: Stepper[S]
    # by instance: None if it is internal,
    # -1 if it is not shared
    labels: tuple[int | None, ...]
    observable: Observable
    states: list[S] = field(default_factory=list)
    numbers: dict[S, int] = field(default_factory=dict)
    observed: list[Hashable] = field(default_factory=list)
    after: dict[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    known: dict[Subset, dict[int, ReachedSet]] = field(default_factory=dict)

    def start(self) -> ReachedSet:
        return self._close_under_internal({self._number(self.stepper.initial)}, set())

    def expand(self, states: Subset) -> dict[int, ReachedSet]:
        """Map each label that some state of a set can take to the set of states after it."""
        if states not in self.known:
            successors: dict[int, tuple[set[int], set[Hashable]]] = {}
            for state in states:
                for instance, after in self._steps(state):
                    label = self.labels[instance]
                    if label is not None and label >= 0:
                        reached, observations = successors.setdefault(label, (set(), set()))
                        reached.add(after)
                        self._observe_step(observations, state, instance, after)
            self.known[states] = {label: self._close_under_internal(*parts) for label, parts in successors.items()}
        return self.known[states]

    def _close_under_internal(self, states: set[int], observations: set[Hashable]) -> ReachedSet:
        waiting = list(states)
        while waiting:
            state = waiting.pop()
            observations.add(self.observed[state])
            for instance, after in self._steps(state):
                if self.labels[instance] is None:
                    self._observe_step(observations, state, instance, after)
                    if after not in states:
                        states.add(after)
                        waiting.append(after)
        return ReachedSet(frozenset(states), frozenset(observations - {None}))

    def _observe_step(self, observations: set[Hashable], before: int, instance: int, after: int) -> None:
        observations.add(self.observable.sees_step(self.states[before], instance, self.states[after]))

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
            self.observed.append(self.observable.sees(state))
        return number


@dataclass(frozen=True)
class Distinction:
    """The labels of a distinguishing schedule, if any, and the observations after it at `left` and `right`."""

    labels: tuple[int, ...] | None
    left: frozenset[Hashable]
    right: frozenset[Hashable]
    nodes: int  # pairs of sets
    states: int
    depth: int
    seconds: float
    cut: str | None  # not all was tried


_NOWHERE = ReachedSet(frozenset(), frozenset())


class DistinguishingSearch(Generic[S, T]):
    """A breadth-first search over pairs of sets. With `refusal_counts` one variant may be unable to follow."""

    def __init__(
        self,
        left: SearchedVariant[S],
        right: SearchedVariant[T],
        limits: Limits,
        refusal_counts: bool,
        progress: Callable[[Progress], None],
    ) -> None:
        self.left, self.right, self.limits, self.progress = left, right, limits, progress
        self.refusal_counts = refusal_counts
        self.came: dict[tuple[Subset, Subset], tuple[tuple[Subset, Subset], int] | None] = {}
        self.started = self.said = time.monotonic()
        self.depth = 0
        self.cut: str | None = None

    def run(self) -> Distinction:
        left, right = self.left.start(), self.right.start()
        if left.observations != right.observations:
            return self._answer((), left, right)
        start = (left.states, right.states)
        self.came[start] = None
        level = [] if self._is_settled(left) else [start]
        while level:
            following = []
            for node in level:
                for label, one, two in self._steps(node):
                    if one.observations != two.observations:
                        return self._answer((*self._labels(node), label), one, two)
                    then = (one.states, two.states)
                    if then not in self.came and not self._is_settled(one):
                        self.came[then] = (node, label)
                        following.append(then)
                self.cut = self._reason_to_stop(len(following))
                if self.cut:
                    return self._answer(None, _NOWHERE, _NOWHERE)
            level = following
            self.depth += bool(level)
        return self._answer(None, _NOWHERE, _NOWHERE)

    def _is_settled(self, alike: ReachedSet) -> bool:
        """Whether both have shown what counts for ever: nothing that follows can distinguish them."""
        return bool(alike.observations) and self.left.observable.lasts

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
            left=one.observations,
            right=two.observations,
            nodes=len(self.came),
            states=states,
            depth=self.depth,
            seconds=seconds,
            cut=self.cut,
        )

    def _reason_to_stop(self, following: int) -> str | None:
        now, nodes = time.monotonic(), len(self.came)
        so_far = f"{quantity(nodes, 'pair')} of sets"
        if self.limits.states is not None and nodes >= self.limits.states:
            return f"after {so_far}"
        if now - self.said > 0.5:
            self.said = now
            self.progress(Progress(self.depth + 1, nodes, nodes, following, now - self.started))
        return reason_to_stop(self.limits, self.started, so_far)
