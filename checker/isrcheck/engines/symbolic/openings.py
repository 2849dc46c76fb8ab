"""Which constants a proof leaves open: all that can be, unless they are given."""

from collections.abc import Iterator, Mapping
from typing import Any

from isrcheck.ir.domains import (
    BOOL,
    Domain,
    EnumDomain,
    MapDomain,
    OptionalDomain,
    RecordDomain,
    SequenceDomain,
    bound_names,
)
from isrcheck.ir.nodes import ConstantText, ModelText
from isrcheck.ir.open import OneOf, Open, Span
from isrcheck.passes.cone import Cut, cone
from isrcheck.passes.open import open_constants
from isrcheck.passes.settle import Settler
from isrcheck.passes.shaping import shaping_constants


def openings(text: ModelText, given: Mapping[str, Any], cut: Cut) -> dict[str, Any]:
    """What to bind for a proof of what the cut keeps: the constants given, and all others as open as they can be.

    Those that shape the state keep their defaults, and so do those that bound the length of a sequence that is kept.
    """
    closed = shaping_constants(text).keys() | given.keys()
    found = {**given, **_all_values(text, closed)}
    kept = cone(text, Settler(open_constants(text, found)), cut)
    lengths = {n for v in text.variables if v.name in kept for n in _lengths(v.domain)}
    return {**given, **_all_values(text, closed | lengths)}


def _all_values(text: ModelText, closed: set[str]) -> dict[str, Open]:
    values = ((c.name, _every(c)) for c in text.constants if c.name not in closed)
    return {name: value for name, value in values if value is not None}


def _every(constant: ConstantText) -> Open | None:
    """All values of a constant; None if it has one only, or no lower end."""
    if isinstance(constant.domain, EnumDomain):
        return OneOf(constant.domain.members) if len(constant.domain.members) > 1 else None
    if constant.domain == BOOL:
        return OneOf((False, True))
    if constant.at_least is None:
        return None
    return Span(constant.at_least) if constant.at_most is None else Span(constant.at_least, constant.at_most)


def _lengths(domain: Domain) -> Iterator[str]:
    """The constants in bounds of lengths."""
    match domain:
        case SequenceDomain(of=of, high=high):
            yield from bound_names(high) if isinstance(high, str) else ()
            yield from _lengths(of) if of is not None else ()
        case OptionalDomain(of=of) if of is not None:
            yield from _lengths(of)
        case RecordDomain(fields=fields):
            for _, part in fields:
                yield from _lengths(part)
        case MapDomain(value=value):
            yield from _lengths(value)
