"""Small bar charts: where each bar stands, for the template to draw."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 420, 110  # units of the drawing of states by depth
_LEAST = 1.0  # no bar is so small that it is not seen


@dataclass(frozen=True)
class Bar:
    """One bar of an upright chart, and what it says."""

    x: float
    y: float
    width: float
    height: float
    text: str


@dataclass(frozen=True)
class Upright:
    """States by depth, the first depth on the left. `peak` is the tallest bar's count and `at` its depth."""

    bars: tuple[Bar, ...]
    peak: int
    at: int


def by_depth(levels: Sequence[int]) -> Upright | None:
    """The chart of states by depth; None where no level is known."""
    if not levels:
        return None
    peak, each = max(levels), WIDTH / len(levels)
    gap = min(2.0, each / 5)
    bars = []
    for place, count in enumerate(levels):
        height = max(_LEAST, HEIGHT * count / peak)
        text = f"depth {place + 1}: {count:,} state{'' if count == 1 else 's'}"
        bars.append(
            Bar(round(place * each, 2), round(HEIGHT - height, 2), round(each - gap, 2), round(height, 2), text)
        )
    return Upright(tuple(bars), peak, levels.index(peak) + 1)


def share(value: float, most: float) -> float:
    """How long a lying bar is, from 0 to 100; what is there at all is seen."""
    return 0.0 if value <= 0 or most <= 0 else round(max(_LEAST, 100 * value / most), 2)
