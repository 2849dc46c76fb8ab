"""Batches as the model's own functions read them: the same word of all states side by side."""

from isrcheck.engines.native.dialect import U64s, at
from isrcheck.engines.native.kernel.records import BATCH, WORDS, canonical_batch


def spread(words: U64s, count: int, lanes: U64s) -> None:
    """Lay a batch side by side."""
    for s in range(count):
        for i in range(WORDS):
            lanes[i * BATCH + s] = words[s * WORDS + i]


def collect(lanes: U64s, count: int, words: U64s) -> None:
    """Write a batch back, state after state."""
    for s in range(count):
        for i in range(WORDS):
            words[s * WORDS + i] = lanes[i * BATCH + s]


def canonical(words: U64s, count: int) -> None:
    """Replace states by their canonical representatives."""
    done = 0
    while done < count:
        some = count - done
        if some > BATCH:
            some = BATCH
        canonical_batch(at(words, done * WORDS), some)
        done = done + some
