"""The table of indices: filled again when a larger one takes its place, and asked for one state."""

from isrcheck.engines.native.dialect import U64s, acquire, at, publish
from isrcheck.engines.native.kernel.records import DONE, REFILL, WORDS, Run, Worker
from isrcheck.engines.native.kernel.states import next_unit, same, scramble_all


def tag_of(run: Run, h: int) -> int:
    """The bits of an entry above its index: they come from the state's hash."""
    return (h >> 32) & (run.index_mask ^ 0xFFFFFFFF)


def refill(run: Run, worker: Worker) -> int:
    """Insert states that are known to be distinct into a new table."""
    table = run.table
    slots = run.slots
    while worker.state != worker.state_end or next_unit(run, worker):
        count = worker.state_end - worker.state
        if count > REFILL:
            count = REFILL
        scramble_all(run, worker, at(run.states, worker.state * WORDS), count)
        for j in range(count):
            h = worker.hashes[j]
            entry = tag_of(run, h) | (worker.state + j + 1)
            slot = h & slots
            if run.shared == 0:
                while table[slot] != 0:
                    slot = (slot + 1) & slots
                table[slot] = entry
            else:
                while acquire(table, slot) != 0 or not publish(table, slot, 0, entry):
                    slot = (slot + 1) & slots
        worker.state = worker.state + count
    return DONE


def find(run: Run, state: U64s, h: int) -> int:
    """The index of a state plus 1, or 0 if it is not there; where another state lies its tag tells most often."""
    tag = tag_of(run, h)
    slot = h & run.slots
    while True:
        entry = run.table[slot]
        if entry == 0:
            return 0
        if (entry ^ tag) & (run.index_mask ^ 0xFFFFFFFF) == 0:
            index = entry & run.index_mask
            if same(at(run.states, (index - 1) * WORDS), state):
                return index
        slot = (slot + 1) & run.slots
