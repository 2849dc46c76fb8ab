"""Single steps of a model: the reference engine, asked for one instance at a time, and why one is refused."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from isrcheck.engines.reference import State
from isrcheck.engines.reference_why import AskingStepper, Bound, Guard
from isrcheck.errors import ModelError
from isrcheck.lang.declare import NotEnabled
from isrcheck.lang.instance import WroteAbove, running, undo
from isrcheck.passes.bind import BoundModel
from isrmodel.conform.event import Event
from isrmodel.conform.meaning import Step, View

_VIEWS = 20_000  # that are kept: some 3 kB each, and made again in 0.05 ms


class Stepping:
    """A model's steps by what an event tells of them. States are numbered as they are met; answers are kept."""

    initial = 0

    def __init__(self, model: BoundModel, members: Mapping[int, Any]) -> None:
        self.model = model
        self.members = members
        self.stepper = _OneStep(model)
        self.states: list[State] = []
        self._numbers: dict[State, int] = {}
        self._steps: dict[tuple[int, int], int | None] = {}
        self._views: dict[int, View] = {}
        self._chosen: dict[tuple[str, tuple[str, ...]], dict[tuple[Any, ...], list[int]]] = {}
        self._actors: list[tuple[str, int | None]] = []
        self._by_action: dict[str, list[tuple[int, dict[str, Any]]]] = {}
        numbers = {member: broker for broker, member in members.items()}
        for instance in range(len(self.stepper.instances)):
            action = self.stepper.taken(instance).action
            arguments = {n: numbers.get(v, v) for n, v in self.stepper.arguments(instance).items()}
            self._by_action.setdefault(action, []).append((instance, arguments))
            first = next(iter(self.stepper.arguments(instance).values()), None)
            self._actors.append((action, numbers.get(first)))
        self._number(self.stepper.initial)

    def _number(self, state: State) -> int:
        number = self._numbers.setdefault(state, len(self.states))
        if number == len(self.states):
            self.states.append(state)
        return number

    def view(self, state: int) -> View:
        """A state, to be asked."""
        found = self._views.get(state)
        if found is None:
            values = self.stepper.values(self.states[state])
            found = View(values, self.model.constants, self.members, partial(self._ask, state))
            if len(self._views) >= _VIEWS:
                self._views.clear()
            self._views[state] = found
        return found

    def _ask(self, state: int, method: str, **arguments: Any) -> Any:
        return self.stepper.ask(method, self.states[state], **arguments)

    def named(self, action: str) -> Sequence[tuple[int, Mapping[str, Any]]]:
        """All instances of an action, and their arguments with brokers by number."""
        return self._by_action.get(action, [])

    def actor(self, instance: int) -> tuple[str, int | None]:
        """An action, and the broker that takes it: the first that it names."""
        return self._actors[instance]

    def instances(self, steps: Iterable[Step], event: Event) -> Iterator[int]:
        """Those that have the arguments which the event tells."""
        for step in steps:
            wanted = {name: value for name, tell in step.arguments.items() if (value := tell(event)) is not None}
            yield from self._by_arguments(step.action, tuple(wanted)).get(tuple(wanted.values()), ())

    def _by_arguments(self, action: str, names: tuple[str, ...]) -> Mapping[tuple[Any, ...], Sequence[int]]:
        """The instances of an action by the values of some arguments."""
        found = self._chosen.get((action, names))
        if found is None:
            found = self._chosen[action, names] = {}
            for instance, given in self._by_action.get(action, ()):
                found.setdefault(tuple(given[name] for name in names), []).append(instance)
        return found

    def step(self, state: int, instance: int) -> int | None:
        """The successor, None if there is none."""
        key = state, instance
        if key not in self._steps:
            after = self.stepper.successor(self.states[state], instance)
            self._steps[key] = None if after is None else self._number(after)
        return self._steps[key]

    def refusal(self, state: int, instance: int) -> tuple[int, str]:
        """Why a step cannot be taken, and how far down its text that is said."""
        return self.stepper.refusal(self.states[state], instance)


class _OneStep(AskingStepper):
    """Loads a state once for all that is asked of it."""

    _at: tuple[State, dict[str, Any]] | None = None

    def _loaded(self, state: State) -> dict[str, Any]:
        if self._at is None or self._at[0] is not state:
            self._at = state, self._load(self._own, state)
        return self._at[1]

    def ask(self, name: str, state: State, **arguments: Any) -> Any:
        self._at = None
        return super().ask(name, state, **arguments)

    def successor(self, state: State, instance: int) -> State | None:
        method, arguments = self._calls[instance]
        attributes = self._own.__dict__
        with running(self.model.sizes):
            loaded = self._loaded(state)
            try:
                method(*arguments)
                return self._successor(state, loaded, attributes, instance)
            except (NotEnabled, WroteAbove):
                return None
            except Exception as error:
                raise self._blame(error, instance) from None
            finally:
                undo(self._written)
                attributes.update(loaded)

    def refusal(self, state: State, instance: int) -> tuple[int, str]:
        with running(self.model.sizes):
            answer = self._answer(state, self._loaded(state), instance)
        match answer:
            case Guard():
                return answer.reached, f"{self.call(instance)} needs {answer.part or answer.condition}"
            case Bound():
                return 0, f"{self.call(instance)} would exceed the bound of {answer.variable}"
            case ModelError():
                raise answer
        return 0, f"{self.call(instance)} is possible"
