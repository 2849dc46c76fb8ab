"""The native engine with its states on disk: what it is asked, and what it refuses."""

from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

from isrcheck.engines.common.symmetry import check_graph
from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.native.disk.directory import DiskDirectory
from isrcheck.engines.native.disk.memory import MemoryPlan, memory_plan
from isrcheck.engines.native.disk.search import DiskSearch
from isrcheck.engines.native.kept_directory import CheckpointRefused, search_key
from isrcheck.engines.native.lowered import Lowered
from isrcheck.engines.native.machine import Machine
from isrcheck.engines.native.workers import WorkerPool
from isrcheck.errors import UsageError
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.passes import lower
from isrcheck.passes.bind import BoundModel, refuse_several


def search(model: BoundModel, directory: Path, request: Request) -> Searched:
    """Explore a model with its levels in this directory. Raises UsageError, ModelError or FoundFault."""
    ir = model.ir
    refuse_several(ir.name, 1 + len(model.others), "a search on disk begins in one")
    if ir.constraints:
        raise UsageError(f"{ir.name} has constraints, with which no search is kept on disk: leave --disk out.")
    system = lower(model, request.properties)
    if request.symmetry:
        check_graph(system, request.properties)
    try:
        return explore(system, directory, request)
    except CheckpointRefused as refused:
        raise UsageError(f"{refused}.") from None


def explore(
    system: ScalarSystem, directory: Path, request: Request, plan: Callable[[WorkerPool], MemoryPlan] | None = None
) -> Searched:
    """Search a system; `plan` says how memory is divided. Raises UsageError, FoundFault, TooWide, CheckpointRefused."""
    lowered = Lowered.of(system, request.properties, request.symmetry, on_disk=True)
    machine = Machine(lowered.program, lowered.ir)
    chosen = plan or partial(memory_plan, request.limits.memory)
    with (
        closing(DiskDirectory(directory, search_key(lowered.ir, system, request))) as kept,
        closing(DiskSearch(machine, system, request, kept, chosen)) as search,
    ):
        return search.run()
