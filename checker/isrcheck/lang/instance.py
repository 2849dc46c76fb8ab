"""CPython objects of a model class, on which the author's own methods run."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from isrcheck.ir.codec import Above, Outside, codec
from isrcheck.ir.domains import Domain, MapDomain
from isrcheck.lang.declare import Model, Sort, sort_sizes
from isrcheck.lang.network import KINDS, Bag, Channels


class WroteAbove(Exception):
    """Under a key above the map's bound."""


class Map(dict[Any, Any]):
    """A total map that can undo writes."""

    __slots__ = ("domain", "written")

    def __init__(self, values: dict[Any, Any], domain: MapDomain, written: "list[tuple[Map, Any, Any]]") -> None:
        super().__init__(values)
        self.domain = domain
        self.written = written

    def __setitem__(self, key: Any, value: Any) -> None:
        if key not in self:
            try:
                codec(self.domain.key).index(key)
            except Above:
                raise WroteAbove from None
            except Outside:
                raise KeyError(key) from None
        self.written.append((self, key, self[key]))
        super().__setitem__(key, thawed(self.domain.value, value, self.written))


def thawed(domain: Domain, value: Any, written: list[tuple[Map, Any, Any]]) -> Any:
    """As methods need it: maps as `Map`."""
    if isinstance(domain, MapDomain):
        counts = Map({k: thawed(domain.value, v, written) for k, v in value.items()}, domain, written)
        return KINDS[domain.container](counts) if domain.container else counts
    return value


def counted(value: Any) -> Any:
    """A bag's values with their counts, a channel's messages under it; any other value itself."""
    return value.counts if isinstance(value, Bag | Channels) else value


def watched(cls: type[Model], domains: dict[str, Domain], written: list[tuple[Map, Any, Any]]) -> type[Model]:
    """Maps that are assigned are thawed."""
    maps = {name: domain for name, domain in domains.items() if isinstance(domain, MapDomain)}

    def assign(self: Model, name: str, value: Any) -> None:
        object.__setattr__(self, name, thawed(maps[name], value, written) if name in maps else value)

    return type(cls.__name__, (cls,), {"__setattr__": assign})


def undo(written: list[tuple[Map, Any, Any]]) -> None:
    while written:
        target, key, value = written.pop()
        dict.__setitem__(target, key, value)


def blank(cls: type[Model], constants: dict[str, Any]) -> Model:
    made = object.__new__(cls)
    made.__dict__.update(constants)
    return made


@contextmanager
def running(sizes: dict[type[Sort], int]) -> Iterator[None]:
    token = sort_sizes.set(sizes)
    try:
        yield
    finally:
        sort_sizes.reset(token)
