"""The hover text of a model's name, as Markdown, with the number of values of a bound domain."""

from collections.abc import Iterable, Iterator
from math import comb, prod
from typing import assert_never

from isrcheck.editor.reading.problems import ReadModel
from isrcheck.errors import ModelError, quantity
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
    describe,
    number,
)
from isrcheck.ir.model import ConstantIR, Method, VariableIR
from isrcheck.ir.property_kinds import KINDS
from isrcheck.lang.declare import REQUIRED
from isrcheck.passes.bind import MOST_SCALARS, bind_domain
from isrcheck.passes.constants import literal
from isrcheck.place import Place


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


_DEFAULTS = " at the default constants"
_MOST_DIGITS = 15  # of a number of values; a larger one is a power of ten


class Hovers:
    """The hover texts of one model at its default constants; some facts may be unknown."""

    def __init__(self, read_model: ReadModel) -> None:
        self._read_model = read_model
        self._constants = {name: constant.default for name, constant in read_model.constants.items()}
        if read_model.bound is not None:
            self._constants = read_model.bound.constants
        self._bits = {name: self._bits_of(variable) for name, variable in read_model.variables.items()}

    def of(self, name: str, role: str, kind: str, owner: str, rest: Iterable[str]) -> str:
        """`owner`: in which class it stands, as the rest of a sentence."""
        read_model = self._read_model
        if role == "variable" and name in read_model.variables:
            lines = [*self._variable(read_model.variables[name])]
        elif role == "constant" and name in read_model.constants:
            lines = [*_constant(read_model.constants[name])]
        else:
            lines = [*self._method(name, role), *rest]
        return "\n\n".join([f"**{name}**, {_TITLES.get(kind, kind)} {owner}", *filter(None, lines)])

    def _variable(self, variable: VariableIR) -> Iterator[str]:
        history = ", a history variable: only properties read it" if variable.is_history else ""
        yield f"`{describe(variable.domain)}`{history}"
        yield variable.comment
        values, bits = self._values(variable.domain, variable.at), self._bits[variable.name]
        if bits is not None:
            within = "" if values is None else f"{_number(values)} {'value' if values == 1 else 'values'}, "
            total = sum(each for each in self._bits.values() if each is not None)
            share = f" of a state's {total:,}" if None not in self._bits.values() else ""
            yield f"{within}{quantity(bits, 'bit')}{share}{_DEFAULTS}"

    def _bits_of(self, variable: VariableIR) -> int | None:
        """The bits of a variable; None if they are not known."""
        bound = self._read_model.bound
        try:
            at_defaults = bind_domain(variable.domain, self._constants, variable.at) if bound is None else None
            domain = bound.domains[variable.name] if bound is not None else at_defaults
            assert domain is not None
            return sum(scalar.bits for scalar in codec(domain).scalars(variable.name))
        except (ModelError, ValueError):
            return None

    def _method(self, name: str, role: str) -> Iterator[str]:
        method = self._read_model.methods.get(name)
        if method is None:
            return
        if role in ("action", "initial"):
            yield from self._instances(method)
        bound = self._read_model.bound
        if bound is not None and name in bound.not_asked:
            yield f"Not asked{_DEFAULTS}: {bound.not_asked[name]}"

    def _instances(self, action: Method) -> Iterator[str]:
        counts = [self._values(each.domain, each.at) for each in action.parameters]
        if action.parameters:
            yield "`" + ", ".join(f"{each.name}: {describe(each.domain)}" for each in action.parameters) + "`"
        if None not in counts:
            chosen = prod(count for count in counts if count is not None)
            times = " * ".join(f"{count:,}" for count in counts if count is not None)
            product = f" = {times}" if len(counts) > 1 else ""
            yield f"{quantity(chosen, 'instance')}{product}{_DEFAULTS}"

    def _values(self, domain: Domain, at: Place) -> int | None:
        """The number of values of a domain; None if there are too many to count."""
        try:
            bound = bind_domain(domain, self._constants, at)
            return count_values(bound) if codec(bound).width <= MOST_SCALARS else None
        except (ModelError, ValueError):
            return None


_TITLES = {name: kind.title for name, kind in KINDS.items()} | {"initial": "choice of initial states"}


def _constant(constant: ConstantIR) -> Iterator[str]:
    default = (
        "no default: each run chooses it" if constant.default is REQUIRED else f"default {literal(constant.default)}"
    )
    low, high = constant.at_least, constant.at_most
    limits = [f"at least {low}" if low is not None else "", f"at most {high}" if high is not None else ""]
    yield ", ".join(filter(None, [f"`{describe(constant.domain)}`", default, *limits]))
    yield constant.sentence
    if constant.setting:
        yield f"Stands for the setting `{constant.setting}`."


def _number(count: int) -> str:
    digits = len(str(count)) if count.bit_length() < 10_000 else 0
    if not digits:
        return f"more than 2^{count.bit_length() - 1}"
    return f"{count:,}" if digits <= _MOST_DIGITS else f"about 10^{digits - 1}"
