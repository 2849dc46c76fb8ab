"""How many values a bound domain has, whether or not they could be listed."""

from math import comb, prod
from typing import assert_never

from isrcheck.ir.codec import codec
from isrcheck.ir.domains import (
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    OptionalDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
    SortDomain,
    SumDomain,
    number,
)


def count_values(domain: Domain) -> int:
    match domain:
        case IntDomain() | BoolDomain() | EnumDomain() | SortDomain():
            return codec(domain).count()
        case OptionalDomain(of):
            return 1 + (count_values(of) if of else 0)
        case RecordDomain(fields=fields):
            return prod(count_values(of) for _, of in fields)
        case SumDomain(members):
            return sum(map(count_values, members))
        case MapDomain(key, _, total=total) if total is not None:  # a bag: how often each, together at most so often
            return comb(count_values(key) + number(total), number(total))
        case MapDomain(key, value):
            return int(count_values(value) ** count_values(key))
        case SequenceDomain(of, high):
            return sum(count_values(of) ** length for length in range(number(high) + 1)) if of else 1
        case SetDomain(of, high=high):
            elements = count_values(of) if of else 0
            if high is None or number(high) >= elements:
                return 1 << elements
            return sum(comb(elements, size) for size in range(number(high) + 1))
        case _:
            assert_never(domain)
