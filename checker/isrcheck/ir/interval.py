"""Intervals of integers that may have no end: the arithmetic behind bounds and behind what a node can be.

An end that is not there is `ENDLESS` (or -ENDLESS), an int far above every number that a bounded system makes, so that
plain comparisons are right. What comes near it is set to it: sums and products of endless ends are endless again, and
a product with 0 is 0.
"""

from typing import Final

ENDLESS: Final = 1 << 200
_NEAR: Final = 1 << 199

Interval = tuple[int, int]


def end(number: int) -> int:
    return ENDLESS if number >= _NEAR else -ENDLESS if number <= -_NEAR else number


def is_endless(number: int) -> bool:
    return abs(number) >= _NEAR


def add(a: Interval, b: Interval) -> Interval:
    return end(a[0] + b[0]), end(a[1] + b[1])


def sub(a: Interval, b: Interval) -> Interval:
    return end(a[0] - b[1]), end(a[1] - b[0])


def mul(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in a for y in b]
    return end(min(corners)), end(max(corners))


def floordiv(a: Interval, by: int) -> Interval:
    """By a positive number."""
    low, high = (x if is_endless(x) else x // by for x in a)
    return low, high


def least(a: Interval, b: Interval) -> Interval:
    return min(a[0], b[0]), min(a[1], b[1])


def greatest(a: Interval, b: Interval) -> Interval:
    return max(a[0], b[0]), max(a[1], b[1])
