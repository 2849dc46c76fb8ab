"""Sizes of memory and lengths of time."""

import re

from isrcheck.errors import UsageError

_BYTES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}


def parse_size(size: str) -> int:
    """Bytes from a size such as 500M or 8G. Raises UsageError."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)i?B?", size.strip(), re.IGNORECASE)
    if not match:
        raise UsageError(f"{size} is not a size of memory: write bytes, or a number with K, M, G or T, such as 8G.")
    return int(float(match[1]) * _BYTES[match[2].upper()])


def parse_duration(duration: str) -> float:
    """Seconds from a duration such as 60s or 5m. Raises UsageError."""
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)\s*([smh]?)", duration.strip(), re.ASCII)
    if not match or not float(match[1]):
        raise UsageError(f"{duration} is not a length of time: write seconds, or a number with s, m or h, such as 60s.")
    return float(match[1]) * _SECONDS[match[2]]
