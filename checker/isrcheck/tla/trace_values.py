"""The values of a trace as a model's own: those of our traces, and those of TLC's JSON.

TLC's JSON (`-dumpTrace json`) has sets as lists, and model values, None among them, as strings; the model's domains say
which is meant.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from isrcheck.ir import domains
from isrcheck.ir.codec import codec
from isrcheck.ir.show import show
from isrcheck.tla.names import field

NOT_A_VALUE = (ValueError, KeyError, TypeError, AttributeError)  # what `decoded` raises


@dataclass(frozen=True)
class Notation:
    """How a format writes None, the elements of a set, a field of a record and the entries of a map with such keys."""

    none: str | None
    elements: Callable[[Any], Iterable[Any]]
    field: Callable[[Any, str], Any]
    entries: Callable[[Any, domains.Domain], Iterable[tuple[Any, Any]]]


def decoded(data: Any, domain: domains.Domain, notation: Notation) -> Any:
    """A value of this domain. Raises one of NOT_A_VALUE if the data is none."""
    match domain:
        case domains.OptionalDomain(of=of):
            return None if data == notation.none or of is None else decoded(data, of, notation)
        case domains.BoolDomain() | domains.IntDomain():
            if isinstance(data, bool) != isinstance(domain, domains.BoolDomain) or not isinstance(data, int):
                raise ValueError(data)
            return data
        case domains.SequenceDomain(of=of):
            return tuple(decoded(element, of, notation) for element in data) if of is not None else ()
        case domains.SetDomain(of=of):
            elements = notation.elements(data) if of is not None else ()
            return frozenset(decoded(element, of, notation) for element in elements if of is not None)
        case domains.RecordDomain(fields=fields, make=make):
            return make(*(decoded(notation.field(data, name), of, notation) for name, of in fields))
        case domains.MapDomain(key=key, value=value):
            return {k: decoded(v, value, notation) for k, v in notation.entries(data, key)}
    return {show(v): v for v in codec(domain).values()}[data]


def _entries(data: Any, key: domains.Domain) -> Iterable[tuple[Any, Any]]:
    return ((decoded(k, key, OURS), v) for k, v in data["map"])


def _entries_of_tlc(data: Any, key: domains.Domain) -> Iterable[tuple[Any, Any]]:
    keys = list(codec(key).values())
    if isinstance(data, list):  # a function over 1..n is a sequence to TLC
        return zip(keys, data, strict=True)
    return ((k, data[str(k).upper() if isinstance(k, bool) else show(k)]) for k in keys)


OURS = Notation(None, lambda data: data["set"], lambda data, name: data["fields"][name], _entries)
TLC = Notation("None", lambda data: data, lambda data, name: data[field(name)], _entries_of_tlc)
