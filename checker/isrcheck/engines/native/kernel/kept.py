"""States of a checkpoint: each in its domain, canonical and there once; and the steps that they can take."""

from isrcheck.engines.native.dialect import U64s, acquire, at, publish
from isrcheck.engines.native.kernel import records
from isrcheck.engines.native.kernel.lanes import canonical
from isrcheck.engines.native.kernel.levels import record_targets
from isrcheck.engines.native.kernel.records import WORDS, Run, Worker
from isrcheck.engines.native.kernel.states import copy, next_batch, same, scramble
from isrcheck.engines.native.kernel.table import tag_of


def inside(run: Run, state: U64s) -> bool:
    """Whether every scalar has a value of its domain, and no other bit is set."""
    for word in range(WORDS):
        if state[word] & run.spare_bits[word] != 0:
            return False
    for field in range(run.field_count):
        first = 4 * field
        value = (state[run.fields[first]] >> run.fields[first + 1]) & run.fields[first + 2]
        if value >= run.fields[first + 3]:
            return False
    return True


def insert_kept(run: Run, state: U64s, index: int) -> bool:
    """Insert a state of the array into the table, unless it is there."""
    h = scramble(state)
    tag = tag_of(run, h)
    slot = h & run.slots
    while True:
        entry = acquire(run.table, slot)
        if entry == 0:
            if publish(run.table, slot, 0, tag | (index + 1)):
                return True
            continue
        kept = at(run.states, ((entry & run.index_mask) - 1) * WORDS)
        if (entry ^ tag) & (run.index_mask ^ 0xFFFFFFFF) == 0 and same(kept, state):
            return False
        slot = (slot + 1) & run.slots


def admit(run: Run, worker: Worker) -> int:
    """Insert kept states into the table, marked as not reached yet, and count those that cannot have been written."""
    while count := next_batch(run, worker):
        if records.SYMMETRIC != 0:
            for j in range(count):
                copy(at(worker.successors, j * WORDS), at(run.states, (worker.state + j) * WORDS))
            canonical(worker.successors, count)
        for j in range(count):
            state = at(run.states, (worker.state + j) * WORDS)
            if not insert_kept(run, state, worker.state + j) or not inside(run, state):
                worker.amiss = worker.amiss + 1
            if records.SYMMETRIC != 0 and not same(at(worker.successors, j * WORDS), state):
                worker.amiss = worker.amiss + 1
            run.marks[worker.state + j] = records.ACTIONS + 1
        worker.state = worker.state + count
    return records.DONE


def recount(run: Run, worker: Worker) -> int:
    """Count the steps of states, and remember which targets are seen in taking them."""
    while count := next_batch(run, worker):
        records.enabled(at(run.states, worker.state * WORDS), count, worker.report, worker.counts)
        record_targets(worker, records.STATE_TARGETS, records.TARGETS)
        worker.state = worker.state + count
    return records.DONE
