"""The graph of a finished search in rows: of each state its steps, its pruned ones, and what is observed of it."""

from isrcheck.engines.native.dialect import U64s, at, bits, lowest_bit
from isrcheck.engines.native.kernel import records
from isrcheck.engines.native.kernel.levels import successors_of
from isrcheck.engines.native.kernel.records import BATCH, INSTANCES, WORDS, Run, Worker
from isrcheck.engines.native.kernel.units import batch_size

EXPORTED = ("write_steps", "leave_out")


NOTHING = 0  # a step that changes nothing
CHANGE = 1
PRUNED = 2


def observe(words: U64s, count: int, report: U64s) -> None:
    """Report the states of a batch: for each condition, where it is true; for each, where it has no value; for each
    instance, where its step is pruned; where a constraint ends the search. The model's own.
    """
    raise NotImplementedError


def position(words: U64s, instance: int) -> int:
    """The position of an instance that can be taken in a state, among all choices of parameters; the model's own."""
    raise NotImplementedError


def fate(run: Run, worker: Worker, lane: int, successor: int) -> int:
    """Say what becomes of a step of the batch; a step that leads out of the graph is pruned."""
    index = worker.hashes[successor]
    if index == 0:
        return PRUNED
    if index == worker.state + lane + 1:
        return NOTHING
    if index > run.graph_states or run.left_out[index - 1] != 0:
        return PRUNED
    return CHANGE


def next_place(counts: U64s, lane: int) -> int:
    place = counts[lane]
    counts[lane] = place + 1
    return place


def lay_out(counts: U64s, count: int, first: U64s) -> None:
    """Turn each state's number of rows into the place where its next row goes."""
    for lane in range(count):
        place = first[lane]
        first[lane + 1] = place + counts[lane]
        counts[lane] = place


def count_rows(run: Run, worker: Worker, pruned: U64s) -> None:
    for lane in range(BATCH):
        worker.more_scratch[lane] = 0
        worker.scratch[lane] = 0
    successor = 0
    for instance in range(INSTANCES):
        for lane in bits(worker.report[instance]):
            what = fate(run, worker, lane, successor)
            if what == CHANGE:
                next_place(worker.more_scratch, lane)
            if what == PRUNED:
                next_place(worker.scratch, lane)
            successor = successor + 1
        for lane in bits(pruned[instance]):
            next_place(worker.scratch, lane)


def write_rows(run: Run, worker: Worker, words: U64s, pruned: U64s) -> None:
    """Write the rows of a batch by source, then by instance."""
    successor = 0
    for instance in range(INSTANCES):
        for lane in bits(worker.report[instance]):
            what = fate(run, worker, lane, successor)
            if what == CHANGE:
                place = next_place(worker.more_scratch, lane)
                run.step_target[place] = worker.hashes[successor] - 1
                run.step_instance[place] = position(at(words, lane * WORDS), instance)
            if what == PRUNED:
                place = next_place(worker.scratch, lane)
                run.pruned_instance[place] = position(at(words, lane * WORDS), instance)
            successor = successor + 1
        for lane in bits(pruned[instance]):
            place = next_place(worker.scratch, lane)
            run.pruned_instance[place] = position(at(words, lane * WORDS), instance)


def write_truths(run: Run, worker: Worker, count: int) -> None:
    outside = run.observed[2 * run.watched + INSTANCES]  # of which nothing is asked
    for i in range(run.watched):
        truths = at(run.truths, i * run.graph_states + worker.state)
        for lane in range(count):
            truths[lane] = (run.observed[i] >> lane) & 1
        wrong = run.observed[run.watched + i] & (outside ^ 0xFFFFFFFFFFFFFFFF)
        if wrong != 0 and run.without_value[i] == 0:
            run.without_value[i] = worker.state + lowest_bit(wrong) + 1


def write_steps(run: Run, worker: Worker) -> int:
    """Write the steps of the unit's states, which come after all those before; an index between them has no state."""
    while run.written < worker.state:
        run.first[run.written + 1] = run.first[run.written]
        run.pruned_first[run.written + 1] = run.pruned_first[run.written]
        run.written = run.written + 1
    pruned = at(run.observed, 2 * run.watched)
    while worker.state < worker.state_end:
        count = batch_size(worker, BATCH)
        words = at(run.states, worker.state * WORDS)
        successors_of(run, worker, count)
        observe(words, count, run.observed)
        count_rows(run, worker, pruned)
        lay_out(worker.more_scratch, count, at(run.first, worker.state))
        lay_out(worker.scratch, count, at(run.pruned_first, worker.state))
        write_rows(run, worker, words, pruned)
        write_truths(run, worker, count)
        worker.state = worker.state + count
        run.written = worker.state
    return records.DONE


def leave_out(run: Run, worker: Worker) -> int:
    """Mark as left out the states of the unit in hand at which a constraint ends the search."""
    while worker.state < worker.state_end:
        count = batch_size(worker, BATCH)
        observe(at(run.states, worker.state * WORDS), count, run.observed)
        for lane in bits(run.observed[2 * run.watched + INSTANCES]):
            run.left_out[worker.state + lane] = 1
        worker.state = worker.state + count
    return records.DONE
