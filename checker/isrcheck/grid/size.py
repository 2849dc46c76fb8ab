"""Sizes of memory as people write them."""

import re

from isrcheck.errors import UsageError

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def parse_size(text: str | None) -> int | None:
    """Bytes from 500M or 8G. Raises UsageError."""
    if text is None:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)i?B?", text.strip(), re.IGNORECASE)
    if not match:
        raise UsageError(f"{text} is not a size of memory: write bytes, or a number with K, M, G or T, such as 8G.")
    return int(float(match[1]) * _UNITS[match[2].upper()])
