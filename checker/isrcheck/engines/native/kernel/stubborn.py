"""Levels of which stubborn sets alone are expanded: partial-order reduction (docs/adr/034).

After the targets a report says of each literal in which states it is false, the last one everywhere. A set of instances
is `SETS` words. Which steps are taken hangs on a state and on the levels up to its own, never on another worker.
"""

from isrcheck.engines.native.dialect import U64s, acquire, at, bits, lowest_bit
from isrcheck.engines.native.kernel import records
from isrcheck.engines.native.kernel.levels import record_targets
from isrcheck.engines.native.kernel.records import BATCH, INSTANCES, STATE_TARGETS, WORDS, Run, Worker
from isrcheck.engines.native.kernel.states import canonical, same
from isrcheck.engines.native.kernel.table import insert_batch, look_ahead, tag_of
from isrcheck.engines.native.kernel.units import next_batch

EXPORTED = ("advance_reduced",)

SETS = 1
CAN = 0  # the sets of a worker, by place: what can be taken,
CLOSED = 1  # the set that is being closed,
WAITING = 2  # its members that were not looked at yet,
TRIED = 3  # what was closed before,
BEST = 4  # and the smallest of these


def collect_enabled(worker: Worker, lane: int) -> int:
    """The instances that one state of a batch can take; returns how many."""
    sets = worker.sets
    count = 0
    for w in range(SETS):
        sets[CAN * SETS + w] = 0
        sets[TRIED * SETS + w] = 0
    for instance in range(INSTANCES):
        if (worker.report[instance] >> lane) & 1 != 0:
            w = CAN * SETS + instance // 64
            sets[w] = sets[w] | (1 << (instance & 63))
            count = count + 1
    return count


def row_before(run: Run, worker: Worker, lane: int, instance: int) -> int:
    """Which set comes before an instance."""
    if (worker.sets[CAN * SETS + instance // 64] >> (instance & 63)) & 1 != 0:
        return instance
    enabler = run.first_enabler[instance]
    while (worker.report[INSTANCES + records.TARGETS + run.enablers[2 * enabler]] >> lane) & 1 == 0:
        enabler = enabler + 1
    return run.enablers[2 * enabler + 1]


def close(run: Run, worker: Worker, lane: int, seed: int) -> bool:
    """Close the set of one instance; False once it holds one that was closed before: it cannot be smaller."""
    sets = worker.sets
    for w in range(SETS):
        sets[CLOSED * SETS + w] = 0
        sets[WAITING * SETS + w] = 0
    sets[CLOSED * SETS + seed // 64] = 1 << (seed & 63)
    sets[WAITING * SETS + seed // 64] = 1 << (seed & 63)
    place = 0
    while place < SETS:
        waiting = sets[WAITING * SETS + place]
        if waiting == 0:
            place = place + 1
            continue
        sets[WAITING * SETS + place] = waiting & (waiting - 1)
        row = at(run.rows, row_before(run, worker, lane, 64 * place + lowest_bit(waiting)) * SETS)
        for w in range(SETS):
            new = row[w] & (sets[CLOSED * SETS + w] ^ 0xFFFFFFFFFFFFFFFF)
            if new & sets[TRIED * SETS + w] != 0:
                return False
            sets[CLOSED * SETS + w] = sets[CLOSED * SETS + w] | new
            sets[WAITING * SETS + w] = sets[WAITING * SETS + w] | new
            if new != 0 and w < place:
                place = w
    return True


def size_of_closed(worker: Worker) -> int:
    """How many of its members can be taken."""
    count = 0
    for w in range(SETS):
        left = worker.sets[CLOSED * SETS + w] & worker.sets[CAN * SETS + w]
        while left != 0:
            left = left & (left - 1)
            count = count + 1
    return count


def choose_smallest(run: Run, worker: Worker, lane: int) -> None:
    """Report one state's steps of its first smallest set."""
    sets = worker.sets
    least = collect_enabled(worker, lane) + 1
    for place in range(SETS):
        for bit in bits(sets[CAN * SETS + place]):
            if close(run, worker, lane, 64 * place + bit):
                size = size_of_closed(worker)
                if size < least:
                    least = size
                    for w in range(SETS):
                        sets[BEST * SETS + w] = sets[CLOSED * SETS + w] & sets[CAN * SETS + w]
            sets[TRIED * SETS + place] = sets[TRIED * SETS + place] | (1 << bit)
    for place in range(SETS):
        for bit in bits(sets[BEST * SETS + place] & sets[CAN * SETS + place]):
            instance = 64 * place + bit
            worker.chosen[instance] = worker.chosen[instance] | (1 << lane)


def is_new(run: Run, state: U64s, h: int) -> bool:
    """Whether it is of no level up to the one that is expanded; others may insert meanwhile."""
    tag = tag_of(run, h)
    slot = h & run.slots
    while True:
        entry = acquire(run.table, slot)
        if entry == 0:
            return True
        index = (entry & run.index_mask) - 1
        if (entry ^ tag) & (run.index_mask ^ 0xFFFFFFFF) == 0 and same(at(run.states, index * WORDS), state):
            return index >= run.fresh
        slot = (slot + 1) & run.slots


def take_chosen(run: Run, worker: Worker) -> int:
    """Take the chosen steps of a batch and count them; returns how many."""
    words = at(run.states, worker.state * WORDS)
    successors = records.apply(words, worker.chosen, worker.successors, worker.marks)
    if records.SYMMETRIC != 0:
        canonical(worker.successors, successors)
    for j in range(successors):
        action = worker.marks[j] - 1
        worker.counts[action] = worker.counts[action] + 1
    return successors


def choose_all(run: Run, worker: Worker, count: int) -> None:
    """Report the steps of each state's first smallest set."""
    for instance in range(INSTANCES):
        worker.chosen[instance] = 0
    for lane in range(count):
        choose_smallest(run, worker, lane)


def leading_on(run: Run, worker: Worker, successors: int) -> int:
    """The states of a batch of which a chosen step leads to a new one."""
    look_ahead(run, worker, successors)
    found = 0
    j = 0
    for instance in range(INSTANCES):
        for lane in bits(worker.chosen[instance]):
            if (found >> lane) & 1 == 0 and is_new(run, at(worker.successors, j * WORDS), worker.hashes[j]):
                found = found | (1 << lane)
            j = j + 1
    return found


def choose_rest(worker: Worker, done: int) -> None:
    """Report what was not taken, but for these states."""
    for instance in range(INSTANCES):
        others = worker.report[instance] & (worker.chosen[instance] ^ 0xFFFFFFFFFFFFFFFF)
        worker.chosen[instance] = others & (done ^ 0xFFFFFFFFFFFFFFFF)


def advance_reduced(run: Run, worker: Worker) -> int:
    """Whether it is done or needs room."""
    while count := next_batch(run, worker):
        if worker.room < BATCH * INSTANCES:
            return records.FULL
        pruned = worker.spare_counts[records.ACTIONS]
        records.enabled(at(run.states, worker.state * WORDS), count, worker.report, worker.spare_counts)
        pruned = worker.spare_counts[records.ACTIONS] - pruned
        worker.counts[records.ACTIONS] = worker.counts[records.ACTIONS] + pruned
        record_targets(worker, STATE_TARGETS, records.TARGETS)
        before = worker.distinct
        choose_all(run, worker, count)
        successors = take_chosen(run, worker)
        done = leading_on(run, worker, successors)
        insert_batch(run, worker, successors)
        choose_rest(worker, done)
        insert_batch(run, worker, take_chosen(run, worker))
        worker.room = worker.room - (worker.distinct - before)
        worker.state = worker.state + count
    return records.DONE
