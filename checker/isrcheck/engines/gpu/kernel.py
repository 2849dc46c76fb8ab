"""The kernel of a search on a GPU, in the dialect of the native engine: the table of slots, and the steps.

Each function is run by `threads` threads at once, numbered from 0. All threads of a warp call `reserve_one` and
`add_up` together; a thread that has nothing to add adds 0. A parameter `own` is memory of the thread alone.

A slot of the table is taken by writing its last word, without READY; the other words come before that bit does. They
are stored changed by SALT, so that a word that reads 0 was most likely not written yet.
"""

from isrcheck.engines.native.dialect import U32s, U64s, at

WORDS = 1
STRIDE = 2
LAST = 1
BODY = 1
TAGGED = 1
KEY = 1
MARKS = 1
MARK_UNIT = 1
MARK_COUNT = 1
STAMPS = 1
REACHED = 0
LIVE = 1

USED = 0x8000000000000000
READY = 0x4000000000000000
SALT = 0xA5C3F00DD1B54A33
LOW_HALF = 0xFFFFFFFF

NEXT = 0  # new states of the level that is being made
RESERVED = 1  # successors in the buffer
OUTSIDE = 2  # new states at which a constraint ends the search
FULL = 3  # words and keys without room in the compact table; then no state is inserted any more
DIGEST = 4  # four sums of 32-bit parts of hashes


def read(array: U64s, position: int) -> int:
    """Read a word that other threads write; the target's own."""
    raise NotImplementedError


def write_last(array: U64s, position: int, value: int) -> None:
    """Write a word after all that this thread wrote before; the target's own."""
    raise NotImplementedError


def swap_if(array: U64s, position: int, old: int, new: int) -> int:
    """Replace a word that is `old`, and return what it was; the target's own."""
    raise NotImplementedError


def add(array: U64s, position: int, amount: int) -> int:
    """Add to a word that other threads add to, and return what it was; the target's own."""
    raise NotImplementedError


def wait_for_others() -> None:
    """See what others wrote before what this thread has read; the target's own."""
    raise NotImplementedError


def scale(value: int, size: int) -> int:
    """Return the upper word of a product: a place in `size` for a hash; the target's own."""
    raise NotImplementedError


def reserve_one(array: U64s, position: int, is_asked: int) -> int:
    """Add 1 or 0 to a counter and return what it was; the target's own."""
    raise NotImplementedError


def add_up(array: U64s, position: int, amount: int) -> None:
    """Add the amounts of all threads to a counter; the target's own."""
    raise NotImplementedError


def judge_state(state: U64s, is_inside: int, control: U64s) -> int:
    """Count the targets that a state shows, and return whether a constraint ends the search there; the model's own."""
    raise NotImplementedError


def expand_state(state: U64s, is_inside: int, candidates: U64s, control: U64s) -> None:
    """Write the successors of a state behind those in the buffer; the model's own."""
    raise NotImplementedError


def queue_state(state: U64s, is_inside: int, place: int, queues: U32s, size: int, control: U64s) -> None:
    """Write the place of a state to the queue of each instance that is taken in it; the model's own."""
    raise NotImplementedError


def take_step(queue: int, state: U64s, successor: U64s) -> None:
    """Write the successor of a state by the instance of a queue; the model's own."""
    raise NotImplementedError


def place_of(number: int, capacity: int) -> int:
    """The place of a state in the ring of the newest levels."""
    if number >= capacity:
        return number - capacity
    return number


def state_of(i: int, ring: U64s, first: int, total: int, capacity: int) -> U64s:
    """A state of the newest level, by its number; the first one where there are no more."""
    if i >= total:
        return at(ring, place_of(first, capacity) * STRIDE)
    return at(ring, place_of(first + i, capacity) * STRIDE)


def word_of(state: U64s, k: int) -> int:
    """A word of a state, without what the last word of a slot has besides."""
    if TAGGED == 0 and k == LAST:
        return state[k] & KEY
    return state[k]


def scramble(words: U64s, salt: int) -> int:
    h = 0
    for k in range(BODY):
        h = (h ^ (words[k] ^ salt)) * 0x9E3779B97F4A7C15
        h = h ^ (h >> 32)
    if TAGGED == 0:
        h = (h ^ (words[LAST] & KEY)) * 0x9E3779B97F4A7C15
        h = h ^ (h >> 32)
    h = h * 0xD6E8FEB86659FD93
    return h ^ (h >> 29)


def is_same(words: U64s, slot: U64s) -> bool:
    """Whether a slot, ready and with the same key, has the same state. A word that was not written yet reads 0."""
    difference = 0
    for k in range(BODY):
        stored = read(slot, k)
        difference = difference | (stored ^ words[k] ^ SALT)
        if stored == 0:
            difference = 1
    if difference == 0:
        return True
    wait_for_others()
    difference = 0
    for k in range(BODY):
        difference = difference | (read(slot, k) ^ words[k] ^ SALT)
    return difference == 0


def lower_mark(slot: U64s, last: int, mark: int, stamp: int, own: U32s) -> None:
    """Keep the least action of a state of the newest level."""
    while (last & STAMPS) == stamp and (last & MARKS) > mark:
        there = swap_if(slot, LAST, last, (last ^ (last & MARKS)) | mark)
        if there == last:
            higher = (last & MARKS) // MARK_UNIT
            lower = mark // MARK_UNIT
            own[higher] = own[higher] - 1
            own[lower] = own[lower] + 1
            return
        last = there


def insert_state(words: U64s, table: U64s, slots: int, stamp: int, own: U32s) -> int:
    """Look a candidate up, and return 1 if it is new."""
    h = scramble(words, 0)
    mark = words[LAST] & MARKS
    key = words[LAST] & KEY
    if TAGGED != 0:
        key = h & KEY
    taken = key | mark | stamp | USED
    number = scale(h, slots)
    while True:
        slot = at(table, number * STRIDE)
        last = read(slot, LAST)
        if last == 0:
            last = swap_if(slot, LAST, 0, taken)
            if last == 0:
                for k in range(BODY):
                    slot[k] = words[k] ^ SALT
                write_last(slot, LAST, taken | READY)
                own[mark // MARK_UNIT] = own[mark // MARK_UNIT] + 1
                return 1
        if (last & KEY) == key:
            if (last & READY) == 0:
                continue
            if is_same(words, slot):
                lower_mark(slot, last, mark, stamp, own)
                return 0
        number = number + 1
        if number == slots:
            number = 0


def final_mark(words: U64s, table: U64s, slots: int) -> int:
    """The least action that reached a state that is in the table."""
    h = scramble(words, 0)
    key = words[LAST] & KEY
    if TAGGED != 0:
        key = h & KEY
    number = scale(h, slots)
    while True:
        slot = at(table, number * STRIDE)
        last = slot[LAST]
        if (last & KEY) == key and is_same(words, slot):
            return (last & MARKS) // MARK_UNIT
        number = number + 1
        if number == slots:
            number = 0


def refill(old: U64s, old_slots: int, table: U64s, slots: int, thread: int, threads: int) -> None:
    """Insert the states of a table, which are distinct, into a larger one."""
    i = thread
    while i < old_slots:
        words = at(old, i * STRIDE)
        if words[LAST] != 0:
            number = scale(scramble(words, SALT), slots)
            while swap_if(at(table, number * STRIDE), LAST, 0, words[LAST]) != 0:
                number = number + 1
                if number == slots:
                    number = 0
            for k in range(BODY):
                table[number * STRIDE + k] = words[k]
        i = i + threads


def clear_stamps(table: U64s, slots: int, thread: int, threads: int) -> None:
    """Forget of which level each state is."""
    i = thread
    while i < slots:
        last = table[i * STRIDE + LAST]
        table[i * STRIDE + LAST] = last ^ (last & STAMPS)
        i = i + threads


def expand(
    ring: U64s, first: int, total: int, capacity: int, candidates: U64s, control: U64s, thread: int, threads: int
) -> None:
    """Write the successors of some states of the newest level to the buffer."""
    base = 0
    while base < total:
        i = base + thread
        is_inside = i < total
        expand_state(state_of(i, ring, first, total, capacity), is_inside, candidates, control)
        base = base + threads


def queue(
    ring: U64s, first: int, total: int, capacity: int, queues: U32s, size: int, control: U64s, thread: int, threads: int
) -> None:
    """Queue the steps of some states of the newest level, by instance; a queue has room for `size`."""
    base = 0
    while base < total:
        i = base + thread
        is_inside = i < total
        queue_state(state_of(i, ring, first, total, capacity), is_inside, i, queues, size, control)
        base = base + threads


def step(
    ring: U64s, first: int, capacity: int, queues: U32s, size: int, plan: U64s, buffer: U64s, thread: int, threads: int
) -> None:
    """Take one queued step. For each queue `plan` has its first thread, its first successor and its length."""
    low = 0
    high = LIVE
    while high - low > 1:
        middle = (low + high) // 2
        if plan[middle * 3] <= thread:
            low = middle
        else:
            high = middle
    j = thread - plan[low * 3]
    if j < plan[low * 3 + 2]:
        source = queues[low * size + j]
        state = at(ring, place_of(first + source, capacity) * STRIDE)
        take_step(low, state, at(buffer, (plan[low * 3 + 1] + j) * STRIDE))
