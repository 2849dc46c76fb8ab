"""A model's values as people write them: r0, {r0, r1}, LeaderAndIsr(leader=r0, isr={r0})."""

from enum import Enum
from typing import Any


def show(value: Any) -> str:
    """A value as text on one line; sets are sorted."""
    match value:
        case Enum():
            return value.name.lower().replace("_", "-")
        case frozenset():
            return "{" + ", ".join(sorted(map(show, value), key=lambda element: (len(element), element))) + "}"
        case dict():
            return "{" + ", ".join(f"{show(k)}: {show(v)}" for k, v in value.items()) + "}"
        case tuple() if hasattr(value, "_fields"):
            parts = ", ".join(f"{n}={show(v)}" for n, v in zip(value._fields, value, strict=True))
            return f"{type(value).__name__}({parts})"
        case tuple():
            return "[" + ", ".join(map(show, value)) + "]"
        case _:
            return repr(value)
