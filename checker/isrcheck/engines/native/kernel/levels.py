"""The levels: expanded, judged and joined into a graph."""

from isrcheck.engines.native.dialect import at, bits
from isrcheck.engines.native.kernel import records
from isrcheck.engines.native.kernel.records import BATCH, INSTANCES, STATE_TARGETS, WORDS, Run, Worker, judge
from isrcheck.engines.native.kernel.states import expand, outside_of
from isrcheck.engines.native.kernel.table import find, insert_batch, look_ahead
from isrcheck.engines.native.kernel.units import batch_size, next_batch


def record_targets(worker: Worker, first: int, last: int) -> None:
    """Keep the targets a report shows."""
    for target in range(first, last):
        worker.targets_seen[target] = worker.targets_seen[target] | worker.report[INSTANCES + target]


def expand_next(run: Run, worker: Worker) -> int:
    """Expand the next states of the unit in hand; returns how many successors."""
    count = batch_size(worker, BATCH)
    successors = expand(at(run.states, worker.state * WORDS), count, worker, worker.counts)
    record_targets(worker, STATE_TARGETS, records.TARGETS)
    worker.state = worker.state + count
    return successors


def advance(run: Run, worker: Worker) -> int:
    """Whether it is done or needs room."""
    while next_batch(run, worker) > 0:
        if worker.room < BATCH * INSTANCES:
            return records.FULL
        before = worker.distinct
        insert_batch(run, worker, expand_next(run, worker))
        worker.room = worker.room - (worker.distinct - before)
    return records.DONE


def examine(run: Run, worker: Worker) -> int:
    """Judge and count the newest level."""
    while count := next_batch(run, worker):
        outside = 0
        if STATE_TARGETS + records.CONSTRAINED > 0:
            judge(at(run.states, worker.state * WORDS), count, worker.report)
            record_targets(worker, 0, STATE_TARGETS)
            outside = outside_of(worker)
        for s in range(count):
            mark = run.marks[worker.state + s]
            if (outside >> s) & 1 == 0:
                worker.reached[mark] = worker.reached[mark] + 1
            else:
                worker.outside = worker.outside + 1
        worker.state = worker.state + count
    return records.DONE


def mark_target_states(run: Run, worker: Worker) -> int:
    """Mark states that show the target."""
    while count := next_batch(run, worker):
        words = at(run.states, worker.state * WORDS)
        if run.target < STATE_TARGETS:
            judge(words, count, worker.report)
        else:
            records.report_steps(words, count, worker.report, worker.spare_counts)
        for lane in bits(worker.report[INSTANCES + run.target]):
            index = worker.state + lane
            run.marks[index] = run.marks[index] | run.target_mark
        worker.state = worker.state + count
    return records.DONE


def successors_of(run: Run, worker: Worker, count: int) -> int:
    """Expand a batch and replace the hash of each successor by its index plus 1, 0 if it is not stored."""
    successors = expand(at(run.states, worker.state * WORDS), count, worker, worker.spare_counts)
    look_ahead(run, worker, successors)
    for j in range(successors):
        state = at(worker.successors, j * WORDS)
        worker.hashes[j] = find(run, state, worker.hashes[j])
    return successors


def trace_back(run: Run, worker: Worker) -> int:
    """Mark states with what marks their successors in the level after them, which `fresh` begins."""
    while count := next_batch(run, worker):
        successors_of(run, worker, count)
        j = 0
        for instance in range(INSTANCES):
            for lane in bits(worker.report[instance]):
                index = worker.hashes[j]
                if index > run.fresh:
                    source = worker.state + lane
                    run.marks[source] = run.marks[source] | run.marks[index - 1]
                j = j + 1
        worker.state = worker.state + count
    return records.DONE


def link(run: Run, worker: Worker) -> int:
    """Write the steps of the batch in hand, all of whose successors are known, and return how many there are.

    In place of a successor comes its source's index times INSTANCES plus its instance; in place of its hash, its index.
    """
    successors = successors_of(run, worker, batch_size(worker, BATCH))
    j = 0
    for instance in range(INSTANCES):
        for lane in bits(worker.report[instance]):
            worker.hashes[j] = worker.hashes[j] - 1
            worker.successors[j] = (worker.state + lane) * INSTANCES + instance
            j = j + 1
    return successors


def report_targets(run: Run, worker: Worker) -> int:
    """Report the targets of a batch."""
    words = at(run.states, worker.state * WORDS)
    count = batch_size(worker, BATCH)
    records.report_steps(words, count, worker.report, worker.spare_counts)
    judge(words, count, worker.report)
    return records.DONE


def recount(run: Run, worker: Worker) -> int:
    """Count the steps of states, and remember which targets are seen in taking them."""
    while count := next_batch(run, worker):
        records.report_steps(at(run.states, worker.state * WORDS), count, worker.report, worker.counts)
        record_targets(worker, STATE_TARGETS, records.TARGETS)
        worker.state = worker.state + count
    return records.DONE
