"""The search level by level: states are expanded, and their successors are judged."""

from isrcheck.engines.native.dialect import at
from isrcheck.engines.native.kernel import records
from isrcheck.engines.native.kernel.insertion import insert_batch
from isrcheck.engines.native.kernel.records import WORDS, Run, Worker
from isrcheck.engines.native.kernel.states import expand, next_batch


def record_targets(worker: Worker, first: int, last: int) -> None:
    """Remember which targets the report of a batch shows."""
    for target in range(first, last):
        worker.seen[target] = worker.seen[target] | worker.report[records.INSTANCES + target]


def advance(run: Run, worker: Worker) -> int:
    """Expand states of the current level; says whether it is done or needs room."""
    while count := next_batch(run, worker):
        if worker.room < records.BATCH * records.INSTANCES:
            return records.FULL
        successors = expand(at(run.states, worker.state * WORDS), count, worker, worker.counts)
        record_targets(worker, records.STATE_TARGETS, records.TARGETS)
        before = worker.distinct
        insert_batch(run, worker, successors)
        worker.room = worker.room - (worker.distinct - before)
        worker.state = worker.state + count
    return records.DONE


def examine(run: Run, worker: Worker) -> int:
    """Judge states of the newest level, and count them by the action that reached them."""
    while count := next_batch(run, worker):
        if records.STATE_TARGETS > 0:
            records.judge(at(run.states, worker.state * WORDS), count, worker.report)
            record_targets(worker, 0, records.STATE_TARGETS)
        for s in range(count):
            mark = run.marks[worker.state + s]
            worker.reached[mark] = worker.reached[mark] + 1
        worker.state = worker.state + count
    return records.DONE
