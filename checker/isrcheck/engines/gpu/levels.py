"""The kernels that see a level, whichever table it is in: its states are inserted, judged, and added to the digest.

`slots` is 0 where `table` is a record of the compact table.
"""

from isrcheck.engines.gpu import kernel
from isrcheck.engines.gpu.compact import COMPACT, ENTRY_MARKS, as_compact, enter, insert_key, key_of
from isrcheck.engines.native.dialect import U32s, U64s, at


def insert(
    candidates: U64s,
    table: U64s,
    slots: int,
    stamp: int,
    ring: U64s,
    first: int,
    capacity: int,
    control: U64s,
    own: U32s,
    thread: int,
    threads: int,
) -> None:
    """Insert the successors in the buffer; the new ones are the next of the level that begins at `first`."""
    for mark in range(kernel.MARK_COUNT):
        own[mark] = 0
    total = control[kernel.RESERVED]
    base = 0
    while base < total:
        i = base + thread
        is_new = 0
        words = at(candidates, 0)
        if i < total:
            words = at(candidates, i * kernel.STRIDE)
            if COMPACT != 0 and slots == 0:
                is_new = insert_key(words, as_compact(table), control, own)
            else:
                is_new = kernel.insert_state(words, table, slots, stamp, own)
        number = kernel.reserve_one(control, kernel.NEXT, is_new)
        if is_new != 0:
            state = at(ring, kernel.place_of(first + number, capacity) * kernel.STRIDE)
            for k in range(kernel.STRIDE):
                state[k] = words[k]
        base = base + threads
    for mark in range(kernel.MARK_COUNT):
        more = own[mark]
        if more >= 0x80000000:
            more = more - 0x100000000
        kernel.add_up(control, kernel.REACHED + mark, more)


def rotate(value: int, bits: int) -> int:
    return (value << bits) | (value >> (64 - bits))


def mix(value: int) -> int:
    """Mix the bits of a number as MurmurHash3 does last."""
    value = (value ^ (value >> 33)) * 0xFF51AFD7ED558CCD
    value = (value ^ (value >> 33)) * 0xC4CEB9FE1A85EC53
    return value ^ (value >> 33)


def examine(
    ring: U64s, first: int, total: int, capacity: int, table: U64s, slots: int, control: U64s, thread: int, threads: int
) -> None:
    """Judge states of the newest level, and add their MurmurHash3_x64_128 to the digest; not those outside."""
    sum0 = 0
    sum1 = 0
    sum2 = 0
    sum3 = 0
    base = 0
    while base < total:
        i = base + thread
        is_inside = i < total
        state = kernel.state_of(i, ring, first, total, capacity)
        is_outside = kernel.judge_state(state, is_inside, control)
        kernel.reserve_one(control, kernel.OUTSIDE, is_outside)
        if is_outside != 0:
            if COMPACT != 0 and slots == 0:
                keys = as_compact(table)
                place = enter(key_of(state, 0, keys, control), 0, keys, control)
                mark = (keys.entries[place] & ENTRY_MARKS) - keys.newest
            else:
                mark = kernel.final_mark(state, table, slots)
            kernel.add(control, kernel.REACHED + mark, 0xFFFFFFFFFFFFFFFF)
        if is_inside > is_outside:
            low = 0
            high = 0
            for pair in range(kernel.WORDS // 2):
                k = rotate(kernel.word_of(state, 2 * pair) * 0x87C37B91114253D5, 31) * 0x4CF5AD432745937F
                low = (rotate(low ^ k, 27) + high) * 5 + 0x52DCE729
                k = rotate(kernel.word_of(state, 2 * pair + 1) * 0x4CF5AD432745937F, 33) * 0x87C37B91114253D5
                high = (rotate(high ^ k, 31) + low) * 5 + 0x38495AB5
            if kernel.WORDS % 2 == 1:
                low = low ^ (
                    rotate(kernel.word_of(state, kernel.WORDS - 1) * 0x87C37B91114253D5, 31) * 0x4CF5AD432745937F
                )
            low = low ^ (kernel.WORDS * 8)
            high = high ^ (kernel.WORDS * 8)
            low = low + high
            high = high + low
            low = mix(low)
            high = mix(high)
            low = low + high
            high = high + low
            sum0 = sum0 + (low & kernel.LOW_HALF)
            sum1 = sum1 + (low >> 32)
            sum2 = sum2 + (high & kernel.LOW_HALF)
            sum3 = sum3 + (high >> 32)
        base = base + threads
    kernel.add_up(control, kernel.DIGEST, sum0)
    kernel.add_up(control, kernel.DIGEST + 1, sum1)
    kernel.add_up(control, kernel.DIGEST + 2, sum2)
    kernel.add_up(control, kernel.DIGEST + 3, sum3)
