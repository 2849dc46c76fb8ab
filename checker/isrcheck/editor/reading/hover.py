"""The hover text of a model's name, as Markdown."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from math import prod

from isrcheck.editor.reading.problems import ReadModel
from isrcheck.errors import ModelError, quantity
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import describe
from isrcheck.ir.model import ConstantIR, Method, VariableIR
from isrcheck.ir.property_kinds import KINDS
from isrcheck.lang.declare import REQUIRED
from isrcheck.passes.bind import bind_domain
from isrcheck.passes.constants import literal

_DEFAULTS = " at the default constants"


class Hovers:
    """The hover texts of one model at its default constants; some facts may be unknown."""

    def __init__(self, read_model: ReadModel) -> None:
        self._read_model = read_model
        self._constants = {name: constant.default for name, constant in read_model.constants.items()}
        if read_model.bound is not None:
            self._constants = read_model.bound.constants
        self._bits = {name: self._bits_of(variable) for name, variable in read_model.variables.items()}

    def describe(self, name: str, role: str, kind: str, owner: str, rest: Iterable[str]) -> str:
        """Return what an editor shows beside a name, as Markdown. `owner` ends its first line: "of class M"."""
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
        bits = self._bits[variable.name]
        if bits is not None:
            total = sum(each for each in self._bits.values() if each is not None)
            share = f" of a state's {total:,}" if None not in self._bits.values() else ""
            yield f"{quantity(bits, 'bit')}{share}{_DEFAULTS}"

    def _bits_of(self, variable: VariableIR) -> int | None:
        """The bits of a variable; None if they are not known."""
        bound = self._read_model.bound
        try:
            at_defaults = bound.domains[variable.name] if bound else None
            domain = at_defaults or bind_domain(variable.domain, self._constants, variable.at)
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
        if action.parameters:
            yield "`" + ", ".join(f"{each.name}: {describe(each.domain)}" for each in action.parameters) + "`"
        with suppress(ModelError, ValueError):
            domains = [bind_domain(each.domain, self._constants, each.at) for each in action.parameters]
            counts = [codec(domain).count() for domain in domains]
            product = f" = {' * '.join(map('{:,}'.format, counts))}" if len(counts) > 1 else ""
            yield f"{quantity(prod(counts), 'instance')}{product}{_DEFAULTS}"


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
