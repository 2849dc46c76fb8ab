"""The certificate of an exhaustive run: every state that it visited, for `recheck.py` to go through again."""

import gzip
from collections.abc import Iterable
from pathlib import Path

from isrcheck.certificate import STATES, save_certificate
from isrcheck.ir.codec import codec
from isrcheck.ir.pack import packing
from isrcheck.passes.bind import BoundModel
from isrcheck.run.outcome import Outcome


def save_states(outcome: Outcome, model: BoundModel, pieces: Iterable[bytes], directory: Path) -> Path:
    """Writes the certificate of a complete run; `pieces` hold whole packed states, in any order.

    The states are sorted: the same graph makes the same file, whatever engine saw it and however many workers.
    """
    size = 8 * packing([s for name, domain in model.domains.items() for s in codec(domain).scalars(name)]).words
    whole = b"".join(pieces)
    ordered = sorted(whole[start : start + size] for start in range(0, len(whole), size))
    counts = ("distinct", "generated", "depth", "pruned", "digest")
    body = {
        "constants": outcome.constants,
        "properties": {p.name: p.verdict.value for p in outcome.properties},
        "states": {name: getattr(outcome, name) for name in counts},
    }
    files = {STATES: gzip.compress(b"".join(ordered), mtime=0)}
    return save_certificate(directory, "states", outcome.model, model.ir, files, body)
