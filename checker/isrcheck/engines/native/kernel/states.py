"""States in batches: hashed, compared and expanded, and where a worker gets the next ones."""

from isrcheck.engines.native.dialect import U64s, at, prefetch, take
from isrcheck.engines.native.kernel import records
from isrcheck.engines.native.kernel.lanes import canonical
from isrcheck.engines.native.kernel.records import WORDS, Run, Worker


def scramble(words: U64s) -> int:
    """A quick hash for the table; nothing that a run reports depends on it."""
    h = 0
    for i in range(WORDS):
        h = (h ^ words[i]) * 0x9E3779B97F4A7C15
        h = h ^ (h >> 32)
    h = h * 0xD6E8FEB86659FD93
    return h ^ (h >> 29)


def scramble_all(run: Run, worker: Worker, states: U64s, count: int) -> None:
    """Hash states, and ask for the memory of their table entries."""
    table = run.table
    slots = run.slots
    hashes = worker.hashes
    for j in range(count):
        h = scramble(at(states, j * WORDS))
        hashes[j] = h
        prefetch(table, h & slots)


def same(a: U64s, b: U64s) -> bool:
    """Whether two states are equal."""
    difference = 0
    for i in range(WORDS):
        difference = difference | (a[i] ^ b[i])
    return difference == 0


def copy(target: U64s, source: U64s) -> None:
    """One state over another."""
    for i in range(WORDS):
        target[i] = source[i]


def expand(words: U64s, count: int, worker: Worker, counts: U64s) -> int:
    """Write the successors of a batch to the worker's buffers; returns how many."""
    records.enabled(words, count, worker.report, counts)
    successors = records.apply(words, worker.report, worker.successors, worker.marks)
    if records.SYMMETRIC != 0:
        canonical(worker.successors, successors)
    return successors


def next_unit(run: Run, worker: Worker) -> bool:
    """Take the next range of states, if there is one."""
    unit = take(run.next_unit, 0, 1)
    if unit >= run.unit_stop:
        return False
    worker.state = run.units[2 * unit]
    worker.state_end = run.units[2 * unit + 1]
    return True


def batch_size(worker: Worker) -> int:
    """How many states of the unit in hand come next."""
    left = worker.state_end - worker.state
    if left > records.BATCH:
        return records.BATCH
    return left


def next_batch(run: Run, worker: Worker) -> int:
    """How many states come next, of the unit in hand or else of another one; 0 when no unit is left."""
    if worker.state == worker.state_end and not next_unit(run, worker):
        return 0
    return batch_size(worker)
