"""Words of states as numbers: a dictionary for each word, and for each pair of numbers but the last, which is a key.

A dictionary has its words by number, and a table of numbers plus 1 with a tag of the hash above. A number that loses a
race for its word to another worker is in no table, and stands for nothing.
"""

from isrcheck.engines.native.dialect import U64s, acquire, at, prefetch, publish, take
from isrcheck.engines.native.kernel.records import DONE, WORDS, Run, Worker

EXPORTED = ("renumber",)

NUMBERS = 16  # words of a dictionary's record: two cache lines, of which the second is written
SLOTS = 0  # in it: of its table, less 1
INDEX_MASK = 1  # the bits of an entry that are a number plus 1
LIMIT = 2  # on numbers
USED = 8  # numbers
TOGETHER = 128  # successors whose memory is asked for together


def word_hash(value: int) -> int:
    h = value * 0x9E3779B97F4A7C15
    h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93
    return h ^ (h >> 29)


def number(run: Run, worker: Worker, dictionary: int, value: int, h: int) -> int:
    """A word's own number, perhaps a new one; 0 and the worker's `full` if there is no room for it. `h`: its hash."""
    numbers = at(run.numbers, dictionary * NUMBERS)
    table = at(run.number_of, dictionary * 4 * run.most_words)
    words = at(run.words, dictionary * run.most_words)
    slots = numbers[SLOTS]
    index_mask = numbers[INDEX_MASK]
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
                words[fresh - 1] = value
            if publish(table, slot, 0, tag | fresh):
                return fresh - 1
            continue
        if (cell ^ tag) & (index_mask ^ 0xFFFFFFFF) == 0 and words[(cell & index_mask) - 1] == value:
            return (cell & index_mask) - 1
        slot = (slot + 1) & slots


def renumber(run: Run, worker: Worker) -> int:
    """Enter the numbers of the old table of a dictionary into its new one; a number that lost a race is in neither."""
    dictionary = run.grows
    numbers = at(run.numbers, dictionary * NUMBERS)
    table = at(run.number_of, dictionary * 4 * run.most_words)
    words = at(run.words, dictionary * run.most_words)
    slots = numbers[SLOTS]
    index_mask = numbers[INDEX_MASK]
    for place in range(worker.state, worker.state_end):
        index = run.old_numbers[place] & (index_mask >> 1)
        if index != 0:
            h = word_hash(words[index - 1])
            slot = h & slots
            while table[slot] != 0:
                slot = (slot + 1) & slots
            table[slot] = ((h >> 32) & (index_mask ^ 0xFFFFFFFF)) | index
    return DONE


def ask_for_numbers(run: Run, worker: Worker, states: U64s, count: int) -> None:
    """Hash whole words, and prefetch the entries of their dictionaries, then the words that those number."""
    for i in range(WORDS):
        slots = run.numbers[i * NUMBERS + SLOTS]
        table = at(run.number_of, i * 4 * run.most_words)
        hashes = at(worker.word_hashes, i * TOGETHER)
        for j in range(count):
            h = word_hash(states[j * WORDS + i])
            hashes[j] = h
            prefetch(table, h & slots)
    for i in range(WORDS):
        slots = run.numbers[i * NUMBERS + SLOTS]
        index_mask = run.numbers[i * NUMBERS + INDEX_MASK]
        table = at(run.number_of, i * 4 * run.most_words)
        words = at(run.words, i * run.most_words)
        hashes = at(worker.word_hashes, i * TOGETHER)
        for j in range(count):
            prefetch(words, (table[hashes[j] & slots] & index_mask) - 1)


def root(run: Run, worker: Worker, state: U64s, hashes: U64s) -> int:
    """The two numbers that stand for a state, 32 bits each, or its only word; `hashes`, in steps, are of its words."""
    if WORDS == 1:
        return state[0]
    tree = worker.tree
    for i in range(WORDS):
        tree[i] = number(run, worker, i, state[i], hashes[i * TOGETHER])
    left = WORDS
    dictionary = 0
    while left > 2:
        dictionary = dictionary + left
        for i in range(left // 2):
            tree[i] = tree[2 * i] | (tree[2 * i + 1] << 32)
        if left % 2 == 1:
            tree[left // 2] = tree[left - 1]
        left = (left + 1) // 2
        for i in range(left):
            tree[i] = number(run, worker, dictionary + i, tree[i], word_hash(tree[i]))
    return tree[0] | (tree[1] << 32)
