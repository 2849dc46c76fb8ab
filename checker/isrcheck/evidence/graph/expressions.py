"""Expressions by which states are grouped."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from isrcheck.engines.reference.stepper import ReferenceStepper, State
from isrcheck.errors import UsageError, nearest
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import BOOL, Domain, MapDomain, OptionalDomain, RecordDomain, describe
from isrcheck.ir.show import show
from isrcheck.passes.bind import bind_domain
from isrcheck.run.trace import Value, encode
from isrcheck.wrap import plain

_EXPRESSION = re.compile(r"([^\W\d]\w*)((?:\.[^\W\d]\w*|\[[^\[\]]+\])*)")
_ACCESS = re.compile(r"\.(\w+)|\[([^\[\]]+)\]")


@dataclass(frozen=True)
class GroupExpression:
    """Its value is in `encode`'s form."""

    source: str
    value: Callable[[State], Value]


def expression(stepper: ReferenceStepper, source: str) -> GroupExpression:
    """Reads NAME, NAME.field, NAME[key] or NAME[key].field. Raises UsageError."""
    match = _EXPRESSION.fullmatch(source.strip())
    if not match:
        raise UsageError(
            f"--by {source} cannot group states: write a variable, a field of one (a.b), an "
            "entry of a map (a[r0]), or a method without parameters."
        )
    base, domain = _base(stepper, match[1])
    parts: list[Callable[[Any], Any]] = []
    for named in _ACCESS.finditer(match[2]):
        access, domain = (
            _field(domain, named[1], source) if named[1] else _value_under_key(domain, named[2].strip(), source)
        )
        parts.append(access)

    def value(state: State) -> Value:
        reached = base(state)
        for step in parts:
            reached = step(reached)
        return encode(frozenset(reached) if isinstance(reached, set) else reached)

    return GroupExpression(plain(source.strip()), value)


def _base(stepper: ReferenceStepper, name: str) -> tuple[Callable[[State], Any], Domain]:
    model = stepper.model
    if name in model.domains:
        return lambda state: stepper.values(state)[name], model.domains[name]
    if name in stepper.roles and not stepper.roles[name].kind.is_of_steps:
        return lambda state: stepper.holds(name, state), BOOL
    askable = {n: (m.returns, m.at) for n, m in model.ir.helpers.items() if not m.parameters and m.returns is not None}
    if name in askable:
        returns, at = askable[name]
        return lambda state: stepper.ask(name, state), bind_domain(returns, model.constants, at)
    if name in model.ir.helpers:
        raise UsageError(
            f"--by {name} cannot be asked of a state: {name} of {model.ir.name} takes parameters, or changes "
            "the state. Name a variable, or a method without parameters that returns a value."
        )
    asked = [n for n, p in stepper.roles.items() if not p.kind.is_of_steps]
    raise UsageError(
        f"{model.ir.name} has no variable or method {name} to group by."
        f"{nearest(name, [*model.domains, *askable, *asked])}"
    )


def _field(domain: Domain, name: str, source: str) -> tuple[Callable[[Any], Any], Domain]:
    record = domain.of if isinstance(domain, OptionalDomain) else domain
    if not isinstance(record, RecordDomain):
        raise UsageError(f"--by {source}: {name} is not a field of {describe(domain)}.")
    fields = dict(record.fields)
    if name not in fields:
        raise UsageError(f"--by {source}: {record.name} has no field {name}.{nearest(name, fields)}")
    return lambda value: None if value is None else getattr(value, name), fields[name]


def _value_under_key(domain: Domain, key: str, source: str) -> tuple[Callable[[Any], Any], Domain]:
    if not isinstance(domain, MapDomain):
        raise UsageError(f"--by {source}: [{key}] is not an entry of {describe(domain)}.")
    keys = {show(value): value for value in codec(domain.key).values()}
    if key not in keys:
        raise UsageError(f"--by {source}: there is no key {key}.{nearest(key, keys)}")
    return lambda value: value[keys[key]], domain.value
