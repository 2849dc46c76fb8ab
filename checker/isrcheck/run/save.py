"""Files saved with an outcome: its traces, and the certificate of an exhaustive run."""

import gzip
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from isrcheck.files import file_stem, write_aside
from isrcheck.ir.frozen import replace
from isrcheck.ir.pack import pack_scalars
from isrcheck.passes.bind import BoundModel, layout_of
from isrcheck.run.outcome import Outcome

_AT_ONCE = 1 << 16  # states: 0.1 seconds


def trace_file(folder: Path, model: str, name: str) -> Path:
    return folder / f"{file_stem(model)}-{name}.json"


def save_traces(outcome: Outcome, folder: Path) -> Outcome:
    """Writes each trace; the outcome then names the files."""
    saved = []
    for decided in outcome.properties:
        if decided.trace:
            file = trace_file(folder, outcome.model, decided.name)
            write_aside(file, decided.trace.to_json())
            decided = replace(decided, trace_file=str(file))
        saved.append(decided)
    return replace(outcome, properties=tuple(saved))


def save_states(outcome: Outcome, model: BoundModel, pieces: Iterable[bytes], directory: Path) -> Path:
    """Writes the certificate of a complete run; its packed states are sorted."""
    from isrcheck.certificate import STATES, save_certificate

    size = 8 * pack_scalars(layout_of(model)).words
    packed = b"".join(pieces)
    ordered = sorted(packed[start : start + size] for start in range(0, len(packed), size))
    counts = ("distinct", "generated", "depth", "pruned", "digest")
    body = {
        "constants": outcome.constants,
        "properties": {p.name: p.verdict.value for p in outcome.properties},
        "states": {name: getattr(outcome, name) for name in counts},
    }
    files = {STATES: _compress(ordered)}
    return save_certificate(directory, "states", outcome.model, model.ir, files, body)


def _compress(packed: Sequence[bytes]) -> bytes:
    """Compress in pieces, between which a signal and the clock are heard."""
    content = io.BytesIO()
    with gzip.GzipFile(fileobj=content, mode="wb", mtime=0) as file:
        for first in range(0, len(packed), _AT_ONCE):
            file.write(b"".join(packed[first : first + _AT_ONCE]))
    return content.getvalue()
