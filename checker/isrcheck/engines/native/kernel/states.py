"""States in batches: side by side, hashed, compared and expanded; their digest."""

from isrcheck.engines.native.dialect import U64s, at, prefetch
from isrcheck.engines.native.kernel import records
from isrcheck.engines.native.kernel.records import BATCH, DONE, WORDS, Run, Worker, canonical_batch
from isrcheck.engines.native.kernel.units import next_batch


def spread(words: U64s, count: int, lanes: U64s) -> None:
    for s in range(count):
        for i in range(WORDS):
            lanes[i * BATCH + s] = words[s * WORDS + i]


def collect(lanes: U64s, count: int, words: U64s) -> None:
    for s in range(count):
        for i in range(WORDS):
            words[s * WORDS + i] = lanes[i * BATCH + s]


def canonical(words: U64s, count: int) -> None:
    done = 0
    while done < count:
        some = count - done
        if some > BATCH:
            some = BATCH
        canonical_batch(at(words, done * WORDS), some)
        done = done + some


def scramble(words: U64s) -> int:
    """Return a 64-bit hash of a state for the table; no answer depends on it."""
    h = 0
    for i in range(WORDS):
        h = (h ^ words[i]) * 0x9E3779B97F4A7C15
        h = h ^ (h >> 32)
    h = h * 0xD6E8FEB86659FD93
    return h ^ (h >> 29)


def scramble_all(run: Run, worker: Worker, states: U64s, count: int) -> None:
    """Hash, and prefetch table entries."""
    table = run.table
    slots = run.slots
    hashes = worker.hashes
    for j in range(count):
        h = scramble(at(states, j * WORDS))
        hashes[j] = h
        prefetch(table, h & slots)


def same(a: U64s, b: U64s) -> bool:
    difference = 0
    for i in range(WORDS):
        difference = difference | (a[i] ^ b[i])
    return difference == 0


def expand(words: U64s, count: int, worker: Worker, counts: U64s) -> int:
    """Compute the successors of a batch of states; return how many there are."""
    records.report_steps(words, count, worker.report, counts)
    successors = records.apply(words, worker.report, worker.successors, worker.marks)
    if records.SYMMETRIC != 0:
        canonical(worker.successors, successors)
    return successors


def outside_of(worker: Worker) -> int:
    """The states of a judged batch at which a constraint ends the search."""
    if records.CONSTRAINED != 0:
        return worker.report[records.INSTANCES + records.TARGETS]
    return 0


def rotate(value: int, bits: int) -> int:
    return (value << bits) | (value >> (64 - bits))


def mix(value: int) -> int:
    """Mix the bits of a number as MurmurHash3 does last."""
    value = (value ^ (value >> 33)) * 0xFF51AFD7ED558CCD
    value = (value ^ (value >> 33)) * 0xC4CEB9FE1A85EC53
    return value ^ (value >> 33)


def add_hash(worker: Worker, words: U64s) -> None:
    """Add the MurmurHash3_x64_128 of a state to the worker's digest."""
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
    low = mix(low)
    high = mix(high)
    low = low + high
    high = high + low
    total = worker.digest_low + low
    if total < low:
        high = high + 1
    worker.digest_low = total
    worker.digest_high = worker.digest_high + high


def digest(run: Run, worker: Worker) -> int:
    """Add up the hashes of states, but for those outside."""
    while count := next_batch(run, worker):
        outside = 0
        if records.CONSTRAINED != 0:
            records.judge(at(run.states, worker.state * WORDS), count, worker.report)
            outside = outside_of(worker)
        for s in range(count):
            if (outside >> s) & 1 == 0:
                add_hash(worker, at(run.states, (worker.state + s) * WORDS))
        worker.state = worker.state + count
    return DONE
