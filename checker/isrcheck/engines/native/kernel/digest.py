"""The digest of all states: the sum of their hashes, whatever their order."""

from isrcheck.engines.native.dialect import U64s, at
from isrcheck.engines.native.kernel.records import DONE, WORDS, Run, Worker
from isrcheck.engines.native.kernel.states import next_unit


def rotate(word: int, bits: int) -> int:
    """A word turned to the left."""
    return (word << bits) | (word >> (64 - bits))


def mixed(word: int) -> int:
    """The last mixing of MurmurHash3."""
    word = (word ^ (word >> 33)) * 0xFF51AFD7ED558CCD
    word = (word ^ (word >> 33)) * 0xC4CEB9FE1A85EC53
    return word ^ (word >> 33)


def add_hash(worker: Worker, words: U64s) -> None:
    """Add one state's MurmurHash3_x64_128 to the digest."""
    low = 0
    high = 0
    for pair in range(WORDS // 2):
        k = rotate(words[2 * pair] * 0x87C37B91114253D5, 31) * 0x4CF5AD432745937F
        low = (rotate(low ^ k, 27) + high) * 5 + 0x52DCE729
        k = rotate(words[2 * pair + 1] * 0x4CF5AD432745937F, 33) * 0x87C37B91114253D5
        high = (rotate(high ^ k, 31) + low) * 5 + 0x38495AB5
    if WORDS % 2 == 1:
        low = low ^ (rotate(words[WORDS - 1] * 0x87C37B91114253D5, 31) * 0x4CF5AD432745937F)
    low = low ^ (WORDS * 8)
    high = high ^ (WORDS * 8)
    low = low + high
    high = high + low
    low = mixed(low)
    high = mixed(high)
    low = low + high
    high = high + low
    total = worker.digest_low + low
    if total < low:
        high = high + 1
    worker.digest_low = total
    worker.digest_high = worker.digest_high + high


def digest(run: Run, worker: Worker) -> int:
    """Add up the hashes of states."""
    while worker.state != worker.state_end or next_unit(run, worker):
        add_hash(worker, at(run.states, worker.state * WORDS))
        worker.state = worker.state + 1
    return DONE
