"""The native engine as the others are asked: a bound model in, an exploration out."""

import hashlib

from isrcheck.engines.contract import Exploration, Request
from isrcheck.engines.native.checkpoint import Checkpointing, CheckpointRefused
from isrcheck.engines.native.machine import machine, text_of
from isrcheck.engines.native.search import run
from isrcheck.errors import UsageError
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.passes import lower
from isrcheck.passes.bind import BoundModel


def search(model: BoundModel, request: Request) -> Exploration:
    """Explore a model in machine code. Raises UsageError, ModelError or FoundFault."""
    system = lower(model)
    compiled = machine(system, request.properties, request.symmetry)
    try:
        return run(compiled, system, request, _checkpointing(text_of(compiled.program, system), system, request))
    except CheckpointRefused as refused:
        raise UsageError(f"{refused}.") from None


def _checkpointing(text: str, system: ScalarSystem, request: Request) -> Checkpointing | None:
    kept = request.checkpoint
    if kept is None:
        return None
    whole = hashlib.sha256(text.encode())
    whole.update(repr((system.initial, system.scalars, request.properties, request.deadlock)).encode())
    return Checkpointing(kept.directory, whole.hexdigest(), kept.seconds, kept.resume)
