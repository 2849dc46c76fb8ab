"""Messages wait in tracks between lanes."""

from collections.abc import Iterable
from typing import NamedTuple

from isrcheck.evidence.forms.row import SceneRow, Shot

FIRST = 7  # pixels to the first track
APART = 6  # pixels between tracks
MOST = 5  # tracks; more are shared


class Departure(NamedTuple):
    """Messages that leave together."""

    number: int
    source: int
    is_right: bool


class Mail:
    """The messages that arrive later than they leave; those that leave together share a track.

    Whoever draws them notes in `starts` where each begins to wait, and in `ends` where the last has arrived.
    """

    def __init__(self, rows: Iterable[SceneRow] = ()) -> None:
        last = {_departure(row.shot): row.number for row in rows if row.shot and row.shot.sent is not None}
        self._tracks: dict[Departure, int] = {}
        self.leaving: dict[int, list[Departure]] = {}  # by row
        until: dict[tuple[int, bool], list[int]] = {}
        for key in sorted(last):
            busy = until.setdefault(key[1:], [])
            track = next((n for n, end in enumerate(busy) if end < key.number), len(busy))  # the first that is free
            busy[track : track + 1] = [last[key]]
            self._tracks[key] = track % MOST
            self.leaving.setdefault(key.number, []).append(key)
        self.starts: dict[Departure, tuple[float, float]] = {}
        self.ends: dict[Departure, float] = {}

    @property
    def room(self) -> int:
        return APART * max(self._tracks.values(), default=0) + (FIRST if self._tracks else 0)

    def departure(self, shot: Shot) -> Departure | None:
        key = None if shot.sent is None else _departure(shot)
        return key if key in self._tracks else None

    def track(self, key: Departure) -> int:
        return FIRST + APART * self._tracks[key]

    def lines(self) -> list[str]:
        return [
            f'<line x1="{x:g}" y1="{y:g}" x2="{x:g}" y2="{self.ends[key]:g}" class="shot"/>'
            for key, (x, y) in self.starts.items()
            if key in self.ends
        ]


def _departure(shot: Shot) -> Departure:
    assert shot.sent is not None
    return Departure(shot.sent, shot.source, shot.target > shot.source)
