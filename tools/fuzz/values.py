"""Types as the explorer knows them: the values of one, and whether a value is of it, above its bounds, or neither."""

from collections.abc import Iterator, Mapping
from enum import Enum
from itertools import combinations, product
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from tools.fuzz import words


class Outside(Exception):
    """A value is not of its type, beyond any bound."""


class Kind:
    """A type with its bounds as numbers."""

    def __init__(self, name: str, of: Any = None, parts: tuple["Kind", ...] = (), low: int = 0, high: int = -1) -> None:
        self.name, self.of, self.parts, self.low, self.high = name, of, parts, low, high

    def values(self) -> Iterator[Any]:
        """Every value, for parameters and keys of maps. A sequence or a map has none listed."""
        match self.name:
            case "bool":
                yield from (False, True)
            case "int":
                yield from (*range(self.high + 1), *range(self.low, 0))
            case "none":
                yield None
            case "member":
                yield from self.of
            case "union":
                for inner in self.parts:
                    yield from inner.values()
            case "record":
                for values in product(*(list(inner.values()) for inner in self.parts)):
                    yield self.of(*values)
            case "set":
                every = list(self.parts[0].values())
                for size in range(len(every) + 1):
                    yield from map(frozenset, combinations(every, size))
            case _:
                raise TypeError(f"{self.name} has no list of values")

    def width(self) -> int:
        """About how many numbers an engine needs for a value."""
        match self.name:
            case "map" | "channels":
                keys = sum(1 for _ in self.parts[0].values())
                return keys * self.parts[1].width() * max(1, self.high)
            case "seq":
                return 1 + self.high * self.parts[0].width()
            case "record" | "union":
                return sum(inner.width() for inner in self.parts)
            case "set" | "bag":
                return self.high * self.parts[0].width() if self.high >= 0 else 2
        return 1

    def is_above(self, value: Any) -> bool:
        """Whether a value of this type leaves a bound. Raises Outside if it is not of this type."""
        match self.name:
            case "int":
                if type(value) is not int or value < self.low:
                    raise Outside(f"{value!r}")
                return value > self.high
            case "union":
                return self.part_of(value).is_above(value)
            case "record":
                fields = [inner.is_above(each) for inner, each in zip(self.parts, value, strict=True)]
                return any(fields)
            case "set" | "seq":
                above = [self.parts[0].is_above(each) for each in value]
                return any(above) or 0 <= self.high < len(value)
            case "map":
                return self._map_is_above(value)
            case "bag":
                above = [self.parts[0].is_above(each) for each in value]
                return any(above) or len(value) > self.high
            case "channels":
                queues = [self.parts[1].is_above(each) for queue in value.queues.values() for each in queue]
                return any(queues) or any(len(queue) > self.high for queue in value.queues.values())
        if not self.has(value):
            raise Outside(f"{value!r}")
        return False

    def _map_is_above(self, value: Any) -> bool:
        keys = list(self.parts[0].values())
        extra = [self.parts[0].is_above(key) for key in value if key not in keys]
        if any(key not in value for key in keys):
            raise Outside("a key has no value")
        above = [self.parts[1].is_above(each) for each in value.values()]
        return any(above) or any(extra)

    def has(self, value: Any) -> bool:
        """Whether a value is of this type, whatever the bounds."""
        match self.name:
            case "bool" | "int":
                return type(value) is (bool if self.name == "bool" else int)
            case "none":
                return value is None
            case "member":
                return any(value is each for each in self.of)
            case "union":
                return any(inner.has(value) for inner in self.parts)
        return type(value) is (self.of if self.name == "record" else frozenset if self.name == "set" else tuple)

    def part_of(self, value: Any) -> "Kind":
        for inner in self.parts:
            if inner.has(value):
                return inner
        raise Outside(f"{value!r}")


def number(expression: str, constants: Mapping[str, Any]) -> int:
    return int(eval(expression, {"min": min, "max": max}, dict(constants)))


def kind_of(hint: Any, constants: Mapping[str, Any], bound: words.Bound | None = None) -> Kind:
    """The type that an annotation means for these constants."""

    def inner(index: int) -> Kind:
        return kind_of(get_args(hint)[index], constants)

    high = -1 if bound is None else number(bound.high, constants)
    origin = get_origin(hint)
    if origin is Annotated:
        return kind_of(hint.__origin__, constants, hint.__metadata__[0])
    if origin in (Union, UnionType):
        return Kind("union", parts=tuple(kind_of(each, constants) for each in get_args(hint)))
    if origin in (words.Network, words.Bag):
        return Kind("bag", origin, (inner(0),), high=high)
    if origin is words.Channels:
        return Kind("channels", None, (inner(0), inner(1)), high=high)
    if origin is dict:
        return Kind("map", None, (inner(0), inner(1)))
    if origin is frozenset or origin is tuple:
        return Kind("set" if origin is frozenset else "seq", None, (inner(0),), high=high)
    if hint is int:
        return Kind("int", low=number(bound.low, constants) if bound else 0, high=high)
    if hint is bool or hint in (None, NoneType):
        return Kind("bool" if hint is bool else "none")
    if issubclass(hint, Enum | words.Sort):
        return Kind("member", hint)
    fields = get_type_hints(hint, include_extras=True)
    names = hint.names if issubclass(hint, words.Record) else hint._fields
    return Kind("record", hint, tuple(kind_of(fields[name], constants) for name in names))


class KeyedMap(dict[Any, Any]):
    """A map that prunes the step which writes it under a key above its bound."""

    def __init__(self, kind: Kind, values: Mapping[Any, Any]) -> None:
        super().__init__((key, thaw(kind.parts[1], value)) for key, value in values.items())
        self.kind = kind

    def __setitem__(self, key: Any, value: Any) -> None:
        if self.kind.parts[0].is_above(key):
            raise words.AboveKey
        super().__setitem__(key, thaw(self.kind.parts[1], value))


def thaw(kind: Kind, value: Any) -> Any:
    """A value that a method may change, from one that is hashed (or from any)."""
    if kind.name == "map":
        return KeyedMap(kind, value if isinstance(value, dict) else dict(value))
    if kind.name == "bag":
        return kind.of(value)
    return words.Channels(value) if kind.name == "channels" else value


def freeze(kind: Kind, value: Any) -> Any:
    """A value that is hashed, equal where the state is."""
    if kind.name == "map":
        return tuple((key, freeze(kind.parts[1], value[key])) for key in kind.parts[0].values())
    if kind.name == "bag":
        return frozenset(value.counts.items())
    return tuple(value.queues.items()) if kind.name == "channels" else value


def begin(kind: Kind, value: Any, constants: dict[str, Any]) -> Any:
    """The initial value that a declaration says."""
    if isinstance(value, words.Given):
        return value.make(constants)
    if isinstance(value, words.Each):
        return {key: begin(kind.parts[1], value.value, constants) for key in kind.parts[0].values()}
    if kind.name == "channels":
        return dict.fromkeys(kind.parts[0].values(), ())
    return {} if kind.name == "bag" else value
