"""States of a checkpoint: each in its domain, canonical and there once; and the steps that they can take."""

from isrcheck.engines.native.dialect import U64s, acquire, at, publish
from isrcheck.engines.native.kernel.levels import notice
from isrcheck.engines.native.kernel.records import (
    ACTIONS,
    DONE,
    STATE_TARGETS,
    SYMMETRIC,
    TARGETS,
    WORDS,
    Run,
    Worker,
    canonical,
    enabled,
)
from isrcheck.engines.native.kernel.states import batch_size, copy, next_unit, same, scramble


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


def enter(run: Run, state: U64s, index: int) -> bool:
    """Enter a state into the table, unless it is there."""
    h = scramble(state)
    tag = (h >> 32) & (run.index_mask ^ 0xFFFFFFFF)
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
    """Enter kept states into the table, marked as not reached yet, and count those that cannot have been written."""
    while True:
        if worker.state == worker.state_end and not next_unit(run, worker):
            return DONE
        count = batch_size(worker)
        if SYMMETRIC != 0:
            for j in range(count):
                copy(at(worker.successors, j * WORDS), at(run.states, (worker.state + j) * WORDS))
            canonical(worker.successors, count)
        for j in range(count):
            state = at(run.states, (worker.state + j) * WORDS)
            if not enter(run, state, worker.state + j) or not inside(run, state):
                worker.amiss = worker.amiss + 1
            if SYMMETRIC != 0 and not same(at(worker.successors, j * WORDS), state):
                worker.amiss = worker.amiss + 1
            run.marks[worker.state + j] = ACTIONS + 1
        worker.state = worker.state + count


def recount(run: Run, worker: Worker) -> int:
    """Count the steps of states, and remember which targets are seen in taking them."""
    while True:
        if worker.state == worker.state_end and not next_unit(run, worker):
            return DONE
        count = batch_size(worker)
        enabled(at(run.states, worker.state * WORDS), count, worker.report, worker.counts)
        notice(worker, STATE_TARGETS, TARGETS)
        worker.state = worker.state + count
