"""How long cells took the last time, kept beside the compiled models, so that the longest begin first."""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from isrcheck.errors import UsageError
from isrcheck.files import write_aside
from isrcheck.gate.cells import GateCell
from isrcheck.user_cache import user_cache

_MOST = 20_000  # cells remembered
_STARTUP, _STATES_A_SECOND, _SLOWER = 0.5, 1_000_000.0, 100.0  # where nothing is remembered


def key(cell: GateCell) -> str:
    """What a cell's time is remembered by."""
    return f"{cell.name} {cell.terms.engine}{' symmetry' if cell.terms.symmetry else ''} {','.join(cell.properties)}"


def times_file() -> Path:
    """Where times are kept."""
    return user_cache().path / "gate-times.json"


def recorded() -> dict[str, float]:
    """Seconds by key; none where the file is missing or damaged."""
    try:
        data = json.loads(times_file().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(data, dict):
        return {}
    return {str(k): float(v) for k, v in data.items() if isinstance(v, int | float) and 0 <= v < 1e7}


def record(times: Mapping[str, float]) -> None:
    """Add these times to those that are kept; a directory that cannot be written is not an error."""
    kept = {**recorded(), **{name: round(seconds, 3) for name, seconds in times.items()}}
    newest = dict(list(kept.items())[-_MOST:])
    with suppress(UsageError):
        write_aside(times_file(), json.dumps(newest, indent=0))


def estimate(cell: GateCell, known: Mapping[str, float]) -> float:
    """Seconds that a cell is likely to take: those of the last time, else a guess from the size of its state."""
    if key(cell) in known:
        return known[key(cell)]
    states: float = 2.0 ** min((cell.bits or 0) / 3, 60)
    slower = 1.0 if cell.terms.engine == "native" else _SLOWER
    return _STARTUP + min(states * slower / _STATES_A_SECOND, cell.limits.seconds or 300.0)


def longest_first(cells: Iterable[GateCell], known: Mapping[str, float]) -> list[GateCell]:
    """The cells in the order in which they begin."""
    return sorted(cells, key=lambda cell: -estimate(cell, known))
