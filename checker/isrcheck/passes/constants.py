"""The constants of a run: names and values as given, checked against what the model declares.

Settings such as replica.lag.time.max.ms=30000 become constants: `value`, the same number; `ticks`,
a time in milliseconds; `many`, one of the model's stands for that many. The first setting of a
time fixes the length of a tick.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any

from isrcheck.errors import UsageError, nearest
from isrcheck.ir.domains import BOOL, Domain, EnumDomain, IntDomain
from isrcheck.ir.interval import RANGE, OneOf, Span
from isrcheck.ir.model import ConstantIR, ModelIR
from isrcheck.ir.show import show
from isrcheck.lang.declare import REQUIRED

Notes = tuple[str, ...]


def choose_constants(ir: ModelIR, given: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The constants in declaration order, and notes on what the settings became. Raises UsageError."""
    known = {c.name: c for c in ir.constants}
    settings = {c.setting: c for c in ir.constants if c.setting}
    for name in given:
        if name not in known and name not in settings:
            raise UsageError(f"{ir.name} has no constant {name}.{nearest(name, [*known, *settings])}")
    plain = {name: parse_value(known[name], value) for name, value in given.items() if name in known}
    spoken = {name: value for name, value in given.items() if name in settings}
    chosen, notes = apply_settings(settings, spoken, plain)
    for name, value in chosen.items():
        chosen[name] = parse_value(known[name], value)
    for name, constant in known.items():
        if name not in chosen and constant.default is REQUIRED:
            what = f"the constant {name} of {ir.name} is missing: {constant.sentence}."
            raise UsageError(f"{what} Write -c {name}=VALUE.")
    return {name: chosen.get(name, constant.default) for name, constant in known.items()}, notes


def members_of(domain: Domain) -> tuple[Any, ...]:
    return domain.members if isinstance(domain, EnumDomain) else (False, True)


def parse_value(constant: ConstantIR, value: Any) -> Any:
    """The value of a constant, which may be given as text. Raises UsageError."""
    is_number, source = isinstance(constant.domain, IntDomain), value if isinstance(value, str) else ""
    if isinstance(value, Span | OneOf) or (RANGE.fullmatch(source.strip()) if is_number else "," in source):
        how = "use check --engine symbolic, or a run for each value."
        raise UsageError(f"{constant.name}={value} makes {constant.name} a symbolic constant: {how}")
    return _number(constant, value) if is_number else _choice(constant, members_of(constant.domain), value)


def _choice(constant: ConstantIR, members: tuple[Any, ...], value: Any) -> Any:
    if type(value) is type(members[0]):
        return value
    words = {literal(member): member for member in members}
    spelling = str(value).lower().replace("_", "-") if isinstance(value, str | int) else ""
    as_written = {str(getattr(each, "value", each)): each for each in members}  # by the modelled system: acks=1
    if spelling in words or spelling in as_written:
        return words.get(spelling, as_written.get(spelling))
    among = "true or false" if constant.domain == BOOL else f"one of {', '.join(words)}"
    raise UsageError(f"the constant {constant.name} is {among}, not {display(value)}.")


def literal(value: Any) -> str:
    """The literal of a value, as on the command line: true, 3."""
    return show(value).lower() if isinstance(value, Enum | bool) else str(value)


def display(value: Any) -> str:
    return repr(value) if isinstance(value, str) else literal(value)


def _number(constant: ConstantIR, value: Any) -> int:
    try:
        result = int(value) if isinstance(value, str) else value
    except ValueError:
        result = None
    if result is None and "," in value:
        how = f"compare takes lists, as in isrcheck compare MODEL -c {constant.name}={value}"
        raise UsageError(f"the constant {constant.name} is one whole number, not {display(value)}: {how}.")
    if type(result) is not int:
        raise UsageError(f"the constant {constant.name} is a whole number, not {display(value)}.")
    low = constant.at_least
    high = constant.at_most
    if (low is not None and result < low) or (high is not None and result > high):
        span = f"{low} or more" if high is None else f"{high} or less" if low is None else f"from {low} to {high}"
        raise UsageError(f"the constant {constant.name} ({constant.sentence}) is {span}, not {result}.")
    return result


def apply_settings(
    settings: Mapping[str, ConstantIR], given: Mapping[str, Any], constants: Mapping[str, Any]
) -> tuple[dict[str, Any], Notes]:
    """The constants that settings of the modelled system give, and a note on each. Raises UsageError."""
    chosen, notes = dict(constants), []
    tick: float | None = None
    for name, constant in settings.items():
        if name not in given:
            continue
        number, value = _parse_setting(name, given[name]), chosen.get(constant.name, constant.default)
        match constant.measure:
            case "ticks" if tick is None:
                tick = number / max(value, 1)
                note = f" ticks of {tick:,.0f} ms"
            case "ticks":
                value, note = _in_ticks(number, constant, tick or 1, chosen)
                chosen[constant.name] = value
            case "many":
                note = f": one in the model stands for {number / max(value, 1):,.0f}"
            case _:
                other = constants.get(constant.name, number)
                if other != number:
                    raise UsageError(f"{name}={number} and {constant.name}={other} contradict each other: give one.")
                chosen[constant.name], value, note = number, number, ""
        notes.append(f"{name}={number} is {constant.name}={value}{note}.")
    return chosen, tuple(notes)


def _parse_setting(name: str, value: Any) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = 0
    if number < 1:
        raise UsageError(f"the setting {name} is a whole number above 0, not {value!r}.")
    return number


def _in_ticks(number: int, constant: ConstantIR, tick: float, chosen: Mapping[str, Any]) -> tuple[int, str]:
    """A number of milliseconds in ticks, and a note on what rounding does to it."""
    ticks = int(chosen.get(constant.name, max(round(number / tick), constant.at_least or 0)))
    off = ticks * tick - number
    lost = "exactly" if not off else f"{abs(off):,.0f} ms {'more' if off > 0 else 'less'} than it says"
    return ticks, f" ticks of {tick:,.0f} ms, {lost}"
