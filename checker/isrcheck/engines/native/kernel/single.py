"""One state in a worker's buffer: inserted, expanded, made canonical, located."""

from isrcheck.engines.native.dialect import at
from isrcheck.engines.native.kernel import records
from isrcheck.engines.native.kernel.insertion import insert_batch
from isrcheck.engines.native.kernel.lanes import canonical
from isrcheck.engines.native.kernel.records import Run, Worker
from isrcheck.engines.native.kernel.states import scramble
from isrcheck.engines.native.kernel.table import find


def insert_initial(run: Run, worker: Worker) -> int:
    """Insert the state that lies in the worker's buffer."""
    worker.marks[0] = 0
    insert_batch(run, worker, 1)
    return records.DONE


def follow(run: Run, worker: Worker) -> int:
    """Write the successors of the state at the end of the worker's buffer, not made canonical; returns how many."""
    state = at(worker.successors, records.BATCH * records.INSTANCES * records.WORDS)
    records.enabled(state, 1, worker.report, worker.spare_counts)
    return records.apply(state, worker.report, worker.successors, worker.marks)


def canonicalize(run: Run, worker: Worker) -> int:
    """Make the first state of the worker's buffer canonical."""
    if records.SYMMETRIC != 0:
        canonical(worker.successors, 1)
    return records.DONE


def locate(run: Run, worker: Worker) -> int:
    """The index, plus 1, of the first state of the worker's buffer; 0 if it is not stored."""
    return find(run, worker.successors, scramble(worker.successors))
