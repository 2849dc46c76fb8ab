"""Which constants a proof leaves symbolic: all that can be, unless they are given."""

from collections.abc import Iterator, Mapping
from typing import Any

from isrcheck.ir.domains import BOOL, Domain, EnumDomain, IntDomain, SequenceDomain, names_in_bound, value_domains
from isrcheck.ir.model import ConstantIR, ModelIR
from isrcheck.ir.symbolic_constant import OneOf, Span, ValueRange
from isrcheck.lang.declare import Each
from isrcheck.passes.cone import Cut, cone
from isrcheck.passes.constant_folding import ConstantFolder
from isrcheck.passes.symbolic import shaping_constants, with_constants


def value_ranges(ir: ModelIR, given: Mapping[str, Any], cut: Cut) -> dict[str, Any]:
    """What to bind for a proof of what the cut keeps: the constants given, and others symbolic where they can be.

    Those that shape the state keep their defaults, and so do those that bound the length of a sequence that is kept.
    A bound of a variable that does not begin at 0 begins at its default.
    """
    closed = shaping_constants(ir).keys() | given.keys()
    found = {**given, **_all_values(ir, closed)}
    kept = cone(ir, ConstantFolder(with_constants(ir, found)), cut)
    lengths = {n for v in ir.variables if v.name in kept for n in _in_bounds(v.domain, SequenceDomain)}
    return {**given, **_all_values(ir, closed | lengths)}


def _all_values(ir: ModelIR, closed: set[str]) -> dict[str, ValueRange]:
    begun = {n for v in ir.variables if _is_above_zero(v.initial) for n in _in_bounds(v.domain, IntDomain)}
    values = ((c.name, _every(c, c.name in begun)) for c in ir.constants if c.name not in closed)
    return {name: value for name, value in values if value is not None}


def _every(constant: ConstantIR, from_default: bool) -> ValueRange | None:
    """All values of a constant; None if it has one only, or no lower end."""
    if isinstance(constant.domain, EnumDomain):
        return OneOf(constant.domain.members) if len(constant.domain.members) > 1 else None
    if constant.domain == BOOL:
        return OneOf((False, True))
    low = constant.default if from_default else constant.at_least
    if type(low) is not int:
        return None
    return Span(low) if constant.at_most is None else Span(low, constant.at_most)


def _is_above_zero(initial: Any) -> bool:
    """Whether some integer of an initial value is not 0."""
    if isinstance(initial, Each):
        return _is_above_zero(initial.value)
    if isinstance(initial, tuple):
        return any(map(_is_above_zero, initial))
    return type(initial) is int and initial > 0


def _in_bounds(domain: Domain, kind: type) -> Iterator[str]:
    """The constants in bounds of integers, or of the lengths of sequences."""
    return (name for each in value_domains(domain) if isinstance(each, kind) for name in names_in_bound(each))
