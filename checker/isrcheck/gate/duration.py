"""Lengths of time as people write them."""

import re

from isrcheck.errors import UsageError

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}


def parse_duration(text: str | None) -> float | None:
    """Seconds from 60s, 5m or 90. Raises UsageError."""
    if text is None:
        return None
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)\s*([smh]?)", text.strip(), re.ASCII)
    if not match or not float(match[1]):
        raise UsageError(f"{text} is not a length of time: write seconds, or a number with s, m or h, such as 60s.")
    return float(match[1]) * _UNITS[match[2]]
