"""The table of indices: filled anew where it was too small, and asked for one state."""

from isrcheck.engines.native.dialect import U64s, acquire, at, prefetch, publish
from isrcheck.engines.native.kernel.records import DONE, REFILL, WORDS, Run, Worker
from isrcheck.engines.native.kernel.states import next_unit, same, scramble


def refill(run: Run, worker: Worker) -> int:
    """Enter states that are known to be distinct into a new table."""
    table = run.table
    slots = run.slots
    while True:
        if worker.state == worker.state_end and not next_unit(run, worker):
            return DONE
        count = worker.state_end - worker.state
        if count > REFILL:
            count = REFILL
        for j in range(count):
            h = scramble(at(run.states, (worker.state + j) * WORDS))
            worker.hashes[j] = h
            prefetch(table, h & slots)
        for j in range(count):
            h = worker.hashes[j]
            entry = ((h >> 32) & (run.index_mask ^ 0xFFFFFFFF)) | (worker.state + j + 1)
            slot = h & slots
            if run.shared == 0:
                while table[slot] != 0:
                    slot = (slot + 1) & slots
                table[slot] = entry
            else:
                while acquire(table, slot) != 0 or not publish(table, slot, 0, entry):
                    slot = (slot + 1) & slots
        worker.state = worker.state + count


def find(run: Run, state: U64s) -> int:
    """The index of a state plus 1, or 0 if it is not there."""
    h = scramble(state)
    slot = h & run.slots
    while True:
        entry = run.table[slot]
        if entry == 0:
            return 0
        index = entry & run.index_mask
        if same(at(run.states, (index - 1) * WORDS), state):
            return index
        slot = (slot + 1) & run.slots
