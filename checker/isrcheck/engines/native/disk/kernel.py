"""Sorted states, in the dialect: sorted in place, merged, filtered, and as bytes.

A state is a number, its last word the most significant. In a file each state is the difference to the one before it:
four bits a word say how many bytes of that word's difference follow; then comes the mark, if the file has marks.
"""

from isrcheck.engines.native.dialect import U8s, U64s, at, read_unaligned
from isrcheck.engines.native.kernel.records import DONE, WORDS, Run, Worker
from isrcheck.engines.native.kernel.states import same
from isrcheck.engines.native.kernel.units import copy, next_unit

EXPORTED = ("sort_range", "sort", "heapify", "merge", "subtract", "encode", "decode")

DIGITS = 256
END = 0xFFFF  # of a list of bytes
FEW = 40  # states that are sorted by insertion; a range of 60 is not worth 256 counters


class MergeInputs:
    """Sorted sequences of states that become one: the first source that is in hand has the least state."""

    positions: U64s  # by source, the index of its next state
    ends: U64s
    heap: U64s  # the sources that have states left
    count: int  # of them
    out: int  # the index of the next merged state
    out_first: int
    out_end: int


class Visited:
    """Candidates, and states seen before: both sorted."""

    candidate: int
    candidate_end: int
    visited: int
    visited_end: int


class Coded:
    """States on their way to bytes or back."""

    state: int
    state_end: int
    content: U8s
    place: int  # in the content
    limit: int  # where no further state may begin
    before: U64s  # the state before
    difference: U64s
    masks: U64s  # by number of bytes
    marked: int  # bytes of a mark
    begun: int  # whether there is a state before
    amiss: int  # states that are not above the one before


def precedes(a: U64s, b: U64s) -> bool:
    for i in range(WORDS):
        x = a[WORDS - 1 - i]
        y = b[WORDS - 1 - i]
        if x < y:
            return True
        if x > y:
            return False
    return False


def exchange_with(run: Run, held: U64s, mark: int, index: int) -> int:
    """Put a state with its mark to an index; what was there is held now, and its mark returned."""
    state = at(run.states, index * WORDS)
    for i in range(WORDS):
        value = state[i]
        state[i] = held[i]
        held[i] = value
    other = run.marks[index]
    run.marks[index] = mark
    return other


def insertion_sort(run: Run, first: int, end: int, held: U64s) -> None:
    for index in range(first + 1, end):
        copy(held, at(run.states, index * WORDS))
        mark = run.marks[index]
        place = index
        while place > first and precedes(held, at(run.states, (place - 1) * WORDS)):
            copy(at(run.states, place * WORDS), at(run.states, (place - 1) * WORDS))
            run.marks[place] = run.marks[place - 1]
            place = place - 1
        copy(at(run.states, place * WORDS), held)
        run.marks[place] = mark


def digit(state: U64s, byte: int) -> int:
    """A byte of a state, the least significant at 0."""
    return (state[byte // 8] >> (8 * (byte % 8))) & 255


def list_digits(run: Run, first: int, end: int, bytes_: U64s, differences: U64s) -> None:
    """The bytes in which states of a range differ, the most significant first, then `END`."""
    for i in range(WORDS):
        differences[i] = 0
    for index in range(first + 1, end):
        for i in range(WORDS):
            differences[i] = differences[i] | (run.states[index * WORDS + i] ^ run.states[first * WORDS + i])
    count = 0
    for i in range(8 * WORDS):
        byte = 8 * WORDS - 1 - i
        if digit(differences, byte) != 0:
            bytes_[count] = byte
            count = count + 1
    bytes_[count] = END


def count_digits(run: Run, first: int, end: int, byte: int, heads: U64s) -> None:
    for d in range(DIGITS):
        heads[d] = 0
    for index in range(first, end):
        d = digit(at(run.states, index * WORDS), byte)
        heads[d] = heads[d] + 1


def place_digits(run: Run, byte: int, heads: U64s, ends: U64s, held: U64s) -> None:
    """Move each state into the range of its digit."""
    for d in range(DIGITS):
        while heads[d] < ends[d]:
            first = heads[d]
            copy(held, at(run.states, first * WORDS))
            mark = run.marks[first]
            own = digit(held, byte)
            while own != d:
                target = heads[own]
                heads[own] = target + 1
                mark = exchange_with(run, held, mark, target)
                own = digit(held, byte)
            copy(at(run.states, first * WORDS), held)
            run.marks[first] = mark
            heads[d] = first + 1


def sort_range(run: Run, first: int, end: int, bytes_: U64s, held: U64s, counts: U64s) -> int:
    """Sort by the first of these bytes, then each range of one digit by the next. `counts`: 512 words for each byte."""
    byte = bytes_[0]
    if end - first <= FEW or byte == END:
        insertion_sort(run, first, end, held)
        return DONE
    ends = at(counts, DIGITS)
    count_digits(run, first, end, byte, counts)
    if counts[digit(at(run.states, first * WORDS), byte)] == end - first:
        return sort_range(run, first, end, at(bytes_, 1), held, counts)
    place = first
    for d in range(DIGITS):
        size = counts[d]
        counts[d] = place
        place = place + size
        ends[d] = place
    place_digits(run, byte, counts, ends, held)
    begin = first
    for d in range(DIGITS):
        if ends[d] > begin + 1:
            sort_range(run, begin, ends[d], at(bytes_, 1), held, at(counts, 2 * DIGITS))
        begin = ends[d]
    return DONE


def sort(run: Run, worker: Worker) -> int:
    """Sort the states of each unit. The worker has room for a state, a list of bytes and the counts of digits."""
    held = worker.sorting
    bytes_ = at(held, WORDS)
    counts = at(bytes_, 8 * WORDS + 1)
    while worker.state != worker.state_end or next_unit(run, worker):
        list_digits(run, worker.state, worker.state_end, bytes_, held)
        sort_range(run, worker.state, worker.state_end, bytes_, held, counts)
        worker.state = worker.state_end
    return DONE


def next_state(run: Run, sources: MergeInputs, source: int) -> U64s:
    return at(run.states, sources.positions[source] * WORDS)


def sift_down(run: Run, sources: MergeInputs, first: int) -> None:
    heap = sources.heap
    place = first
    source = heap[place]
    while True:
        child = 2 * place + 1
        if child >= sources.count:
            break
        if child + 1 < sources.count:
            other = next_state(run, sources, heap[child + 1])
            if precedes(other, next_state(run, sources, heap[child])):
                child = child + 1
        if not precedes(next_state(run, sources, heap[child]), next_state(run, sources, source)):
            break
        heap[place] = heap[child]
        place = child
    heap[place] = source


def heapify(run: Run, sources: MergeInputs) -> int:
    for i in range(sources.count):
        sift_down(run, sources, sources.count - 1 - i)
    return DONE


def merge(run: Run, sources: MergeInputs) -> int:
    """Write merged states while there is room; returns the source that has to be read on, plus 1, or 0."""
    out = sources.out
    while sources.count > 0:
        source = sources.heap[0]
        index = sources.positions[source]
        state = at(run.states, index * WORDS)
        if out != sources.out_first and same(state, at(run.states, (out - 1) * WORDS)):
            if run.marks[index] < run.marks[out - 1]:
                run.marks[out - 1] = run.marks[index]
        else:
            if out == sources.out_end:
                break
            copy(at(run.states, out * WORDS), state)
            run.marks[out] = run.marks[index]
            out = out + 1
        sources.positions[source] = index + 1
        if index + 1 == sources.ends[source]:
            sources.out = out
            return source + 1
        sift_down(run, sources, 0)
    sources.out = out
    return 0


def subtract(run: Run, both: Visited) -> int:
    """Take the mark from each candidate that was seen, until the candidates or those seen end."""
    candidate = both.candidate
    visited = both.visited
    while candidate < both.candidate_end and visited < both.visited_end:
        old = at(run.states, visited * WORDS)
        new = at(run.states, candidate * WORDS)
        if precedes(old, new):
            visited = visited + 1
        else:
            if same(old, new):
                run.marks[candidate] = 0
            candidate = candidate + 1
    both.candidate = candidate
    both.visited = visited
    return DONE


def subtract_before(coded: Coded, state: U64s) -> None:
    borrow = 0
    for i in range(WORDS):
        value = state[i]
        before = coded.before[i]
        coded.difference[i] = value - before - borrow
        if value < before or (value == before and borrow != 0):
            borrow = 1
        else:
            borrow = 0
        coded.before[i] = value


def write_word(coded: Coded, value: int, place: int) -> int:
    """Write a word's bytes, the least significant first; returns how many."""
    size = 0
    while value != 0:
        coded.content[place + size] = value & 255
        value = value >> 8
        size = size + 1
    return size


def encode(run: Run, coded: Coded) -> int:
    """Write states until they end, or the content is full."""
    place = coded.place
    while coded.state < coded.state_end and place < coded.limit:
        subtract_before(coded, at(run.states, coded.state * WORDS))
        head = place
        place = place + (WORDS + 1) // 2
        for i in range(WORDS):
            size = write_word(coded, coded.difference[i], place)
            place = place + size
            if i % 2 == 0:
                coded.content[head + i // 2] = size
            else:
                coded.content[head + i // 2] = coded.content[head + i // 2] | (size << 4)
        mark = run.marks[coded.state]
        for i in range(coded.marked):
            coded.content[place] = (mark >> (8 * i)) & 255
            place = place + 1
        coded.state = coded.state + 1
    coded.place = place
    return DONE


def add_before(coded: Coded, place: int) -> int:
    """Read a difference and add it to the state before; returns the place behind it."""
    content = coded.content
    before = coded.before
    masks = coded.masks
    head = place
    place = place + (WORDS + 1) // 2
    carry = 0
    grown = 0
    for i in range(WORDS):
        size = (content[head + i // 2] >> (4 * (i % 2))) & 15
        value = read_unaligned(content, place) & masks[size]
        place = place + size
        grown = grown | value
        total = before[i] + value
        with_carry = total + carry
        carry = (total < value) | (with_carry < total)
        before[i] = with_carry
    if carry != 0 or (grown == 0 and coded.begun != 0):
        coded.amiss = coded.amiss + 1
    coded.begun = 1
    return place


def decode(run: Run, coded: Coded) -> int:
    """Read states until there are enough, or the content ends."""
    place = coded.place
    while coded.state < coded.state_end and place < coded.limit:
        place = add_before(coded, place)
        copy(at(run.states, coded.state * WORDS), coded.before)
        mark = 0
        for i in range(coded.marked):
            mark = mark | (coded.content[place] << (8 * i))
            place = place + 1
        if coded.marked != 0:
            run.marks[coded.state] = mark
        coded.state = coded.state + 1
    coded.place = place
    return DONE
