"""The table of indices: asked for one state, given new ones, and filled again when a larger one takes its place.

States lie in one array, level after level. The table has open addressing: an entry is 0 or a state's index plus 1,
and above it a tag of the state's hash; two states are the same only if all their words are. With several workers an
entry is published only after its state was written.
"""

from isrcheck.engines.native.dialect import U64s, acquire, at, prefetch, publish, take
from isrcheck.engines.native.kernel import records
from isrcheck.engines.native.kernel.records import DONE, REFILL, WORDS, Marks, Run, Worker
from isrcheck.engines.native.kernel.states import canonical, same, scramble, scramble_all
from isrcheck.engines.native.kernel.units import batch_size, copy, next_unit


def tag_of(run: Run, h: int) -> int:
    """Hash bits above an index's bits."""
    return (h >> 32) & (run.index_mask ^ 0xFFFFFFFF)


def refill(run: Run, worker: Worker) -> int:
    """Insert the states of the worker's units, which are known to be distinct."""
    table = run.table
    slots = run.slots
    while worker.state != worker.state_end or next_unit(run, worker):
        count = batch_size(worker, REFILL)
        scramble_all(run, worker, at(run.states, worker.state * WORDS), count)
        for j in range(count):
            h = worker.hashes[j]
            cell = tag_of(run, h) | (worker.state + j + 1)
            slot = h & slots
            if run.shared == 0:
                while table[slot] != 0:
                    slot = (slot + 1) & slots
                table[slot] = cell
            else:
                while acquire(table, slot) != 0 or not publish(table, slot, 0, cell):
                    slot = (slot + 1) & slots
        worker.state = worker.state + count
    return DONE


def find(run: Run, state: U64s, h: int) -> int:
    """The index of a state plus 1, or 0 if it is not there; most often its tag decides."""
    tag = tag_of(run, h)
    slot = h & run.slots
    while True:
        cell = run.table[slot]
        if cell == 0:
            return 0
        if (cell ^ tag) & (run.index_mask ^ 0xFFFFFFFF) == 0:
            index = cell & run.index_mask
            if same(at(run.states, (index - 1) * WORDS), state):
                return index
        slot = (slot + 1) & run.slots


def look_ahead(run: Run, worker: Worker, count: int) -> None:
    """Prefetch the memory that a look-up of successors reads: entries, then the states that they may equal."""
    table = run.table
    slots = run.slots
    index_mask = run.index_mask
    states = run.states
    marks = run.marks
    fresh = run.fresh
    hashes = worker.hashes
    scramble_all(run, worker, worker.successors, count)
    for j in range(count):
        h = hashes[j]
        cell = table[h & slots]
        if cell != 0:
            index = (cell & index_mask) - 1
            prefetch(states, index * WORDS)
            if index >= fresh:
                prefetch(marks, index)


def new_index(run: Run, worker: Worker) -> int:
    if worker.index == worker.index_end:
        worker.index = take(run.next_block, 0, run.block_size)
        worker.index_end = worker.index + run.block_size
    return worker.index


def lower_mark(marks: Marks, index: int, mark: int, shared: int) -> None:
    if shared == 0:
        if mark < marks[index]:
            marks[index] = mark
        return
    while True:
        old = acquire(marks, index)
        if old <= mark:
            return
        if publish(marks, index, old, mark):
            return


def insert(run: Run, worker: Worker, j: int, shared: int) -> None:
    """Look one successor up; a new state is stored, a state of the newest level keeps its least action."""
    table = run.table
    slots = run.slots
    index_mask = run.index_mask
    states = run.states
    h = worker.hashes[j]
    slot = h & slots
    tag = tag_of(run, h)
    state = at(worker.successors, j * WORDS)
    mark = worker.marks[j]
    while True:
        cell = acquire(table, slot)
        if cell == 0:
            index = new_index(run, worker)
            copy(at(states, index * WORDS), state)
            run.marks[index] = mark
            if shared == 0:
                table[slot] = tag | (index + 1)
            else:
                if not publish(table, slot, 0, tag | (index + 1)):
                    continue
            worker.index = index + 1
            worker.distinct = worker.distinct + 1
            return
        if (cell ^ tag) & (index_mask ^ 0xFFFFFFFF) == 0:
            index = (cell & index_mask) - 1
            if same(at(states, index * WORDS), state):
                if index >= run.fresh:
                    lower_mark(run.marks, index, mark, shared)
                return
        slot = (slot + 1) & slots


def insert_batch(run: Run, worker: Worker, count: int) -> None:
    look_ahead(run, worker, count)
    if run.shared == 0:
        for j in range(count):
            insert(run, worker, j, 0)
    else:
        for j in range(count):
            insert(run, worker, j, 1)


def insert_initial(run: Run, worker: Worker) -> int:
    """Insert the state in the buffer."""
    worker.marks[0] = 0
    insert_batch(run, worker, 1)
    return records.DONE


def follow(run: Run, worker: Worker) -> int:
    """Write the successors of the state at the end of the buffer, not canonical; returns how many."""
    state = at(worker.successors, records.BATCH * records.INSTANCES * records.WORDS)
    records.report_steps(state, 1, worker.report, worker.spare_counts)
    return records.apply(state, worker.report, worker.successors, worker.marks)


def canonicalize(run: Run, worker: Worker) -> int:
    """Replace the buffer's first state by its canonical representative."""
    if records.SYMMETRIC != 0:
        canonical(worker.successors, 1)
    return records.DONE


def locate(run: Run, worker: Worker) -> int:
    """The index, plus 1, of the first state of the worker's buffer; 0 if it is not stored."""
    return find(run, worker.successors, scramble(worker.successors))
