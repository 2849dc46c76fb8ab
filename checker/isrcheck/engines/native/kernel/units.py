"""The units and batches of states that a worker takes next."""

from isrcheck.engines.native.dialect import U64s, take
from isrcheck.engines.native.kernel.records import BATCH, WORDS, Run, Worker


def copy(target: U64s, source: U64s) -> None:
    for i in range(WORDS):
        target[i] = source[i]


def next_unit(run: Run, worker: Worker) -> bool:
    """Take the next unit of work for a worker; return whether there was one."""
    unit = take(run.next_unit, 0, 1)
    if unit >= run.unit_stop:
        return False
    worker.state = run.units[2 * unit]
    worker.state_end = run.units[2 * unit + 1]
    return True


def batch_size(worker: Worker, most: int) -> int:
    """How much of the unit comes next."""
    left = worker.state_end - worker.state
    if left > most:
        return most
    return left


def next_batch(run: Run, worker: Worker) -> int:
    """How many states come next, of the unit in hand or else of another one; 0 when no unit is left."""
    if worker.state == worker.state_end and not next_unit(run, worker):
        return 0
    return batch_size(worker, BATCH)
