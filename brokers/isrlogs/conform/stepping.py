"""Single steps of a model: the reference engine, asked for one instance at a time, and why one is refused."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from isrcheck.stepping import BoundModel, Frozen, State
from isrlogs.conform.event import Event
from isrlogs.conform.meaning import Step, View
from isrlogs.conform.one_step import OneStep

_VIEWS = 20_000  # that are kept: some 3 kB each, and made again in 0.05 ms


class Stepping:
    """A model's steps by what an event tells of them. States are numbered as they are met; answers are kept.

    `forgotten` are variables that no step reads, or bounds that no run reaches: states that differ in no other are one.
    """

    initial = 0

    def __init__(self, model: BoundModel, members: Mapping[int, Any], forgotten: Iterable[str] = ()) -> None:
        self.model = model
        self.members = members
        self.stepper = OneStep(model)
        self._forgotten = [
            (place, self.stepper.initial[place])
            for place, name in enumerate(self.stepper.names)
            if name in frozenset(forgotten)
        ]
        self._values: list[list[Frozen]] = [[] for _ in self.stepper.names]  # each variable's, numbered
        self._places: list[dict[Frozen, int]] = [{} for _ in self.stepper.names]
        self._states: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[int, ...], int] = {}
        self._steps: dict[tuple[int, int], int | None] = {}
        self._views: dict[int, View] = {}
        self._chosen: dict[tuple[str, tuple[str, ...]], dict[tuple[Any, ...], list[int]]] = {}
        self._actors: list[tuple[str, int | None]] = []
        self._by_action: dict[str, list[tuple[int, dict[str, Any]]]] = {}
        numbers = {member: broker for broker, member in members.items()}
        for instance in range(len(self.stepper.instances)):
            action = self.stepper.step_taken(instance).action
            arguments = {n: numbers.get(v, v) for n, v in self.stepper.arguments(instance).items()}
            self._by_action.setdefault(action, []).append((instance, arguments))
            first = next(iter(self.stepper.arguments(instance).values()), None)
            self._actors.append((action, numbers.get(first)))
        self._number(self.stepper.initial)

    @property
    def met(self) -> int:
        """How many states were met."""
        return len(self._states)

    def state(self, number: int) -> State:
        """A state by its number."""
        return tuple([values[place] for values, place in zip(self._values, self._states[number], strict=True)])

    def _number(self, state: State, before: State | None = None, known: tuple[int, ...] = ()) -> int:
        """The number of a state; of the one before it the values' numbers are known."""
        key = tuple(
            [
                known[place] if before is not None and value is before[place] else self._value(place, value)
                for place, value in enumerate(state)
            ]
        )
        number = self._numbers.setdefault(key, len(self._states))
        if number == len(self._states):
            self._states.append(key)
        return number

    def _value(self, place: int, value: Frozen) -> int:
        number = self._places[place].setdefault(value, len(self._values[place]))
        if number == len(self._values[place]):
            self._values[place].append(value)
        return number

    def view(self, state: int) -> View:
        """A state, to be asked."""
        view = self._views.get(state)
        if view is None:
            if len(self._views) >= _VIEWS:
                self._views.clear()
            view = View(partial(self._read, state), self.model.constants, self.members, partial(self._ask, state))
            self._views[state] = view
        return view

    def _read(self, state: int, name: str) -> Any:
        """A variable's value. Raises KeyError for another name."""
        place = self._by_name[name]
        return self.stepper.melt(place, self._values[place][self._states[state][place]])

    @cached_property
    def _by_name(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.stepper.names)}

    def states_on(self, path: Iterable[int]) -> Iterator[State]:
        """The states of a behaviour from the initial one on, with all that a state has."""
        state = self.stepper.initial
        yield state
        for instance in path:
            after = self.stepper.successor(state, instance)
            assert after is not None, self.stepper.call(instance)
            yield (state := after)

    def _ask(self, state: int, method: str, **arguments: Any) -> Any:
        return self.stepper.ask(method, self.state(state), **arguments)

    def instances_of(self, action: str) -> Sequence[tuple[int, Mapping[str, Any]]]:
        """All instances of an action, and their arguments with brokers by number."""
        return self._by_action.get(action, [])

    def actor(self, instance: int) -> tuple[str, int | None]:
        """An action, and the broker that takes it: the first that it names."""
        return self._actors[instance]

    def instances(self, steps: Iterable[Step], event: Event) -> Iterator[int]:
        """Yield the instances with the arguments that the event tells."""
        for step in steps:
            wanted = {name: value for name, tell in step.arguments.items() if (value := tell(event)) is not None}
            yield from self._by_arguments(step.action, tuple(wanted)).get(tuple(wanted.values()), ())

    def _by_arguments(self, action: str, names: tuple[str, ...]) -> Mapping[tuple[Any, ...], Sequence[int]]:
        """The instances of an action by the values of some arguments."""
        by_values = self._chosen.get((action, names))
        if by_values is None:
            by_values = self._chosen[action, names] = {}
            for instance, given in self._by_action.get(action, ()):
                by_values.setdefault(tuple(given[name] for name in names), []).append(instance)
        return by_values

    def step(self, state: int, instance: int) -> int | None:
        """The successor, None if there is none."""
        key = state, instance
        if key not in self._steps:
            before = self.state(state)
            after = self.stepper.successor(before, instance)
            self._steps[key] = None if after is None else self._number(self._forget(after), before, self._states[state])
        return self._steps[key]

    def _forget(self, state: State) -> State:
        """The state without the values that are forgotten."""
        if not self._forgotten:
            return state
        known = list(state)
        for place, value in self._forgotten:
            known[place] = value
        return tuple(known)

    def refusal(self, state: int, instance: int) -> tuple[int, str]:
        """Why a step cannot be taken, and how far down its text that is said."""
        return self.stepper.refusal(self.state(state), instance)
