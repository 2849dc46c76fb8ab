"""Words of states as numbers: a dictionary for each group of words.

A dictionary has its groups' words by number, and a table of numbers plus 1 with a tag of the hash above. A number that
loses a race for its words to another worker is in no table, and stands for nothing.
"""

from isrcheck.engines.native.dialect import U64s, acquire, at, bits, prefetch, publish, take
from isrcheck.engines.native.kernel.records import DONE, WORDS, Run, Worker

EXPORTED = ("renumber",)

NUMBERS = 16  # words of a dictionary's record: two cache lines, of which the second is written
SLOTS = 0  # in it: of its table, less 1
INDEX_MASK = 1  # the bits of an entry that are a number plus 1
LIMIT = 2  # on numbers
GROUP = 3  # the words of a state that it numbers, a bit for each
SIZE = 4  # how many those are
SHIFT = 5  # of a number among the fields that stand for a state
FIELD = 6  # the bits that are the number; 0 before these are laid out, and if another dictionary has the words
RETIRED = 7  # whether another one has them
USED = 8  # numbers
OLD_SHIFT = 9  # in the layout before
OLD_FIELD = 10
TOGETHER = 128  # successors whose memory is asked for together


def word_hash(value: int) -> int:
    h = value * 0x9E3779B97F4A7C15
    h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93
    return h ^ (h >> 29)


# One word or two are never joined: what follows are constants then.


def dictionaries(run: Run) -> int:
    if WORDS <= 2:
        return WORDS
    return run.dictionaries


def is_retired(numbers: U64s) -> bool:
    if WORDS <= 2:
        return False
    return numbers[RETIRED] != 0


def group_of(numbers: U64s, dictionary: int) -> int:
    if WORDS <= 2:
        return 1 << dictionary
    return numbers[GROUP]


def size_of(numbers: U64s) -> int:
    if WORDS <= 2:
        return 1
    return numbers[SIZE]


def group_hash(state: U64s, group: int) -> int:
    if WORDS <= 2:
        return word_hash(state[group >> 1])
    h = 0
    for i in bits(group):
        h = word_hash(h ^ state[i])
    return h


def is_numbered(words: U64s, state: U64s, group: int) -> bool:
    """Whether the words of a number are those of a state."""
    if WORDS <= 2:
        return words[0] == state[group >> 1]
    k = 0
    for i in bits(group):
        if words[k] != state[i]:
            return False
        k = k + 1
    return True


def number(run: Run, worker: Worker, dictionary: int, state: U64s, h: int) -> int:
    """The number of a group of words, perhaps a new one; 0 and the worker's `full` without room. `h`: its hash."""
    numbers = at(run.numbers, dictionary * NUMBERS)
    table = at(run.number_of, dictionary * 4 * run.most_words)
    words = at(run.words, dictionary * run.most_words)
    slots = numbers[SLOTS]
    index_mask = numbers[INDEX_MASK]
    group = group_of(numbers, dictionary)
    size = size_of(numbers)
    tag = (h >> 32) & (index_mask ^ 0xFFFFFFFF)
    slot = h & slots
    fresh = 0
    while True:
        cell = acquire(table, slot)
        if cell == 0:
            if fresh == 0:
                if acquire(numbers, USED) >= numbers[LIMIT]:
                    worker.full = dictionary + 1
                    return 0
                fresh = take(numbers, USED, 1) + 1
                k = (fresh - 1) * size
                for i in bits(group):
                    words[k] = state[i]
                    k = k + 1
            if publish(table, slot, 0, tag | fresh):
                return fresh - 1
            continue
        index = (cell & index_mask) - 1
        if (cell ^ tag) & (index_mask ^ 0xFFFFFFFF) == 0 and is_numbered(at(words, index * size), state, group):
            return index
        slot = (slot + 1) & slots


def read_words(run: Run, dictionary: int, index: int, state: U64s) -> None:
    """Write the words of a number into a state."""
    numbers = at(run.numbers, dictionary * NUMBERS)
    k = dictionary * run.most_words + index * numbers[SIZE]
    for i in bits(numbers[GROUP]):
        state[i] = run.words[k]
        k = k + 1


def renumber(run: Run, worker: Worker) -> int:
    """Enter the numbers of the old table of a dictionary into its new one; a number that lost a race is in neither."""
    dictionary = run.grows
    numbers = at(run.numbers, dictionary * NUMBERS)
    table = at(run.number_of, dictionary * 4 * run.most_words)
    slots = numbers[SLOTS]
    index_mask = numbers[INDEX_MASK]
    for place in range(worker.state, worker.state_end):
        index = run.old_numbers[place] & (index_mask >> 1)
        if index != 0:
            read_words(run, dictionary, index - 1, worker.state_words)
            h = group_hash(worker.state_words, numbers[GROUP])
            slot = h & slots
            while table[slot] != 0:
                slot = (slot + 1) & slots
            table[slot] = ((h >> 32) & (index_mask ^ 0xFFFFFFFF)) | index
    return DONE


def ask_for_numbers(run: Run, worker: Worker, states: U64s, count: int) -> None:
    """Hash groups of words, and prefetch the entries of their dictionaries, then the words that those number."""
    for i in range(dictionaries(run)):
        numbers = at(run.numbers, i * NUMBERS)
        if is_retired(numbers):
            continue
        slots = numbers[SLOTS]
        group = group_of(numbers, i)
        table = at(run.number_of, i * 4 * run.most_words)
        hashes = at(worker.word_hashes, i * TOGETHER)
        for j in range(count):
            h = group_hash(at(states, j * WORDS), group)
            hashes[j] = h
            prefetch(table, h & slots)
    for i in range(dictionaries(run)):
        numbers = at(run.numbers, i * NUMBERS)
        if is_retired(numbers):
            continue
        slots = numbers[SLOTS]
        index_mask = numbers[INDEX_MASK]
        size = size_of(numbers)
        table = at(run.number_of, i * 4 * run.most_words)
        words = at(run.words, i * run.most_words)
        hashes = at(worker.word_hashes, i * TOGETHER)
        for j in range(count):
            prefetch(words, ((table[hashes[j] & slots] & index_mask) - 1) * size)


def fields_of_state(run: Run, worker: Worker, state: U64s, hashes: U64s) -> int:
    """The fields that stand for a state; `hashes`, in steps, are of its groups of words."""
    fields = 0
    for i in range(dictionaries(run)):
        numbers = at(run.numbers, i * NUMBERS)
        if not is_retired(numbers):
            fields = fields | (number(run, worker, i, state, hashes[i * TOGETHER]) << numbers[SHIFT])
    return fields


def lay_out_again(run: Run, worker: Worker, fields: int) -> int:
    """The fields of the new layout for those of the old one."""
    state = worker.state_words
    new = 0
    for i in range(run.dictionaries):
        numbers = at(run.numbers, i * NUMBERS)
        if i < run.old_dictionaries:
            index = (fields & numbers[OLD_FIELD]) >> numbers[OLD_SHIFT]
            if numbers[RETIRED] == 0:
                new = new | (index << numbers[SHIFT])
            elif numbers[OLD_FIELD] != 0:
                read_words(run, i, index, state)
        elif numbers[RETIRED] == 0:
            new = new | (number(run, worker, i, state, group_hash(state, numbers[GROUP])) << numbers[SHIFT])
    return new
