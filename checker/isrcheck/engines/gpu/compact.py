"""The compact table of a search on a GPU: 32 bits for a state of one or two words, of which nothing is lost.

Two dictionaries number the halves of a state. The two numbers, permuted, are its key: `key // unit` is the place where
it belongs, and its entry says the rest (J. Cleary, Compact hash tables using bidirectional linear probing, IEEE ToC
1984). From the low end an entry has: 0, or for a state of the newest level `newest` and the least action that reached
it; how far the entry lies behind its place, plus 1; and `key % unit`. An entry never moves and is never taken away.

A dictionary has a half's successor, so that 0 is an empty place. Place 0 is that of the half whose bits are all 1.
"""

from isrcheck.engines.gpu import kernel
from isrcheck.engines.gpu.kernel import FULL, LAST, MARK_UNIT, MARKS, add, read
from isrcheck.engines.native.dialect import U32s, U64s, at

COMPACT = 0  # whether the states of the model have one or two words
HALF = 1  # bits of a state's left half
MARK_BITS = 1  # of an entry
ENTRY_MARKS = 1
DISTANCE_BITS = 10
MOST_PROBES = 4096  # of a dictionary, which is full then
LEFT_USED = 8  # how many halves the left dictionary has
RIGHT_USED = 9
NEW = 0xFFFFFFFFFFFFFFFF
NOWHERE = 0xFFFFFFFFFFFFFFFE


class CompactTable:
    entries: U32s
    slots: int
    unit: int  # keys that belong to one place
    left: U64s
    left_bits: int
    right: U64s
    right_bits: int
    newest: int  # of an entry's marks the first that is of the newest level


def as_compact(table: U64s) -> CompactTable:
    """See memory as a record; the target's own."""
    raise NotImplementedError


def read_entry(entries: U32s, place: int) -> int:
    """Read an entry that other threads write; the target's own."""
    raise NotImplementedError


def swap_entry_if(entries: U32s, place: int, old: int, new: int) -> int:
    """Replace an entry that is `old`, and return what it was; the target's own."""
    raise NotImplementedError


def number_half(half: int, dictionary: U64s, bits: int, used: int, control: U64s) -> int:
    """The place of a half in a dictionary, where it is written if it is new."""
    stored = half + 1
    h = stored * 0x9E3779B97F4A7C15
    h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93
    mask = (1 << bits) - 1
    place = (h ^ (h >> 32)) & mask
    for _ in range(MOST_PROBES):
        there = read(dictionary, place)
        if there == 0 and place != 0:
            there = kernel.swap_if(dictionary, place, 0, stored)
            if there == 0:
                add(control, used, 1)
                return place
        if there == stored:
            return place
        place = (place + 1) & mask
    add(control, FULL, 1)
    return 0


def key_of(words: U64s, salt: int, table: CompactTable, control: U64s) -> int:
    """The key of a state, a different one for each. Of a slot the words that are the state's alone are salted."""
    left = words[0] ^ salt
    right = 0
    if HALF < 64:
        right = left >> HALF
        left = left & ((1 << HALF) - 1)
    if kernel.WORDS == 2:
        high = kernel.word_of(words, 1)
        if kernel.TAGGED != 0:
            high = high ^ salt
        right = right | (high << (64 - HALF))
    x = number_half(left, table.left, table.left_bits, LEFT_USED, control)
    x = x | (number_half(right, table.right, table.right_bits, RIGHT_USED, control) << table.left_bits)
    bits = table.left_bits + table.right_bits
    half = (bits + 1) // 2
    x = ((x ^ (x >> half)) * 0x9E3779B97F4A7C15) & ((1 << bits) - 1)
    x = ((x ^ (x >> half)) * 0xD6E8FEB86659FD93) & ((1 << bits) - 1)
    return x ^ (x >> half)


def enter(key: int, mark: int, table: CompactTable, control: U64s) -> int:
    """Enter a key with a mark, and return that it is NEW, or its place; or NOWHERE, where there is no room."""
    place = key // table.unit
    cell = ((key % table.unit) << DISTANCE_BITS) + 1
    for distance in range((1 << DISTANCE_BITS) - 1):
        there = read_entry(table.entries, place)
        if there == 0:
            there = swap_entry_if(table.entries, place, 0, ((cell + distance) << MARK_BITS) | mark)
            if there == 0:
                return NEW
        if there >> MARK_BITS == cell + distance:
            return place
        place = place + 1
        if place == table.slots:
            place = 0
    add(control, FULL, 1)
    return NOWHERE


def insert_key(words: U64s, table: CompactTable, control: U64s, own: U32s) -> int:
    """Look a candidate up, and return 1 if it is new; a state of the newest level keeps the least action."""
    key = key_of(words, 0, table, control)
    if read(control, FULL) != 0:
        return 0
    mark = (words[LAST] & MARKS) // MARK_UNIT
    newest = table.newest
    place = enter(key, newest + mark, table, control)
    if place == NEW:
        own[mark] = own[mark] + 1
        return 1
    if place == NOWHERE:
        return 0
    there = read_entry(table.entries, place)
    while (there & ENTRY_MARKS) - newest > mark and (there & ENTRY_MARKS) - newest < kernel.MARK_COUNT:
        higher = (there & ENTRY_MARKS) - newest
        before = swap_entry_if(table.entries, place, there, there - higher + mark)
        if before == there:
            own[higher] = own[higher] - 1
            own[mark] = own[mark] + 1
            return 0
        there = before
    return 0


def convert(
    old: U64s, old_slots: int, stamp: int, table: CompactTable, control: U64s, thread: int, threads: int
) -> None:
    """Enter the states of a table of slots; those of the newest level keep their marks, behind a `newest` of 1."""
    i = thread
    while i < old_slots:
        slot = at(old, i * kernel.STRIDE)
        if slot[LAST] != 0:
            mark = 0
            if (slot[LAST] & kernel.STAMPS) == stamp:
                mark = 1 + (slot[LAST] & MARKS) // MARK_UNIT
            enter(key_of(slot, kernel.SALT, table, control), mark, table, control)
        i = i + threads


def clear_entry_marks(table: CompactTable, thread: int, threads: int) -> None:
    """Forget of which level each state is."""
    i = thread
    while i < table.slots:
        table.entries[i] = (table.entries[i] >> MARK_BITS) << MARK_BITS
        i = i + threads
