"""Settings of the modelled system, such as replica.lag.time.max.ms=30000, and the constants of the model they become.

A constant says which setting it stands for and how: `value`, the same number; `ticks`, a time in milliseconds; `many`,
one of the model's stands for that many of the system's. The first setting of a time fixes the length of a tick.
"""

from collections.abc import Mapping
from typing import Any

from isrcheck.errors import UsageError
from isrcheck.ir.model import ConstantIR

Notes = tuple[str, ...]


def apply_settings(
    settings: Mapping[str, ConstantIR], given: Mapping[str, Any], constants: Mapping[str, Any]
) -> tuple[dict[str, Any], Notes]:
    """The constants with those that settings decide, and a sentence for each setting. Raises UsageError."""
    chosen, notes = dict(constants), []
    tick: float | None = None
    for setting, constant in settings.items():
        if setting not in given:
            continue
        number = _number(setting, given[setting])
        match constant.measure:
            case "ticks" if tick is None:
                ticks = chosen.get(constant.name, constant.default)
                tick = number / max(ticks, 1)
                notes.append(f"{setting}={number} is {constant.name}={ticks} ticks of {tick:,.0f} ms.")
            case "ticks":
                chosen[constant.name], note = _in_ticks(setting, number, constant, tick or 1, chosen)
                notes.append(note)
            case "many":
                scaled = chosen.get(constant.name, constant.default)
                each = number / max(scaled, 1)
                notes.append(
                    f"{setting}={number} is {constant.name}={scaled}: one in the model stands for {each:,.0f}."
                )
            case _:
                other = constants.get(constant.name, number)
                if other != number:
                    raise UsageError(f"{setting}={number} and {constant.name}={other} contradict each other: give one.")
                chosen[constant.name] = number
                notes.append(f"{setting}={number} is {constant.name}={number}.")
    return chosen, tuple(notes)


def _number(setting: str, value: Any) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = 0
    if number < 1:
        raise UsageError(f"the setting {setting} is a whole number above 0, not {value!r}.")
    return number


def _in_ticks(
    setting: str, number: int, constant: ConstantIR, tick: float, chosen: Mapping[str, Any]
) -> tuple[int, str]:
    """A further time in ticks, and what rounding does to it."""
    if constant.name in chosen:
        ticks = int(chosen[constant.name])
    else:
        ticks = max(round(number / tick), constant.at_least or 0)
    off = ticks * tick - number
    lost = "exactly" if not off else f"{abs(off):,.0f} ms {'more' if off > 0 else 'less'} than it says"
    return ticks, f"{setting}={number} is {constant.name}={ticks} ticks of {tick:,.0f} ms, {lost}."
