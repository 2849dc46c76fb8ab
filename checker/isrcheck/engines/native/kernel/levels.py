"""The search level by level: states are expanded, and what that finds is judged."""

from isrcheck.engines.native.dialect import at
from isrcheck.engines.native.kernel.insertion import insert_batch
from isrcheck.engines.native.kernel.records import (
    BATCH,
    DONE,
    FULL,
    INSTANCES,
    STATE_TARGETS,
    TARGETS,
    WORDS,
    Run,
    Worker,
    judge,
)
from isrcheck.engines.native.kernel.states import batch_size, expand, next_unit


def notice(worker: Worker, first: int, last: int) -> None:
    """Remember which targets the report of a batch shows."""
    for target in range(first, last):
        worker.seen[target] = worker.seen[target] | worker.report[INSTANCES + target]


def advance(run: Run, worker: Worker) -> int:
    """Expand states of the current level; says whether it is done or needs room."""
    while True:
        if worker.state == worker.state_end and not next_unit(run, worker):
            return DONE
        if worker.room < BATCH * INSTANCES:
            return FULL
        count = batch_size(worker)
        found = expand(at(run.states, worker.state * WORDS), count, worker, worker.counts)
        notice(worker, STATE_TARGETS, TARGETS)
        before = worker.distinct
        insert_batch(run, worker, found)
        worker.room = worker.room - (worker.distinct - before)
        worker.state = worker.state + count


def examine(run: Run, worker: Worker) -> int:
    """Judge states of the newest level, and count them by the action that reached them."""
    while True:
        if worker.state == worker.state_end and not next_unit(run, worker):
            return DONE
        count = batch_size(worker)
        if STATE_TARGETS > 0:
            judge(at(run.states, worker.state * WORDS), count, worker.report)
            notice(worker, 0, STATE_TARGETS)
        for s in range(count):
            mark = run.marks[worker.state + s]
            worker.reached[mark] = worker.reached[mark] + 1
        worker.state = worker.state + count
