"""Random walks, a batch of them side by side."""

from isrcheck.engines.native.dialect import at, bits, lowest_bit
from isrcheck.engines.native.kernel import records
from isrcheck.engines.native.kernel.records import BATCH, INSTANCES, WORDS, Run, Worker
from isrcheck.engines.native.kernel.units import copy, next_unit


def next_random(value: int) -> int:
    """SplitMix64's next number."""
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB
    return value ^ (value >> 31)


def wander(run: Run, worker: Worker) -> int:
    """A unit is a range of batches."""
    while worker.state != worker.state_end or next_unit(run, worker):
        wander_together(run, worker, worker.state * BATCH)
        worker.state = worker.state + 1
    return records.DONE


def wander_together(run: Run, worker: Worker, walk: int) -> None:
    """Each walk steps while it can."""
    live = 0
    for lane in range(BATCH):
        copy(at(worker.walkers, lane * WORDS), worker.first)
        worker.scratch[lane] = next_random(run.seed + next_random(walk + lane))
        if walk + lane < run.walks:
            live = live | (1 << lane)
    for steps in range(run.walk_steps + 1):
        if records.STATE_TARGETS > 0:
            records.judge(worker.walkers, BATCH, worker.report)
        records.report_steps(worker.walkers, BATCH, worker.report, worker.spare_counts)
        hit(worker, walk, steps, live)
        if steps == run.walk_steps:
            return
        live = choose(worker, live)
        if live == 0:
            return
        taken = records.apply(worker.walkers, worker.report, worker.successors, worker.marks)
        land(worker)
        worker.walked = worker.walked + taken


def hit(worker: Worker, walk: int, steps: int, live: int) -> None:
    """Keep each target's least walk."""
    least = worker.hit_walk
    for target in range(records.TARGETS):
        hits = worker.report[INSTANCES + target] & live
        if hits != 0:
            number = walk + lowest_bit(hits)
            if number < least[target]:
                least[target] = number
                worker.hit_steps[target] = steps


def choose(worker: Worker, live: int) -> int:
    """Leave in the report one random step of each walk; returns the walks that have one."""
    report = worker.report
    ways = worker.more_scratch
    for lane in range(BATCH):
        ways[lane] = 0
    for instance in range(INSTANCES):
        report[instance] = report[instance] & live
        for lane in bits(report[instance]):
            ways[lane] = ways[lane] + 1
    able = 0
    for lane in range(BATCH):
        if ways[lane] != 0:
            able = able | (1 << lane)
            worker.scratch[lane] = worker.scratch[lane] + 0x9E3779B97F4A7C15
            ways[lane] = next_random(worker.scratch[lane]) % ways[lane]
    for instance in range(INSTANCES):
        chosen = 0
        for lane in bits(report[instance]):
            if ways[lane] == 0:
                chosen = chosen | (1 << lane)
            ways[lane] = ways[lane] - 1
        report[instance] = chosen
    return able


def land(worker: Worker) -> None:
    """Move the walks to successors."""
    j = 0
    for instance in range(INSTANCES):
        for lane in bits(worker.report[instance]):
            copy(at(worker.walkers, lane * WORDS), at(worker.successors, j * WORDS))
            j = j + 1
