"""CPython objects of a model class, on which the author's own methods run."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from isrcheck.ir.codec import Above, Outside, codec
from isrcheck.ir.domains import Domain, MapDomain
from isrcheck.lang.declare import ANSWERS, Model, Sort, sort_sizes
from isrcheck.lang.network import KINDS, Bag, Channels


class WroteAbove(Exception):
    """A write under a key above the map's bound."""


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
        super().__setitem__(key, thaw(self.domain.value, value, self.written))


def thaw(domain: Domain, value: Any, written: list[tuple[Map, Any, Any]]) -> Any:
    """The value as methods need it: maps as `Map`."""
    if isinstance(domain, MapDomain):
        counts = Map({k: thaw(domain.value, v, written) for k, v in value.items()}, domain, written)
        return KINDS[domain.container](counts) if domain.container else counts
    return value


def unwrap_counts(value: Any) -> Any:
    """The counts of a bag, the messages of channels; another value itself."""
    return value.counts if isinstance(value, Bag | Channels) else value


def watch_maps(cls: type[Model], domains: dict[str, Domain], written: list[tuple[Map, Any, Any]]) -> type[Model]:
    """A subclass whose assignments turn maps into `Map`."""
    maps = {name: domain for name, domain in domains.items() if isinstance(domain, MapDomain)}

    def assign(self: Model, name: str, value: Any) -> None:
        object.__setattr__(self, name, thaw(maps[name], value, written) if name in maps else value)

    return type(cls.__name__, (cls,), {"__setattr__": assign})


def undo(written: list[tuple[Map, Any, Any]]) -> None:
    while written:
        target, key, value = written.pop()
        dict.__setitem__(target, key, value)


def blank(cls: type[Model], constants: dict[str, Any], is_enabled: Callable[[Model, str], bool] | None = None) -> Model:
    instance = object.__new__(cls)
    instance.__dict__.update(constants)
    if is_enabled is not None:
        instance.__dict__[ANSWERS] = is_enabled
    return instance


@contextmanager
def with_sort_sizes(sizes: dict[type[Sort], int]) -> Iterator[None]:
    token = sort_sizes.set(sizes)
    try:
        yield
    finally:
        sort_sizes.reset(token)
