"""First pass: constants become numbers, and with them every domain, sort and initial value of the model."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from isrcheck.errors import AssumptionFalse, ModelError, UsageError, nearest
from isrcheck.ir.domains import (
    BOOL,
    Domain,
    EnumDomain,
    MapDomain,
    SequenceDomain,
    SetDomain,
    bound,
    describe,
)
from isrcheck.ir.flatten import Above, Outside, count, flatten, values
from isrcheck.ir.nodes import ConstantText, Method, ModelText, VariableText
from isrcheck.lang.annotations import to_domain
from isrcheck.lang.declare import REQUIRED, Each, Members, Model, Sort
from isrcheck.lang.instance import blank
from isrcheck.lang.source import class_tree, place_of
from isrcheck.place import Place


@dataclass(frozen=True, eq=False)
class BoundModel:
    """A model with its constants chosen. Domains have numbers for bounds, and variables their initial values."""

    text: ModelText
    constants: dict[str, Any]
    sizes: dict[type[Sort], int]
    domains: dict[str, Domain]  # by variable, in declaration order
    initial: dict[str, Any]
    not_asked: dict[str, str]  # properties and actions that mean nothing with these constants, and why

    @property
    def properties(self) -> tuple[Method, ...]:
        """The properties that are asked with these constants, in declaration order."""
        return tuple(p for p in self.text.properties if p.name not in self.not_asked)

    def parameters(self, action: int) -> tuple[tuple[str, Domain], ...]:
        """The parameters of an action by position, with bound domains."""
        method = self.text.actions[action]
        return tuple((p.name, bind_domain(p.domain, self.constants, p.at)) for p in method.parameters)


def bind(text: ModelText, given: Mapping[str, Any]) -> BoundModel:
    """The model with these constants, which may be given as text; the rest have their defaults.

    Raises UsageError for a constant that is unknown, missing, out of range or not of its type, AssumptionFalse if they
    contradict an assumption, and ModelError for a domain or an initial value that they make impossible.
    """
    constants = choose_constants(text, given)
    not_asked = _check_constants(text, constants)
    sizes = {s.sort: count(bind_domain(s, constants, place_of(*class_tree(s.sort)))) for s in text.sorts}
    domains = {v.name: bind_domain(v.domain, constants, v.at) for v in text.variables}
    initial = {v.name: _initial(v, domains[v.name], constants) for v in text.variables}
    return BoundModel(text, constants, sizes, domains, initial, not_asked)


def bind_domain(domain: Domain, constants: Mapping[str, Any], at: Place) -> Domain:
    """A domain with numbers for bounds. Raises ModelError at this place if a bound has no value."""
    try:
        return bound(domain, constants)
    except ValueError as error:
        raise ModelError(at, f"{error}.", "Bounds are expressions of the model's integer constants.") from None


# Conditions on constants


def _check_constants(text: ModelText, constants: dict[str, Any]) -> dict[str, str]:
    """The properties that are not asked with these constants, and why. Raises AssumptionFalse."""
    made = blank(text.cls, constants)
    for assumption in text.assumptions:
        if not _answer(made, assumption):
            chosen = ", ".join(f"{name}={word(value)}" for name, value in constants.items())
            why = _why(assumption, "its condition is false.")
            raise AssumptionFalse(
                f"{assumption.at}: the assumption {assumption.name} does not hold for {chosen}: {why}"
            )
    refused = [condition for condition in text.applicability if not _answer(made, condition)]
    return {name: _why(c, c.name) for c in reversed(refused) for name in c.about}


def _answer(made: Model, method: Method) -> bool:
    try:
        return bool(getattr(made, method.name)())
    except Exception as error:
        raise ModelError(
            method.at, f"{method.name}() raised {type(error).__name__}: {error}.", "It may read constants only."
        ) from None


def _why(method: Method, otherwise: str) -> str:
    return " ".join(method.doc.split("\n\n")[0].split()) or otherwise


# Constants


def choose_constants(text: ModelText, given: Mapping[str, Any]) -> dict[str, Any]:
    """The value of every constant, in declaration order. Raises UsageError."""
    known = {c.name: c for c in text.constants}
    for name in given:
        if name not in known:
            raise UsageError(f"{text.name} has no constant {name}.{nearest(name, known)}")
    return {c.name: _chosen(c, given[c.name]) if c.name in given else _default(c, text) for c in text.constants}


def _default(constant: ConstantText, text: ModelText) -> Any:
    if constant.default is REQUIRED:
        name = constant.name
        raise UsageError(f"the constant {name} of {text.name} is missing: {constant.sentence}. Write -c {name}=VALUE.")
    return constant.default


def _chosen(constant: ConstantText, value: Any) -> Any:
    """A value given for a constant, read from text if it is text."""
    if constant.domain == BOOL:
        return _truth(constant, value)
    if isinstance(constant.domain, EnumDomain):
        return _choice(constant, constant.domain, value)
    return _number(constant, value)


def _truth(constant: ConstantText, value: Any) -> bool:
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if isinstance(value, bool):
        return value
    raise UsageError(f"the constant {constant.name} is true or false, not {shown(value)}.")


def _choice(constant: ConstantText, domain: EnumDomain, value: Any) -> Any:
    if value in domain.members:
        return value
    words = {word(member): member for member in domain.members}
    if isinstance(value, str) and value.lower().replace("_", "-") in words:
        return words[value.lower().replace("_", "-")]
    raise UsageError(f"the constant {constant.name} is one of {', '.join(words)}, not {shown(value)}.")


def word(value: Any) -> str:
    """A constant's value as it is written on the command line: every-tick, true, 3."""
    if isinstance(value, Enum):
        return value.name.lower().replace("_", "-")
    return str(value).lower() if isinstance(value, bool) else str(value)


def shown(value: Any) -> str:
    """A wrong value as it is shown in a sentence."""
    return repr(value) if isinstance(value, str) else word(value)


def _number(constant: ConstantText, value: Any) -> int:
    try:
        result = int(value) if isinstance(value, str) else value
    except ValueError:
        result = None
    if type(result) is not int:
        raise UsageError(f"the constant {constant.name} is a whole number, not {shown(value)}.")
    low, high = constant.at_least, constant.at_most
    if (low is not None and result < low) or (high is not None and result > high):
        span = f"{low} or more" if high is None else f"{high} or less" if low is None else f"from {low} to {high}"
        raise UsageError(f"the constant {constant.name} ({constant.sentence}) is {span}, not {result}.")
    return result


# Initial values


def _initial(variable: VariableText, domain: Domain, constants: Mapping[str, Any]) -> Any:
    value = _whole(variable.initial, variable, constants)
    try:
        flatten(domain, value)
    except Above:
        raise ModelError(
            variable.at,
            f"the initial value of {variable.name} is above its bound.",
            "Choose larger constants, or a smaller initial value.",
        ) from None
    except Outside as error:
        raise ModelError(
            variable.at,
            f"the initial value of {variable.name} is no {describe(variable.domain)}: {error}.",
            _REMEDIES.get(type(domain), "Begin with a value of its domain."),
        ) from None
    except ValueError as error:
        raise ModelError(variable.at, f"{error}.", "Use smaller constants, or say the same with less.") from None
    return value


_REMEDIES: dict[type, str] = {
    MapDomain: "Begin with each(keys, value).",
    SetDomain: "Begin with frozenset() or members(...).",
    SequenceDomain: "Begin with ().",
}


def _whole(value: Any, variable: VariableText, constants: Mapping[str, Any]) -> Any:
    """An initial value with each(...) and members(...) written out."""
    if isinstance(value, Each):
        keys = _listed(value.keys, variable, constants)
        return {key: _whole(value.value, variable, constants) for key in keys}
    if isinstance(value, Members):
        return frozenset(_listed(value.of, variable, constants))
    if isinstance(value, tuple):
        parts = [_whole(part, variable, constants) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def _listed(kind: Any, variable: VariableText, constants: Mapping[str, Any]) -> list[Any]:
    """All members of what each(...) or members(...) names; of a map's own keys if it is a plain int."""
    domain = variable.domain.key if isinstance(variable.domain, MapDomain) and kind is int else None
    return list(values(bind_domain(domain or to_domain(kind, variable.at, {}), constants, variable.at)))
