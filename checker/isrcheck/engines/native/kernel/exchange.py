"""States that come from elsewhere and go elsewhere, by bucket of hash: of one level, never all that were seen."""

from isrcheck.engines.native.dialect import U64s, at
from isrcheck.engines.native.kernel.records import BATCH, DONE, REFILL, WORDS, Run, Worker
from isrcheck.engines.native.kernel.states import mix, scramble, scramble_all
from isrcheck.engines.native.kernel.table import find, insert_batch
from isrcheck.engines.native.kernel.units import batch_size, copy

EXPORTED = ("insert_states", "filter_visited", "compact", "count_by_bucket", "partition")


def insert_states(run: Run, worker: Worker) -> int:
    """Look up the states from `state` to `state_end` of the source, each with its mark; there must be room for all."""
    while worker.state < worker.state_end:
        count = batch_size(worker, BATCH)
        for j in range(count):
            copy(at(worker.successors, j * WORDS), at(worker.source, (worker.state + j) * WORDS))
            worker.marks[j] = worker.source_marks[worker.state + j]
        insert_batch(run, worker, count)
        worker.state = worker.state + count
    return DONE


def filter_visited(run: Run, worker: Worker) -> int:
    """Set the marks of the stored states to 0 that are among those from `state` to `state_end`."""
    while worker.state < worker.state_end:
        count = batch_size(worker, REFILL)
        scramble_all(run, worker, at(worker.source, worker.state * WORDS), count)
        for j in range(count):
            index = find(run, at(worker.source, (worker.state + j) * WORDS), worker.hashes[j])
            if index != 0:
                run.marks[index - 1] = 0
        worker.state = worker.state + count
    return DONE


def compact(run: Run, worker: Worker) -> int:
    """Move the marked states from `state` to `state_end` to where `state` was; returns how many."""
    first = worker.state
    place = first
    for s in range(first, worker.state_end):
        if run.marks[s] != 0:
            copy(at(run.states, place * WORDS), at(run.states, s * WORDS))
            run.marks[place] = run.marks[s]
            place = place + 1
    return place - first


def bucket_of(run: Run, state: U64s) -> int:
    """The bucket that a state belongs to. Checkpoints depend on it; the hash of the table must be another one."""
    return ((mix(scramble(state)) >> 32) * run.buckets) >> 32


def count_by_bucket(run: Run, worker: Worker) -> int:
    for s in range(worker.state, worker.state_end):
        bucket = bucket_of(run, at(run.states, s * WORDS))
        worker.places[bucket] = worker.places[bucket] + 1
    return DONE


def partition(run: Run, worker: Worker) -> int:
    """Write the states from `state` to `state_end`, with their marks, each to the next place of its bucket."""
    for s in range(worker.state, worker.state_end):
        bucket = bucket_of(run, at(run.states, s * WORDS))
        place = worker.places[bucket]
        copy(at(worker.target, place * WORDS), at(run.states, s * WORDS))
        worker.target_marks[place] = run.marks[s]
        worker.places[bucket] = place + 1
    return DONE
