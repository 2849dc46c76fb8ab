"""The graph that was searched: which states show a target, which lead to one, and which steps join them."""

from isrcheck.engines.native.dialect import at, lowest_bit
from isrcheck.engines.native.kernel.insertion import look_ahead
from isrcheck.engines.native.kernel.records import DONE, INSTANCES, STATE_TARGETS, WORDS, Run, Worker, enabled, judge
from isrcheck.engines.native.kernel.states import batch_size, expand, next_unit
from isrcheck.engines.native.kernel.table import find


def aim(run: Run, worker: Worker) -> int:
    """Mark states that show the run's target."""
    while True:
        if worker.state == worker.state_end and not next_unit(run, worker):
            return DONE
        count = batch_size(worker)
        words = at(run.states, worker.state * WORDS)
        if run.target < STATE_TARGETS:
            judge(words, count, worker.report)
        else:
            enabled(words, count, worker.report, worker.spare_counts)
        left = worker.report[INSTANCES + run.target]
        while left != 0:
            index = worker.state + lowest_bit(left)
            run.marks[index] = run.marks[index] | run.target_mark
            left = left & (left - 1)
        worker.state = worker.state + count


def trace_back(run: Run, worker: Worker) -> int:
    """Mark states with what marks their successors in the level after them, which `fresh` begins."""
    while True:
        if worker.state == worker.state_end and not next_unit(run, worker):
            return DONE
        count = batch_size(worker)
        found = expand(at(run.states, worker.state * WORDS), count, worker, worker.spare_counts)
        look_ahead(run, worker, found)
        j = 0
        for instance in range(INSTANCES):
            left = worker.report[instance]
            while left != 0:
                index = find(run, at(worker.successors, j * WORDS))
                if index > run.fresh:
                    source = worker.state + lowest_bit(left)
                    run.marks[source] = run.marks[source] | run.marks[index - 1]
                left = left & (left - 1)
                j = j + 1
        worker.state = worker.state + count


def link(run: Run, worker: Worker) -> int:
    """Write the steps of the batch in hand, all of whose successors are known, and return how many there are.

    In place of a successor comes its source's index times INSTANCES plus its instance; in place of its hash, its index.
    """
    count = batch_size(worker)
    found = expand(at(run.states, worker.state * WORDS), count, worker, worker.spare_counts)
    look_ahead(run, worker, found)
    for j in range(found):
        worker.hashes[j] = find(run, at(worker.successors, j * WORDS)) - 1
    j = 0
    for instance in range(INSTANCES):
        left = worker.report[instance]
        while left != 0:
            worker.successors[j] = (worker.state + lowest_bit(left)) * INSTANCES + instance
            left = left & (left - 1)
            j = j + 1
    return found


def weigh(run: Run, worker: Worker) -> int:
    """Report every target seen in the batch in hand."""
    words = at(run.states, worker.state * WORDS)
    count = batch_size(worker)
    enabled(words, count, worker.report, worker.spare_counts)
    judge(words, count, worker.report)
    return DONE
