"""Seeded random walks with the search's own machine code: the same for any number of workers."""

from contextlib import closing
from functools import partial

from isrcheck.engines.common.evaluate import Values, position_of
from isrcheck.engines.common.targets import At, SearchTarget, Stopped, StopPolicy
from isrcheck.engines.contract import Path, Progress, Request, Sampled
from isrcheck.engines.native.lowered import Lowered
from isrcheck.engines.native.program import BATCH
from isrcheck.engines.native.trace import last_steps, successor_words
from isrcheck.engines.native.workers import WorkerPool
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.passes.bind import refuse_several
from isrcheck.process.budget import phase

_WORD_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_ROUND = 4096  # batches split at once


def simulate(system: ScalarSystem, request: Request, seed: int, walks: int, steps: int) -> Sampled:
    refuse_several("the model", len(system.initials), "a random run begins in one")
    return _Simulation(system, request, seed, walks, steps).run()


class _Simulation:
    def __init__(self, system: ScalarSystem, request: Request, seed: int, walks: int, steps: int) -> None:
        self._system, self._request = system, request
        self._seed, self._walks, self._steps = seed & _WORD_MASK, walks, steps
        compiled = Lowered.of(system, request.properties).machine()
        self._program = compiled.program
        self._pool = WorkerPool(compiled, max(1, request.workers))
        self._policy = StopPolicy(request, {})
        self._done = 0  # batches, before the present round

    def run(self) -> Sampled:
        with closing(self._pool), self._policy.stop_request.listen_to_signals():
            return self._run()

    def _run(self) -> Sampled:
        phase("")
        self._prepare()
        cut = None
        batches, pause = -(-self._walks // BATCH), partial(self._policy.check, 0, self._progress)
        try:
            for self._done in range(0, batches, _ROUND):
                self._pool.run_over("wander", [(self._done, min(self._done + _ROUND, batches))], pause, unit=1)
        except Stopped as reason:
            cut = str(reason)
        done = self._done + self._pool.taken
        return Sampled(
            seed=self._seed,
            walks=min(self._walks, done * BATCH),
            steps=sum(worker.walked for worker in self._pool.workers),
            cut=cut,
            interrupted=self._policy.interrupted,
            paths=self._paths(),
            seconds=self._policy.seconds,
        )

    def _prepare(self) -> None:
        run, program = self._pool.run, self._program
        run.seed, run.walks, run.walk_steps = self._seed, self._walks, self._steps
        self._pool.share(self._walks * self._steps)
        for number in range(len(self._pool.workers)):
            self._pool.words(number, "first", program.words)[:] = program.packing.pack(self._system.initial)
            self._pool.words(number, "hit_walk", len(program.targets))[:] = [_WORD_MASK] * len(program.targets)

    def _progress(self) -> Progress:
        steps = sum(worker.walked for worker in self._pool.workers)
        return Progress(self._steps, 0, steps, (self._done + self._pool.taken) * BATCH, self._policy.seconds)

    def _paths(self) -> dict[str, Path]:
        hits = self._hits()
        faults = [target for target in hits if target.fault]
        if faults:
            target = min(faults, key=hits.__getitem__)
            raise target.fault_after(self._path(target, *hits[target]))
        asked = [target for target in hits if target.kind is not At.DEADLOCK or self._request.deadlock]
        return {target.name: self._path(target, *hits[target]) for target in asked}

    def _hits(self) -> dict[SearchTarget, tuple[int, int]]:
        targets = self._program.targets
        names, workers = ("hit_walk", "hit_steps"), range(len(self._pool.workers))
        rows = [[self._pool.words(number, name, len(targets)) for name in names] for number in workers]
        least = {each: min((walks[p], steps[p]) for walks, steps in rows) for p, each in enumerate(targets)}
        return {target: hit for target, hit in least.items() if hit[0] != _WORD_MASK}

    def _path(self, target: SearchTarget, walk: int, steps: int) -> Path:
        layout = self._program.packing
        dice = _next_random((self._seed + _next_random(walk)) & _WORD_MASK)
        state, path = self._system.initial, []
        for _ in range(steps):
            dice = (dice + _GOLDEN) & _WORD_MASK
            ways = successor_words(self._pool, state)
            instance, words = ways[_next_random(dice) % len(ways)]
            path.append(position_of(self._system, instance, Values(state)))
            state = layout.unpack(words)
        if target.ends_with_step:
            path.append(position_of(self._system, next(last_steps(self._system, target, state)), Values(state)))
        return tuple(path)


def _next_random(value: int) -> int:
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _WORD_MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _WORD_MASK
    return value ^ (value >> 31)
