"""The words of the language as plain Python, for the explorer: nothing here is isrcheck's.

A random model is run with these in the place of what it imports from isrcheck.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from operator import itemgetter
from typing import Any, ClassVar, Generic, TypeVar

K = TypeVar("K")
M = TypeVar("M")


class NotEnabled(Exception):
    """A guard is false."""


class AboveKey(Exception):
    """A map is written under a key above the bound of its keys."""


class Members(type):
    """Sorts, of which each is the sequence of its members while a run lasts."""

    def __iter__(cls) -> Iterator[Any]:
        return iter(cls.pool[: cls.number])  # type: ignore[attr-defined]  # of Sort

    def __len__(cls) -> int:
        return int(cls.number)  # type: ignore[attr-defined]  # of Sort

    def __getitem__(cls, index: int) -> Any:
        if cls.number is not None and index >= cls.number:  # type: ignore[attr-defined]  # of Sort
            raise IndexError(f"no member {index}")
        return cls.pool[index]  # type: ignore[attr-defined]  # of Sort


class Sort(metaclass=Members):
    """A finite set of members; `size` is an expression of constants."""

    size: ClassVar[str]
    symmetric: ClassVar[bool]
    pool: ClassVar[tuple[Any, ...]]  # members that a declaration may name before the size is known
    number: ClassVar[int | None]

    def __init_subclass__(cls, size: str = "", symmetric: bool = False) -> None:
        cls.size, cls.symmetric, cls.number = size, symmetric, None
        cls.pool = tuple(cls(index) for index in range(16))

    def __init__(self, index: int) -> None:
        self.index = index

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self.index}"


class Record(tuple[Any, ...]):
    """A tuple with named fields that equals those of its own class only."""

    names: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        names = tuple(vars(cls).get("__annotations__", {}))
        cls.names = names
        type.__setattr__(cls, "__match_args__", names)
        for place, name in enumerate(names):
            setattr(cls, name, property(itemgetter(place)))

    def __new__(cls, *values: Any) -> "Record":
        return super().__new__(cls, values)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self).__name__, tuple(self)))

    def _replace(self, **fields: Any) -> "Record":
        return type(self)(*(fields.get(name, value) for name, value in zip(self.names, self, strict=True)))


class Bound:
    """An upper bound of integers, lengths or numbers of messages, and a lower one of integers."""

    def __init__(self, low: str, high: str) -> None:
        self.low, self.high = low, high


class Given:
    """A declared value that is known once the constants are: a constant's default, or what a function makes."""

    def __init__(self, make: Callable[..., Any]) -> None:
        self.make = make


class Constant:
    def __init__(self, default: Any) -> None:
        self.default = default


class Each:
    def __init__(self, keys: Any, value: Any) -> None:
        self.keys, self.value = keys, value


class Bag(Generic[M]):
    """Values in no order with their counts."""

    def __init__(self, counts: Any = ()) -> None:
        self.counts: dict[M, int] = dict(counts)

    def add(self, value: M) -> None:
        self.counts[value] = self.counts.get(value, 0) + 1

    def add_all(self, values: Iterable[M]) -> None:
        for value in list(values):
            self.add(value)

    def remove(self, value: M) -> None:
        require(value in self)
        self.counts[value] -= 1
        if not self.counts[value]:
            del self.counts[value]

    def duplicate(self, value: M) -> None:
        require(value in self)
        self.add(value)

    def count(self, value: M) -> int:
        return self.counts.get(value, 0)

    def __contains__(self, value: object) -> bool:
        return value in self.counts

    def __iter__(self) -> Iterator[M]:
        return iter(list(self.counts))

    def __len__(self) -> int:
        return sum(self.counts.values())

    send, send_all, receive, drop = add, add_all, remove, remove


class Network(Bag[M]):
    """Messages in flight."""


class Channels(Generic[K, M]):
    """A queue for each key."""

    def __init__(self, queues: Any = ()) -> None:
        self.queues: dict[K, tuple[M, ...]] = dict(queues)

    def __getitem__(self, key: K) -> tuple[M, ...]:
        return self.queues[key]

    def send(self, key: K, message: M) -> None:
        self.queues[key] = (*self.queues[key], message)

    def send_all(self, keys: Iterable[K], message: M) -> None:
        for key in list(keys):
            self.send(key, message)

    def receive(self, key: K) -> M:
        require(len(self.queues[key]) > 0)
        first, *rest = self.queues[key]
        self.queues[key] = tuple(rest)
        return first

    def drop(self, key: K, place: int = 0) -> None:
        queue = self.queues[key]
        require(place < len(queue))
        self.queues[key] = tuple(m for i, m in enumerate(queue) if i != place)

    def duplicate(self, key: K, place: int = 0) -> None:
        queue = list(self.queues[key])
        require(place < len(queue))
        queue.insert(place, queue[place])
        self.queues[key] = tuple(queue)

    def clear(self, key: K) -> None:
        self.queues[key] = ()


class Taken:
    """The action of a step with its arguments."""

    def __init__(self, action: str, arguments: dict[str, Any]) -> None:
        self.action = action
        self.__dict__.update(arguments)


class Formula:
    """A temporal formula over the truth of conditions in one state."""

    def __init__(self, kind: str, conditions: tuple[bool, ...]) -> None:
        self.kind, self.conditions = kind, conditions


class Model:
    """A protocol. `history` variables are variables as any other."""


Temporal = Formula


def UpTo(high: str | int) -> Bound:  # noqa: N802  # the language's name
    return Bound("0", str(high))


def Between(low: str, high: str) -> Bound:  # noqa: N802  # the language's name
    return Bound(low, high)


def require(condition: bool) -> None:
    if not condition:
        raise NotEnabled


def constant(default: Any, sentence: str, at_least: int | None = 0, at_most: int | None = None) -> Any:
    return Constant(default)


def each(keys: Any, value: Any) -> Any:
    return Each(keys, value)


def members(of: Any) -> Any:
    return Given(lambda constants: frozenset(of))


def start(expression: str) -> Any:
    return Given(lambda constants: eval(expression, {"min": min, "max": max}, constants))


def history(value: Any) -> Any:
    return value


def subsets(of: Iterable[K]) -> list[frozenset[K]]:
    every = list(of)
    return [frozenset(chosen) for size in range(len(every) + 1) for chosen in combinations(every, size)]


def eventually(p: bool) -> Formula:
    return Formula("eventually", (p,))


def always_eventually(p: bool) -> Formula:
    return Formula("always_eventually", (p,))


def eventually_always(p: bool) -> Formula:
    return Formula("eventually_always", (p,))


def leads_to(p: bool, q: bool) -> Formula:
    return Formula("leads_to", (p, q))


def _role(role: str) -> Callable[[Any], Any]:
    def mark(method: Any) -> Any:
        method.role, method.fair, method.other = role, "", None
        return method

    return mark


def action(method: Any = None, *, fair: str = "", internal: bool = False) -> Any:
    def mark(method: Any) -> Any:
        method.role, method.fair = "action", fair
        return method

    return mark if method is None else mark(method)


def refines(other: Any) -> Callable[[Any], Any]:
    def mark(method: Any) -> Any:
        method.role, method.other = "refinement", other
        return method

    return mark


policy, invariant, step, reachable = map(_role, ("policy", "invariant", "step", "reachable"))
initial, constraint, temporal, assume = map(_role, ("initial", "constraint", "temporal", "assume"))
