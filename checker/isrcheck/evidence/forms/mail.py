"""Messages that arrive further down in a drawing than they leave: each waits in a track between the lanes."""

from collections.abc import Iterable

from isrcheck.evidence.forms.row import SceneRow, Shot

FIRST, APART, MOST = 7, 6, 5  # pixels from a lane to its first track and from one to the next; then tracks are shared

Key = tuple[int, int, bool]  # the step in which messages leave, the lane that sends them, and whether to the right


class Mail:
    """The messages of some rows that arrive later than they leave; those that leave together share a track."""

    def __init__(self, rows: Iterable[SceneRow] = ()) -> None:
        self._last: dict[Key, int] = {}  # the row in which the last of them arrives
        for row in rows:
            if row.shot and row.shot.sent is not None:
                self._last[_key(row.shot)] = row.number
        self._tracks = dict(self._laid_out())
        self._leaving: dict[int, list[tuple[int, bool]]] = {}
        for number, source, is_right in self._tracks:
            self._leaving.setdefault(number, []).append((source, is_right))
        self._starts: dict[Key, tuple[float, float]] = {}
        self._ends: dict[Key, float] = {}

    def _laid_out(self) -> Iterable[tuple[Key, int]]:
        """The first free track for each, by when they leave."""
        until: dict[tuple[int, bool], list[int]] = {}
        for key in sorted(self._last):
            busy = until.setdefault(key[1:], [])
            track = next((n for n, end in enumerate(busy) if end < key[0]), len(busy))
            busy[track : track + 1] = [self._last[key]]
            yield key, track % MOST

    @property
    def room(self) -> int:
        """How many pixels the lanes have to move apart."""
        return APART * max(self._tracks.values(), default=0) + (FIRST if self._tracks else 0)

    def has(self, shot: Shot) -> bool:
        """Whether a message has waited."""
        return shot.sent is not None and _key(shot) in self._tracks

    def leaves(self, number: int) -> list[tuple[int, bool]]:
        """The lanes from which messages leave in a row, and whether to the right."""
        return self._leaving.get(number, [])

    def track(self, number: int, source: int, is_right: bool) -> int:
        """How many pixels from the lane the messages of a row wait."""
        return FIRST + APART * self._tracks[number, source, is_right]

    def starts(self, number: int, source: int, is_right: bool, x: float, y: float) -> None:
        """Notes where messages begin to wait."""
        self._starts[number, source, is_right] = x, y

    def ends(self, shot: Shot, y: float) -> None:
        """Notes where a message has arrived."""
        self._ends[_key(shot)] = y

    def lines(self) -> list[str]:
        """The tracks, from where messages leave to where the last of them arrives."""
        return [
            f'<line x1="{x:g}" y1="{y:g}" x2="{x:g}" y2="{self._ends[key]:g}" class="shot"/>'
            for key, (x, y) in self._starts.items()
            if key in self._ends
        ]


def _key(shot: Shot) -> Key:
    assert shot.sent is not None
    return shot.sent, shot.source, shot.target > shot.source
