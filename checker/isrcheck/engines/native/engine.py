"""The native engine as the others are asked: machine code for a model, and what it offers besides the search."""

from functools import cached_property

from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.native.checkpoint import Checkpointing, CheckpointRefused, search_key
from isrcheck.engines.native.codegen import program
from isrcheck.engines.native.graph import graph, states
from isrcheck.engines.native.lanes import TooWide, lane_bits
from isrcheck.engines.native.machine import Machine, machine_of, text_of
from isrcheck.engines.native.search import run
from isrcheck.engines.native.simulate import simulate
from isrcheck.errors import UsageError
from isrcheck.ir.scalar import Instance, Node, ScalarSystem
from isrcheck.passes import lower
from isrcheck.passes.bind import BoundModel

__all__ = ["NativePrepared", "graph", "prepare", "search", "simulate", "states"]


class NativePrepared:
    """A system with the program that searches it, compiled when it is first searched."""

    def __init__(
        self, system: ScalarSystem, properties: tuple[str, ...], symmetry: bool = False, hasty: bool = False
    ) -> None:
        self._system, self._hasty = system, hasty
        self._program = program(system, properties, symmetry)
        self.text = text_of(self._program)

    @cached_property
    def machine(self) -> Machine:
        """The machine code."""
        return machine_of(self._program, self.text, self._hasty)

    def search(self, request: Request) -> Searched:
        """Search for the properties that it was prepared for, or for none of them."""
        return run(self.machine, self._system, request, self._checkpointing(request))

    def _checkpointing(self, request: Request) -> Checkpointing | None:
        kept = request.checkpoint
        if kept is None:
            return None
        return Checkpointing(kept.directory, search_key(self.text, self._system, request), kept.seconds, kept.resume)


prepare = NativePrepared


def search(model: BoundModel, request: Request) -> Searched:
    """Explore a model in machine code. Raises UsageError, ModelError or FoundFault."""
    system = lower(model)
    try:
        prepared = NativePrepared(system, request.properties, request.symmetry)
    except TooWide as wide:
        raise _placed(wide, model, system) from None
    try:
        return prepared.search(request)
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
