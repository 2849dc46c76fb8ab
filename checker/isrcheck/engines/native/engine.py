"""The native engine as the others are asked: a bound model in, an exploration out."""

import hashlib

from isrcheck.engines.contract import Exploration, Request
from isrcheck.engines.native.checkpoint import Checkpointing, CheckpointRefused
from isrcheck.engines.native.lanes import TooWide, lane_bits
from isrcheck.engines.native.machine import machine, text_of
from isrcheck.engines.native.search import run
from isrcheck.errors import UsageError
from isrcheck.ir.scalar import Instance, Node, ScalarSystem
from isrcheck.passes import lower
from isrcheck.passes.bind import BoundModel


def search(model: BoundModel, request: Request) -> Exploration:
    """Explore a model in machine code. Raises UsageError, ModelError or FoundFault."""
    system = lower(model)
    try:
        compiled = machine(system, request.properties, request.symmetry)
    except TooWide as wide:
        raise _placed(wide, model, system) from None
    try:
        return run(compiled, system, request, _checkpointing(text_of(compiled.program, system), system, request))
    except CheckpointRefused as refused:
        raise UsageError(f"{refused}.") from None


def _placed(wide: TooWide, model: BoundModel, system: ScalarSystem) -> TooWide:
    """The same at the first action or property whose values alone are too wide, else at the model."""
    at_of = {p.name: p.at for p in model.ir.properties}
    parts = [(model.ir.actions[i.action].at, _of_instance(i)) for i in system.instances]
    parts += [(at_of[p.name], [c.node for c in p.conditions]) for p in system.properties if p.name in at_of]
    for at, nodes in parts:
        try:
            lane_bits(nodes)
        except TooWide as own:
            return TooWide(own.low, own.high, at)
    return TooWide(wide.low, wide.high, model.ir.at)


def _of_instance(instance: Instance) -> list[Node]:
    return [instance.guard, instance.pruned, *(node for _, node in instance.updates)]


def _checkpointing(text: str, system: ScalarSystem, request: Request) -> Checkpointing | None:
    kept = request.checkpoint
    if kept is None:
        return None
    whole = hashlib.sha256(text.encode())
    whole.update(repr((system.initial, system.scalars, request.properties, request.deadlock)).encode())
    return Checkpointing(kept.directory, whole.hexdigest(), kept.seconds, kept.resume)
