"""What an editor shows of a model's name, as Markdown."""

from collections.abc import Iterator
from math import prod

from isrcheck.editor.reading.problems import ReadModel
from isrcheck.errors import ModelError, counted
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import Domain, describe
from isrcheck.ir.model import ConstantIR, Method, VariableIR
from isrcheck.ir.property_kinds import KINDS
from isrcheck.lang.declare import REQUIRED
from isrcheck.passes.bind import bind_domain
from isrcheck.passes.constants import word
from isrcheck.place import Place

_DEFAULTS = " at the default constants"
_MOST_DIGITS = 15  # of a number of values; a larger one is a power of ten


class Hovers:
    """Of one model at its default constants."""

    def __init__(self, found: ReadModel) -> None:
        self._found = found
        self._bound = found.bound

    def of(self, name: str, role: str, kind: str, owner: str, doc: str | None) -> str:
        found = self._found
        if role == "variable" and name in found.variables:
            lines = [*self._variable(found.variables[name])]
        elif role == "constant" and name in found.constants:
            lines = [*_constant(found.constants[name])]
        else:
            lines = [*self._method(name, role, kind), doc or ""]
        head = f"**{name}**, {_TITLES.get(kind, kind)} of {owner}"
        return "\n\n".join([head, *filter(None, lines)])

    def _variable(self, variable: VariableIR) -> Iterator[str]:
        history = ", a history: properties alone read it" if variable.is_history else ""
        yield f"`{describe(variable.domain)}`{history}"
        yield variable.comment
        if self._bound is None:
            return
        values = self._values(variable.domain, variable.at)
        bits = sum(scalar.bits for scalar in codec(self._bound.domains[variable.name]).scalars(variable.name))
        within = "" if values is None else f"{_number(values)} {'value' if values == 1 else 'values'}, "
        yield f"{within}{counted(bits, 'bit')} of a state's {self._state_bits():,}{_DEFAULTS}"

    def _state_bits(self) -> int:
        assert self._bound is not None
        scalars = (codec(domain).scalars(name) for name, domain in self._bound.domains.items())
        return sum(scalar.bits for each in scalars for scalar in each)

    def _method(self, name: str, role: str, kind: str) -> Iterator[str]:
        method = self._found.methods.get(name)
        if method is None:
            return
        if role in ("action", "initial"):
            yield from self._instances(method)
        elif method.returns is not None and role in ("policy", "helper"):
            taken = ", ".join(f"{each.name}: {describe(each.domain)}" for each in method.parameters)
            yield f"`({taken}) -> {describe(method.returns)}`"
        if self._bound and (why := self._bound.not_asked.get(name)):
            yield f"Not asked{_DEFAULTS}: {why}"

    def _instances(self, action: Method) -> Iterator[str]:
        counts = [self._values(each.domain, each.at) for each in action.parameters]
        if action.parameters:
            yield "`" + ", ".join(f"{each.name}: {describe(each.domain)}" for each in action.parameters) + "`"
        if self._bound is not None and None not in counts:
            chosen = prod(count for count in counts if count is not None)
            times = " * ".join(f"{count:,}" for count in counts if count is not None)
            product = f" = {times}" if len(counts) > 1 else ""
            yield f"{counted(chosen, 'instance')}{product}{_DEFAULTS}"

    def _values(self, domain: Domain, at: Place) -> int | None:
        """None where they are not counted."""
        if self._bound is None:
            return None
        try:
            return codec(bind_domain(domain, self._bound.constants, at)).count()
        except (ModelError, ValueError):
            return None


_TITLES = {name: kind.title for name, kind in KINDS.items()} | {"initial": "choice of initial states"}


def _constant(constant: ConstantIR) -> Iterator[str]:
    default = "no default: each run chooses it" if constant.default is REQUIRED else f"default {word(constant.default)}"
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
