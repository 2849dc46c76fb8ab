"""The graph that was searched: which states show a target, which lead to one, and which steps join them."""

from isrcheck.engines.native.dialect import at, bits
from isrcheck.engines.native.kernel import records
from isrcheck.engines.native.kernel.insertion import look_ahead
from isrcheck.engines.native.kernel.records import WORDS, Run, Worker
from isrcheck.engines.native.kernel.states import batch_size, expand, next_batch
from isrcheck.engines.native.kernel.table import find


def aim(run: Run, worker: Worker) -> int:
    """Mark states that show the run's target."""
    while count := next_batch(run, worker):
        words = at(run.states, worker.state * WORDS)
        if run.target < records.STATE_TARGETS:
            records.judge(words, count, worker.report)
        else:
            records.enabled(words, count, worker.report, worker.spare_counts)
        for lane in bits(worker.report[records.INSTANCES + run.target]):
            index = worker.state + lane
            run.marks[index] = run.marks[index] | run.target_mark
        worker.state = worker.state + count
    return records.DONE


def successors_of(run: Run, worker: Worker, count: int) -> int:
    """Expand a batch and replace the hash of each successor by its index plus 1, 0 if it is not stored."""
    successors = expand(at(run.states, worker.state * WORDS), count, worker, worker.spare_counts)
    look_ahead(run, worker, successors)
    for j in range(successors):
        worker.hashes[j] = find(run, at(worker.successors, j * WORDS), worker.hashes[j])
    return successors


def trace_back(run: Run, worker: Worker) -> int:
    """Mark states with what marks their successors in the level after them, which `fresh` begins."""
    while count := next_batch(run, worker):
        successors_of(run, worker, count)
        j = 0
        for instance in range(records.INSTANCES):
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
    successors = successors_of(run, worker, batch_size(worker))
    j = 0
    for instance in range(records.INSTANCES):
        for lane in bits(worker.report[instance]):
            worker.hashes[j] = worker.hashes[j] - 1
            worker.successors[j] = (worker.state + lane) * records.INSTANCES + instance
            j = j + 1
    return successors


def weigh(run: Run, worker: Worker) -> int:
    """Report every target seen in the batch in hand."""
    words = at(run.states, worker.state * WORDS)
    count = batch_size(worker)
    records.enabled(words, count, worker.report, worker.spare_counts)
    records.judge(words, count, worker.report)
    return records.DONE
