"""A breadth-first search of a model's text as ordinary Python, without any code of isrcheck."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import partial
from itertools import product
from typing import Any, get_type_hints

from tools.fuzz import words
from tools.fuzz.cycles import Graph, judge
from tools.fuzz.values import Kind, Outside, begin, freeze, kind_of, number, thaw

State = tuple[Any, ...]


# Beyond these the native engine compiles for some seconds: fewer models would be compared.
_MOST_CALLS, _WIDEST = 30, 40


class TooLarge(Exception):
    """More states than the explorer looks at, or more numbers in a state than engines are compiled for here."""


class Invalid(Exception):
    """Constants for which there is no model: a sort of a negative size, say."""


class Answers:
    """The answers of a search: counts, and the length of the trace of each property violated or reached."""

    def __init__(self) -> None:
        self.distinct = self.generated = self.depth = self.pruned = self.outside = 0
        self.lengths: dict[str, int] = {}
        self.temporal: dict[str, set[str]] = {}  # the verdicts that would be right
        self.roles: dict[str, str] = {}
        self.error = ""  # an error in the model that every complete search meets
        self.maybe = ""  # one of a property that was decided before, or on a level where it was


def load(source: str, name: str, values: Mapping[str, Any]) -> tuple[type, dict[str, Any]]:
    """The model class of a text, run with the explorer's words, and its constants; sorts get their members."""
    space: dict[str, Any] = {"__name__": "random_model"}
    exec(compile(source.replace("from isrcheck import", "from tools.fuzz.words import"), "model", "exec"), space)
    cls = space[name]
    constants = {n: c.default for n, c in _attributes(cls).items() if isinstance(c, words.Constant)}
    for constant, value in values.items():
        if isinstance(constants[constant], Enum):
            value = type(constants[constant])(value)
        constants[constant] = value
    sorts: list[Any] = [s for s in space.values() if isinstance(s, words.Members) and s is not words.Sort]
    for sort in sorts:
        size = number(sort.size, constants)
        if size < 0:
            raise Invalid(f"{sort.__name__} has {size} members")
        sort.number = size
    return cls, constants


def _attributes(cls: type) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for owner in reversed(cls.__mro__):
        merged.update(vars(owner))
    return merged


class Machine:
    """One model class with constants: its variables, methods by role, and how a method is run in a state."""

    def __init__(self, cls: type, constants: dict[str, Any]) -> None:
        self.cls, self.constants = cls, constants
        hints = get_type_hints(cls, include_extras=True)
        declared = _attributes(cls)
        names = [n for n, v in declared.items() if n in hints and not isinstance(v, words.Constant)]
        self.kinds: dict[str, Kind] = {name: kind_of(hints[name], constants) for name in names}
        first = {name: begin(kind, declared[name], constants) for name, kind in self.kinds.items()}
        self.first = self.freeze({name: thaw(kind, first[name]) for name, kind in self.kinds.items()})
        self.roles: dict[str, dict[str, Any]] = {}
        for name, method in declared.items():
            if callable(method) and hasattr(method, "role"):
                self.roles.setdefault(method.role, {})[name] = method
        self.calls = [(name, choice) for name in self.of("action") for choice in self.choices(name)]
        if len(self.calls) > _MOST_CALLS or sum(kind.width() for kind in self.kinds.values()) > _WIDEST:
            raise TooLarge

    def of(self, role: str) -> dict[str, Any]:
        return self.roles.get(role, {})

    def choices(self, method: str) -> list[dict[str, Any]]:
        hints = get_type_hints(getattr(self.cls, method), include_extras=True)
        names = list(inspect.signature(getattr(self.cls, method)).parameters)[1:]
        every = product(*(list(kind_of(hints[name], self.constants).values()) for name in names))
        return [dict(zip(names, values, strict=True)) for values in every]

    def freeze(self, values: Mapping[str, Any]) -> State:
        return tuple(freeze(kind, values[name]) for name, kind in self.kinds.items())

    def at(self, state: State) -> Any:
        """An instance of the model in this state."""
        instance = self.cls()
        instance.__dict__.update(self.constants)
        for (name, kind), value in zip(self.kinds.items(), state, strict=True):
            instance.__dict__[name] = thaw(kind, value)
        return instance

    def leave(self, instance: Any) -> State | None:
        """The state of an instance; None above a bound. Raises Outside."""
        values = {name: instance.__dict__[name] for name in self.kinds}
        for name, kind in self.kinds.items():
            if kind.name not in ("map", "bag", "channels", "union", "none") and not kind.has(values[name]):
                raise Outside(name)
        above = [kind.is_above(values[name]) for name, kind in self.kinds.items()]
        return None if any(above) else self.freeze(values)

    def run(self, state: State, method: str, arguments: dict[str, Any]) -> tuple[bool, State | None]:
        """Whether a method happens in a state, and where it leads: None if pruned."""
        instance = self.at(state)
        try:
            getattr(instance, method)(**arguments)
        except words.NotEnabled:
            return False, None
        except words.AboveKey:
            return True, None
        return True, self.leave(instance)

    def initials(self) -> Iterator[State]:
        if self.leave(self.at(self.first)) is None:
            raise Outside("an initial value above a bound")
        if not self.of("initial"):
            yield self.first
        for method in self.of("initial"):
            for arguments in self.choices(method):
                happens, state = self.run(self.first, method, arguments)
                if happens and state is None:
                    raise Outside("an initial state above a bound")
                if state is not None:
                    yield state


class Search:
    """One search of a machine. `most` is the number of states beyond which it raises TooLarge."""

    def __init__(self, machine: Machine, most: int) -> None:
        self.machine, self.most = machine, most
        self.answers = Answers()
        self.answers.roles = {n: role for role, methods in machine.roles.items() for n in methods}
        self.depth_of: dict[State, int] = {}
        self.checked: set[State] = set()
        self.now = 1
        self.edges: dict[State, list[tuple[int, State | None]]] = {}
        self.abstract = {n: Abstract(machine, m) for n, m in machine.of("refinement").items()}
        two = {name: len(inspect.signature(m).parameters) > 1 for name, m in machine.of("constraint").items()}
        self.of_states, self.of_steps = ([n for n in two if two[n] is which] for which in (False, True))

    def run(self) -> Answers:
        try:
            self._search()
        except TooLarge:
            raise
        except RecursionError:
            raise
        except Exception as error:
            self.answers.error = f"{type(error).__name__}: {error}"
        return self.answers

    def _search(self) -> None:
        level = self._begin()
        while level:
            self.answers.depth += 1
            self.now += 1
            following: list[State] = []
            for state in level:
                following += self._expand(state)
                if len(self.depth_of) > self.most:
                    raise TooLarge
            level = following
        self.answers.distinct = len(self.depth_of)
        for name in self.machine.of("temporal") if self.depth_of else ():
            self.answers.temporal[name] = self._limit(judge(self._graph(), self._conditions(name)))

    def _limit(self, right: set[str]) -> set[str]:
        """The right verdicts where constraints may have ended the search: beyond them nothing is known to hold."""
        if len(self.checked) > len(self.depth_of):
            return right - {"holds"} | {"undetermined"}
        return right | ({"undetermined"} if self.machine.of("constraint") else set())

    def _begin(self) -> list[State]:
        starts: list[State] = []
        for state in self.machine.initials():
            self.answers.generated += 1
            starts += self._arrive(state, self._is_inside(state))
        if not self.answers.generated:
            raise Outside("no initial state")
        self.starts = starts
        return starts

    def _arrive(self, state: State, expanded: bool) -> list[State]:
        """The state if it is new and to be expanded. Its invariants are asked when it is first met."""
        if state not in self.checked:
            self.checked.add(state)
            for role in ("invariant", "reachable"):
                for name in self.machine.of(role):
                    self._decide(name, role == "reachable", partial(self._ask, state, name))
            for refined in self.abstract.values():
                refined.check_start(state, self.now)
        if not expanded or state in self.depth_of:
            return []
        self.depth_of[state] = self.now
        return [state]

    def _ask(self, state: State, name: str, *more: Any) -> bool:
        return bool(getattr(self.machine.at(state), name)(*more))

    def _decide(self, name: str, wanted: bool, ask: Callable[[], bool]) -> None:
        """Note the length of the first trace on which a property is decided."""
        known = self.answers.lengths
        try:
            if ask() is wanted:
                known.setdefault(name, self.now)
        except Exception as error:
            if name not in known:
                raise
            self.answers.maybe = f"{name}: {error!r}"

    def _is_inside(self, state: State) -> bool:
        inside = [self._ask(state, name) for name in self.of_states]
        return all(inside)

    def _expand(self, state: State) -> list[State]:
        following: list[State] = []
        out: list[tuple[int, State | None]] = []
        for index, (action, arguments) in enumerate(self.machine.calls):
            happens, after = self.machine.run(state, action, arguments)
            if not happens:
                continue
            out.append((index, after))
            if after is None:
                self.answers.pruned += 1
                continue
            self.answers.generated += 1
            taken = words.Taken(action, arguments)
            before = self.machine.at(state)
            self._check_step(state, after, before, taken)
            keeps = [self._ask(after, n, *self._step_arguments(n, before, taken)) for n in self.of_steps]
            if not all(keeps) and after != state:
                out[-1] = index, None
            following += self._arrive(after, all(keeps) and self._is_inside(after))
        if not out:
            length = self.now - 1
            self.answers.lengths.setdefault("deadlock", length)
        self.edges[state] = out
        return following

    def _step_arguments(self, name: str, before: Any, taken: words.Taken) -> tuple[Any, ...]:
        return (before, taken)[: len(inspect.signature(getattr(self.machine.cls, name)).parameters) - 1]

    def _check_step(self, state: State, after: State, before: Any, taken: words.Taken) -> None:
        for name in self.machine.of("step"):
            self._decide(name, False, partial(self._ask, after, name, *self._step_arguments(name, before, taken)))
        for name, refined in self.abstract.items():
            self._decide(name, False, partial(refined.allows, state, after))

    def _graph(self) -> Graph:
        order = {state: place for place, state in enumerate(self.depth_of)}
        steps = [[(call, None if after is None else order.get(after)) for call, after in self.edges[s]] for s in order]
        fair = [self.machine.of("action")[name].fair for name, _ in self.machine.calls]
        groups = [
            call if f in ("weak", "strong") else name
            for call, (f, (name, _)) in enumerate(zip(fair, self.machine.calls, strict=True))
        ]
        return Graph([order[s] for s in self.starts], steps, fair, groups)

    def _conditions(self, name: str) -> tuple[str, list[tuple[bool, ...]]]:
        formulas = [getattr(self.machine.at(state), name)() for state in self.depth_of]
        return formulas[0].kind, [formula.conditions for formula in formulas]


class Abstract:
    """The abstract machine that a refinement names, and the mapping to it."""

    def __init__(self, machine: Machine, method: Any) -> None:
        self.machine, self.method = machine, method
        declared = {n: v.default for n, v in _attributes(method.other).items() if isinstance(v, words.Constant)}
        self.other = Machine(method.other, {n: machine.constants.get(n, v) for n, v in declared.items()})
        self.first = set(self.other.initials())

    def image(self, state: State) -> State:
        concrete, abstract = self.machine.at(state), self.other.at(self.other.first)
        for name, kind in self.other.kinds.items():
            if name in self.machine.kinds:
                abstract.__dict__[name] = thaw(kind, concrete.__dict__[name])
        self.method(concrete, abstract)
        image = self.other.leave(abstract)
        if image is None:
            raise Outside("a mapped value above a bound")
        return image

    def check_start(self, state: State, now: int) -> None:
        if now == 1 and self.image(state) not in self.first:
            raise Outside("an initial state is not the abstract one")

    def allows(self, state: State, after: State) -> bool:
        one, two = self.image(state), self.image(after)
        return one == two or any(self.other.run(one, *call)[1] == two for call in self.other.calls)


def explore(source: str, name: str, values: Mapping[str, Any], most: int) -> Answers:
    """The answers of a complete search of a text. Raises Invalid or TooLarge."""
    cls, constants = load(source, name, values)
    return Search(Machine(cls, constants), most).run()
