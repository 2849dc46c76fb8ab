"""The seen states of a large search, as keys in a table that holds only what a key's place does not say.

Groups of a state's words are numbered by dictionaries; the numbers are fields of at most 64 bits together (after A.
Laarman, Optimal compression of combinatorial state spaces, ISSE 2019). Permuted they are the key; the line where it
belongs says a part of it, and an entry the rest (J. Cleary, Compact hash tables using bidirectional linear probing,
IEEE ToC 1984). From the low end an entry has: the least action that reached a state of the newest level, the stamp of
its level, how many lines it lies behind its own plus 1, and the rest of the key. An entry never moves within a table
and is never taken away, so whoever looks for a key meets it or the empty entry where it would be.
"""

from isrcheck.engines.native.dialect import U64s, acquire, at, prefetch, publish, take
from isrcheck.engines.native.kernel.dictionaries import TOGETHER, ask_for_numbers, fields_of_state, lay_out_again
from isrcheck.engines.native.kernel.records import BATCH, DONE, FULL, INSTANCES, WORDS, Quotient, Run, Worker
from isrcheck.engines.native.kernel.units import batch_size, copy, next_batch, next_unit

EXPORTED = ("advance_quotient", "number_all", "number_keys", "convert", "rebuild", "forget_levels")

LINE = 16  # entries
WIDE = 0  # whether one has 64 bits
HOP_BITS = 5
MOST_HOPS = 31
TABLE_FULL = 0xFFFFFFFF
PRESENT = 0
NEW = 1
NO_ROOM = 2


def expand_next(run: Run, worker: Worker) -> int:
    """Expand the next states of the unit in hand, and return how many successors; by address, the model's own."""
    raise NotImplementedError


def key_mask(table: Quotient) -> int:
    return 0xFFFFFFFFFFFFFFFF >> (64 - table.key_bits)


def key_of(table: Quotient, fields: int) -> int:
    """The key of some fields: another one of `key_bits` for each."""
    mask = key_mask(table)
    half = (table.key_bits + 1) // 2
    x = (fields * 0x9E3779B97F4A7C15) & mask
    x = ((x ^ (x >> half)) * 0xD6E8FEB86659FD93) & mask
    return x ^ (x >> half)


def fields_of(table: Quotient, x: int) -> int:
    """The fields of a key."""
    mask = key_mask(table)
    half = (table.key_bits + 1) // 2
    x = ((x ^ (x >> half)) * 0xCFEE444D8B59A89B) & mask
    return ((x ^ (x >> half)) * 0xF1DE83E19937733D) & mask


def divide(table: Quotient, x: int) -> int:
    """The 16 bits above a key's low bits, divided by `parts`; exact, since they are 16."""
    return (((x >> table.line_bits) & 0xFFFF) * table.reciprocal) >> 32


def line_of(table: Quotient, x: int) -> int:
    """The line that a key belongs to. In a table with other `parts` it is nearby: a larger one is filled in order."""
    residue = ((x >> table.line_bits) & 0xFFFF) - divide(table, x) * table.parts
    return (x & ((1 << table.line_bits) - 1)) * table.parts + residue


def rest_of(table: Quotient, x: int) -> int:
    """The bits of a key that its line does not say; of 16 bits divided by 8 or more, 13 are left."""
    return ((x >> (table.line_bits + 16)) << 13) | divide(table, x)


def key_at(table: Quotient, low: int, residue: int, rest: int) -> int:
    high = ((rest >> 13) << 16) | ((rest & 0x1FFF) * table.parts + residue)
    return (high << table.line_bits) | low


def entry_at(table: Quotient, place: int) -> int:
    """The entry at a place of a table that does not change."""
    if table.is_wide != 0:
        return table.wide[place]
    return table.narrow[place]


def read(table: Quotient, place: int, shared: int) -> int:
    if WIDE != 0:
        if shared == 0:
            return table.wide[place]
        return acquire(table.wide, place)
    if shared == 0:
        return table.narrow[place]
    return acquire(table.narrow, place)


def replace(table: Quotient, place: int, old: int, new: int, shared: int) -> bool:
    if shared == 0:
        if WIDE != 0:
            table.wide[place] = new
        else:
            table.narrow[place] = new
        return True
    if WIDE != 0:
        return publish(table.wide, place, old, new)
    return publish(table.narrow, place, old, new)


def lower_action(table: Quotient, worker: Worker, place: int, mark: int, shared: int) -> None:
    """Lower the action of a state of the newest level; `mark` is its stamp and the action."""
    actions = (1 << table.mark_bits) - 1
    stamps = (1 << (table.mark_bits + table.stamp_bits)) - 1
    while True:
        cell = read(table, place, shared)
        if (cell & stamps) >> table.mark_bits != mark >> table.mark_bits or cell & actions <= mark & actions:
            return
        if replace(table, place, cell, cell - (cell & actions) + (mark & actions), shared):
            worker.reached[cell & actions] = worker.reached[cell & actions] - 1
            worker.reached[mark & actions] = worker.reached[mark & actions] + 1
            return


def enter(table: Quotient, worker: Worker, x: int, mark: int, shared: int) -> int:
    """Find a key or add it; `mark` is its stamp and action."""
    low = table.mark_bits + table.stamp_bits
    rest = rest_of(table, x)
    wanted = rest << (low + HOP_BITS)
    first = line_of(table, x) * LINE
    end = table.lines * LINE
    for _hop in range(MOST_HOPS):
        wanted = wanted + (1 << low)
        s = rest
        stop = rest + LINE
        while s != stop:
            place = first + (s & (LINE - 1))
            cell = read(table, place, shared)
            if cell == 0:
                if replace(table, place, 0, wanted | mark, shared):
                    return NEW
                continue
            if (cell ^ wanted) >> low == 0:
                if mark != 0:
                    lower_action(table, worker, place, mark, shared)
                return PRESENT
            s = s + 1
        first = first + LINE
        if first == end:
            first = 0
    return NO_ROOM


def ask_for_line(table: Quotient, x: int) -> None:
    if WIDE != 0:
        prefetch(table.wide, line_of(table, x) * LINE + (rest_of(table, x) & (LINE - 1)))
    else:
        prefetch(table.narrow, line_of(table, x) * LINE)


def find_keys(run: Run, worker: Worker, states: U64s, count: int) -> bool:
    """The keys in place of hashes; False if a dictionary lacks room."""
    ask_for_numbers(run, worker, states, count)
    for j in range(count):
        x = key_of(run.visited, fields_of_state(run, worker, at(states, j * WORDS), at(worker.word_hashes, j)))
        worker.hashes[j] = x
        ask_for_line(run.visited, x)
    return worker.full == 0


def insert_pending(run: Run, worker: Worker, shared: int) -> bool:
    """Insert the pending successors; return whether all are in, and not stopped for want of room."""
    table = run.visited
    while worker.pending != worker.pending_end:
        first = worker.pending
        count = worker.pending_end - first
        if count > TOGETHER:
            count = TOGETHER
        states = at(worker.successors, first * WORDS)
        if not find_keys(run, worker, states, count):
            return False
        for j in range(count):
            mark = worker.marks[first + j]
            what = enter(table, worker, worker.hashes[j], (table.stamp << table.mark_bits) | mark, shared)
            if what == NO_ROOM:
                worker.full = TABLE_FULL
                return False
            if what == NEW:
                if worker.index == worker.index_end:
                    worker.index = take(run.next_block, 0, run.block_size)
                    worker.index_end = worker.index + run.block_size
                copy(at(run.states, worker.index * WORDS), at(states, j * WORDS))
                worker.index = worker.index + 1
                worker.distinct = worker.distinct + 1
                worker.room = worker.room - 1
                worker.reached[mark] = worker.reached[mark] + 1
            worker.pending = first + j + 1
    return True


def insert_all(run: Run, worker: Worker) -> bool:
    if run.shared == 0:
        return insert_pending(run, worker, 0)
    return insert_pending(run, worker, 1)


def advance_quotient(run: Run, worker: Worker) -> int:
    """Whether it is done or needs room."""
    while insert_all(run, worker):
        if next_batch(run, worker) == 0:
            return DONE
        if worker.room < BATCH * INSTANCES:
            return FULL
        worker.pending = 0
        worker.pending_end = expand_next(run, worker)
    return FULL


def number_all(run: Run, worker: Worker) -> int:
    """Number the words of states; whether it is done or needs room."""
    while next_batch(run, worker) != 0:
        count = batch_size(worker, BATCH)
        if not find_keys(run, worker, at(run.states, worker.state * WORDS), count):
            return FULL
        worker.state = worker.state + count
    return DONE


def convert(run: Run, worker: Worker) -> int:
    """Enter states that are distinct; whether it is done or needs room."""
    while next_batch(run, worker) != 0:
        count = batch_size(worker, BATCH)
        if worker.room < count:
            return FULL
        if not find_keys(run, worker, at(run.states, worker.state * WORDS), count):
            return FULL
        for j in range(count):
            what = enter(run.visited, worker, worker.hashes[j], 0, run.shared)
            if what == NO_ROOM:
                worker.full = TABLE_FULL
                return FULL
            if what == PRESENT:
                worker.amiss = worker.amiss + 1
            worker.state = worker.state + 1
            worker.room = worker.room - 1
    return DONE


def keys_of_line(old: Quotient, line: int, worker: Worker) -> int:
    """Write a line's keys, and their stamps with actions, of the newest level alone; returns how many."""
    bits = old.mark_bits + old.stamp_bits
    low = line // old.parts
    residue = line - low * old.parts
    count = 0
    for s in range(LINE):
        cell = entry_at(old, line * LINE + s)
        if cell != 0:
            hop = (cell >> bits) & MOST_HOPS
            rest = cell >> (bits + HOP_BITS)
            if hop == 1:
                worker.more_scratch[count] = key_at(old, low, residue, rest)
            else:
                home = line + 1 - hop
                if line + 1 < hop:
                    home = home + old.lines
                worker.more_scratch[count] = key_at(old, home // old.parts, home % old.parts, rest)
            mark = cell & ((1 << bits) - 1)
            worker.scratch[count] = 0
            if old.stamp != 0 and mark >> old.mark_bits == old.stamp:
                worker.scratch[count] = mark & ((1 << old.mark_bits) - 1)
            count = count + 1
    return count


def number_keys(run: Run, worker: Worker) -> int:
    """Number the new groups of all keys; a unit is a range of lines. Return whether it is done or needs room."""
    while worker.state != worker.state_end or next_unit(run, worker):
        count = keys_of_line(run.visited, worker.state, worker)
        for j in range(count):
            lay_out_again(run, worker, fields_of(run.visited, worker.more_scratch[j]))
        if worker.full != 0:
            return FULL
        worker.state = worker.state + 1
    return DONE


def rebuild(run: Run, worker: Worker) -> int:
    """Enter the keys of the lines of the table before; a unit is a range of lines. Other than new ones are amiss."""
    old = run.before
    new = run.visited
    while worker.state != worker.state_end or next_unit(run, worker):
        count = keys_of_line(old, worker.state, worker)
        for j in range(count):
            if old.layout != new.layout:
                fields = lay_out_again(run, worker, fields_of(old, worker.more_scratch[j]))
                worker.more_scratch[j] = key_of(new, fields)
            ask_for_line(new, worker.more_scratch[j])
        for j in range(count):
            mark = worker.scratch[j]
            if mark != 0:
                mark = mark | (new.stamp << new.mark_bits)
            if enter(new, worker, worker.more_scratch[j], mark, run.shared) != NEW:
                worker.amiss = worker.amiss + 1
        worker.state = worker.state + 1
    return DONE


def forget_levels(run: Run, worker: Worker) -> int:
    """Take the stamps and actions from all entries; a unit is a range of lines."""
    table = run.visited
    forgotten = (1 << (table.mark_bits + table.stamp_bits)) - 1
    words = LINE
    if WIDE == 0:
        forgotten = forgotten | (forgotten << 32)
        words = LINE // 2
    while worker.state != worker.state_end or next_unit(run, worker):
        for place in range(worker.state * words, worker.state_end * words):
            table.wide[place] = table.wide[place] & (forgotten ^ 0xFFFFFFFFFFFFFFFF)
        worker.state = worker.state_end
    return DONE
