"""Searches on disk with little memory, so that small graphs take every path of runs and merges."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.native.systems import timeless

from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.native.disk import memory, search
from isrcheck.engines.native.disk.memory import MemoryPlan
from isrcheck.engines.native.disk.search import explore
from isrcheck.engines.native.workers import WorkerPool
from isrcheck.ir.scalar import ScalarSystem

FEW_FILES = 4
Planning = Callable[[WorkerPool], MemoryPlan]


def little(block: int = 3, piece: int = 50, merged: int = 5, batches: int = 1) -> Planning:
    """Blocks of so many states, pieces of so many bytes, and a buffer for `batches` of successors a worker."""

    def plan(pool: WorkerPool) -> MemoryPlan:
        workers = len(pool.workers)
        capacity = workers * (batches * pool.machine.largest_batch + 2 * memory._WORKER_BLOCK)
        return MemoryPlan(block, piece, merged, capacity, 1 << (2 * capacity).bit_length())

    return plan


@pytest.fixture
def tight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few files at once, and every level shared by all workers."""
    monkeypatch.setattr(search, "FILES", FEW_FILES)
    monkeypatch.setattr(search, "_ALONE_BELOW", 1)
    monkeypatch.setattr(memory, "_WORKER_BLOCK", 2)


def on_disk(
    system: ScalarSystem, request: Request, directory: Path | None = None, plan: Planning | None = None
) -> Searched:
    """A search in a directory, of its own if none is given."""
    if directory is not None:
        return timeless(explore(system, directory, request, plan or little()))
    with TemporaryDirectory() as folder:
        return timeless(explore(system, Path(folder), request, plan or little()))
