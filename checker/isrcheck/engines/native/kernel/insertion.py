"""Successors looked up in the table: a new one gets an index, one of the newest level keeps its least action."""

from isrcheck.engines.native.dialect import acquire, at, prefetch, publish, take
from isrcheck.engines.native.kernel.records import WORDS, Marks, Run, Worker
from isrcheck.engines.native.kernel.states import copy, same, scramble_all
from isrcheck.engines.native.kernel.table import tag_of


def look_ahead(run: Run, worker: Worker, count: int) -> None:
    """Ask for the memory that looking up the successors will need: entries first, then the states they may equal."""
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
        entry = table[h & slots]
        if entry != 0:
            index = (entry & index_mask) - 1
            prefetch(states, index * WORDS)
            if index >= fresh:
                prefetch(marks, index)


def new_index(run: Run, worker: Worker) -> int:
    """A free place for a state."""
    if worker.index == worker.index_end:
        worker.index = take(run.next_block, 0, run.block_size)
        worker.index_end = worker.index + run.block_size
    return worker.index


def lower_mark(marks: Marks, index: int, mark: int, shared: int) -> None:
    """Keep the least mark of a state."""
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
        entry = acquire(table, slot)
        if entry == 0:
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
        if (entry ^ tag) & (index_mask ^ 0xFFFFFFFF) == 0:
            index = (entry & index_mask) - 1
            if same(at(states, index * WORDS), state):
                if index >= run.fresh:
                    lower_mark(run.marks, index, mark, shared)
                return
        slot = (slot + 1) & slots


def insert_batch(run: Run, worker: Worker, count: int) -> None:
    """Look all successors of a batch up."""
    look_ahead(run, worker, count)
    if run.shared == 0:
        for j in range(count):
            insert(run, worker, j, 0)
    else:
        for j in range(count):
            insert(run, worker, j, 1)
