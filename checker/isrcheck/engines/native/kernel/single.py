"""One state in a worker's buffer: entered, followed, made canonical, located."""

from isrcheck.engines.native.dialect import at
from isrcheck.engines.native.kernel.insertion import insert_batch
from isrcheck.engines.native.kernel.records import (
    BATCH,
    DONE,
    INSTANCES,
    SYMMETRIC,
    WORDS,
    Run,
    Worker,
    apply,
    canonical,
    enabled,
)
from isrcheck.engines.native.kernel.table import find


def insert_initial(run: Run, worker: Worker) -> int:
    """Enter the state that lies in the worker's buffer."""
    worker.marks[0] = 0
    insert_batch(run, worker, 1)
    return DONE


def follow(run: Run, worker: Worker) -> int:
    """Write the successors of the state at the end of the worker's buffer, as they are; returns how many."""
    state = at(worker.successors, BATCH * INSTANCES * WORDS)
    enabled(state, 1, worker.report, worker.spare_counts)
    return apply(state, worker.report, worker.successors, worker.marks)


def canonicalize(run: Run, worker: Worker) -> int:
    """Make the first state of the worker's buffer canonical."""
    if SYMMETRIC != 0:
        canonical(worker.successors, 1)
    return DONE


def locate(run: Run, worker: Worker) -> int:
    """The index, plus 1, of the first state of the worker's buffer."""
    return find(run, worker.successors)
