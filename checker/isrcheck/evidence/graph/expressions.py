"""What states are grouped by."""

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

_WHOLE = re.compile(r"([^\W\d]\w*)((?:\.[^\W\d]\w*|\[[^\[\]]+\])*)")
_PART = re.compile(r"\.(\w+)|\[([^\[\]]+)\]")


@dataclass(frozen=True)
class GroupExpression:
    """Its value is in `encode`'s form."""

    text: str
    value: Callable[[State], Value]


def expression(stepper: ReferenceStepper, text: str) -> GroupExpression:
    """Reads NAME, NAME.field, NAME[key] or NAME[key].field. Raises UsageError."""
    whole = _WHOLE.fullmatch(text.strip())
    if not whole:
        raise UsageError(
            f"--by {text} cannot group states: write a variable, a field of one (a.b), an "
            "entry of a map (a[r0]), or a method without parameters."
        )
    base, domain = _base(stepper, whole[1])
    parts: list[Callable[[Any], Any]] = []
    for named in _PART.finditer(whole[2]):
        part, domain = _field(domain, named[1], text) if named[1] else _entry(domain, named[2].strip(), text)
        parts.append(part)

    def value(state: State) -> Value:
        found = base(state)
        for part in parts:
            found = part(found)
        return encode(frozenset(found) if isinstance(found, set) else found)

    return GroupExpression(plain(text.strip()), value)


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


def _field(domain: Domain, name: str, text: str) -> tuple[Callable[[Any], Any], Domain]:
    record = domain.of if isinstance(domain, OptionalDomain) else domain
    if not isinstance(record, RecordDomain):
        raise UsageError(f"--by {text}: {name} is not a field of {describe(domain)}.")
    fields = dict(record.fields)
    if name not in fields:
        raise UsageError(f"--by {text}: {record.name} has no field {name}.{nearest(name, fields)}")
    return lambda value: None if value is None else getattr(value, name), fields[name]


def _entry(domain: Domain, key: str, text: str) -> tuple[Callable[[Any], Any], Domain]:
    if not isinstance(domain, MapDomain):
        raise UsageError(f"--by {text}: [{key}] is not an entry of {describe(domain)}.")
    keys = {show(value): value for value in codec(domain.key).values()}
    if key not in keys:
        raise UsageError(f"--by {text}: there is no key {key}.{nearest(key, keys)}")
    return lambda value: value[keys[key]], domain.value
