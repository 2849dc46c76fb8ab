"""Breadth-first search, level by level, by any number of workers: the same answer for each number of them."""

import time
from collections.abc import Callable
from contextlib import ExitStack, suppress

from isrcheck.budget import phase
from isrcheck.engines.common.stop_policy import Stopped, StopPolicy
from isrcheck.engines.common.targets import SeenTargets
from isrcheck.engines.contract import Path, Progress, Request, Searched
from isrcheck.engines.native.checkpoint import CheckpointDirectory, Checkpointing, CheckpointRefused, Snapshot
from isrcheck.engines.native.machine import Machine, machine
from isrcheck.engines.native.store import Store
from isrcheck.engines.native.trace import NativeTracer
from isrcheck.engines.native.verify import CheckpointVerifier, Contradiction
from isrcheck.engines.native.workers import WorkerPool
from isrcheck.ir.pack import DIGEST_MODULUS
from isrcheck.ir.scalar import ScalarSystem

_ALONE_BELOW = 4096  # states for each worker; a smaller level is not worth waking the others


def explore(system: ScalarSystem, request: Request, checkpointing: Checkpointing | None = None) -> Searched:
    """Search a system as asked; `FoundFault` if the model's own text goes wrong on the way."""
    return run(machine(system, request.properties, request.symmetry), system, request, checkpointing)


def run(
    compiled: Machine, system: ScalarSystem, request: Request, checkpointing: Checkpointing | None = None
) -> Searched:
    """Search with a machine that was made for this system and these properties."""
    with ExitStack() as stack:
        directory = None if checkpointing is None else CheckpointDirectory(checkpointing)
        if directory is not None:
            stack.callback(directory.close)
        search = NativeSearch(compiled, system, request)
        stack.callback(search.close)
        if directory is not None and checkpointing is not None:
            search.keep(directory, checkpointing.every)
        return search.run()


class NativeSearch:
    """One search under way."""

    def __init__(self, compiled: Machine, system: ScalarSystem, request: Request) -> None:
        self.system = system
        self._request = request
        self._machine = compiled
        self._targets = compiled.program.targets
        self._policy = StopPolicy(request, {each.name: each.kind for each in system.properties})
        self._complete = 0  # levels of which every state is known and judged
        self._directory: CheckpointDirectory | None = None
        self._keep_every = self._keep_next = 0.0
        self._snapshot: Snapshot | None = None
        self.pool = WorkerPool(compiled, max(1, request.workers))
        self.store = Store(self.pool, request.limits.memory)
        self.seen = SeenTargets(self._targets, request)

    def close(self) -> None:
        """Give threads and memory back."""
        self.pool.close()
        self.store.close()

    def run(self) -> Searched:
        """The whole search, its traces and its digest."""
        phase("")
        cut: str | None = None
        with self._policy.stop_request.listening():
            try:
                self._levels()
            except Stopped as reason:
                cut = str(reason)
                self._look_at_newest()
            if cut is not None:
                self._save()
            return self._answer(cut)

    # Levels

    def _levels(self) -> None:
        if self._snapshot is not None:
            self._verify(self._snapshot)
        else:
            self._seed()
            self._judge_newest()
        while True:
            self._complete = len(self.store.levels)
            self._keep_level()
            self._stop_after_level()
            self._after_level()
            self._expand_newest()
            if not self.store.levels[-1]:
                self.store.drop_empty_level()
                return
            self._judge_newest()

    def _seed(self) -> None:
        program = self._machine.program
        self.store.begin_level(shared=False)
        self.pool.words(0, "successors", program.words)[:] = program.packing.pack(self.system.initial)
        self.pool.call("canonicalize")
        self.pool.call("insert_initial")
        self.store.update_level()

    def _expand_newest(self) -> None:
        frontier = self.store.levels[-1]
        size = sum(end - start for start, end in frontier)
        self.store.begin_level(shared=size >= _ALONE_BELOW * len(self.pool.workers) > _ALONE_BELOW)
        self.store.make_room(self.distinct)
        self.pool.run_over("advance", frontier, self._pause)
        self.store.update_level()
        self.record_targets(len(self.store.levels) - 2)

    def _judge_newest(self) -> None:
        self.pool.run_over("examine", self.store.levels[-1])
        self.record_targets(len(self.store.levels) - 1)

    def _look_at_newest(self) -> None:
        """What a level that was cut short shows."""
        if self._complete == len(self.store.levels):
            return
        self.record_targets(len(self.store.levels) - 2)
        if self.store.update_level():
            self._judge_newest()
        self.store.drop_empty_level()

    def record_targets(self, level: int) -> None:
        """Remember the targets that were seen up to now and not before this level."""
        self.seen.add(self.pool.total("seen", len(self._targets)), level)

    # Checkpoints

    def keep(self, directory: CheckpointDirectory, every: float) -> None:
        """Go on from what is kept, if anything is, and keep what is found."""
        self._directory, self._keep_every = directory, every
        self._keep_next = time.perf_counter() + every
        self._snapshot = directory.load(self._machine.program.actions, len(self._targets), self.store.state_bytes)
        if self._snapshot is not None:
            self._restore(directory, self._snapshot)

    def _restore(self, directory: CheckpointDirectory, snapshot: Snapshot) -> None:
        if not self.store.fits(snapshot.distinct):
            raise CheckpointRefused(f"the checkpoint's {snapshot.distinct:,} states do not fit into this run's memory")
        with memoryview(self.store.states.map) as states:
            directory.read_states(states)

    def _verify(self, snapshot: Snapshot) -> None:
        """Confirm what was kept, to go on from there."""
        try:
            CheckpointVerifier(self, snapshot, self._check).run()
        except Contradiction as reason:
            assert self._directory is not None
            raise self._directory.contradicted(str(reason)) from None
        finally:
            self._complete = len(self.store.levels)

    def _keep_level(self) -> None:
        """Remember how things stand at the end of a level, and write it down when it is time."""
        if self._directory is None:
            return
        self._snapshot = self.snapshot()
        if time.perf_counter() >= self._keep_next:
            self._save()
            self._keep_next = time.perf_counter() + self._keep_every

    def snapshot(self) -> Snapshot:
        """All that is known but the states; it can be gone on from at the end of a level."""
        return Snapshot(
            levels=[sum(end - start for start, end in level) for level in self.store.levels],
            distinct=self.distinct,
            counts=self.pool.total("counts", self._machine.program.actions + 1),
            reached=self.pool.total("reached", self._machine.program.actions + 1),
            seen=[list(pair) for pair in self.seen.positions],
        )

    def _save(self) -> None:
        if self._directory is not None and self._snapshot is not None:
            ranges = self.store.levels[: len(self._snapshot.levels)]
            with memoryview(self.store.states.map) as states:
                self._directory.save(self._snapshot, ranges, states, self.store.state_bytes)

    # Ends

    def _stop_after_level(self) -> None:
        """Raises Stopped if enough was seen, or a limit is reached."""
        self._policy.after_level(self.seen.decided(), self.distinct, len(self.store.levels))
        self._check()

    def _after_level(self) -> None:
        """A level is complete, and the search goes on; for those who take it elsewhere."""

    def _pause(self) -> None:
        """Between two slices: show how far the search is, stop it if asked, make room."""
        self._check()
        self.store.make_room(self.distinct)

    def _check(self) -> None:
        self._policy.check(self.distinct, self._progress)

    def _progress(self) -> Progress:
        newest = sum(end - start for start, end in self.store.levels[-1])
        return Progress(self._complete, self.distinct, self.generated, newest, self._policy.seconds)

    # Answers

    @property
    def distinct(self) -> int:
        """The states found so far."""
        return sum(worker.distinct for worker in self.pool.workers)

    @property
    def generated(self) -> int:
        """The steps taken so far, and the initial state."""
        return 1 + sum(self.pool.total("counts", self._machine.program.actions))

    def _answer(self, cut: str | None) -> Searched:
        actions = self._machine.program.actions
        counts = self.pool.total("counts", actions + 1)
        found: dict[str, Path] = {}
        digest: str | None = None
        # What was found until a first signal is still shown.
        pause = (lambda: None) if self._policy.interrupted else self._policy.check_interrupt
        try:
            found = self._found(pause)
        except Stopped as reason:  # without its trace no violation is known, and so nothing holds
            cut = cut or str(reason)
        with suppress(Stopped):  # verdicts need no digest
            digest = self._digest(pause) if cut is None else None
        if digest is not None and self._request.visited:
            for piece in self.store.packed(self.store.all):
                self._request.visited(piece)
        return Searched(
            distinct=self.distinct,
            generated=1 + sum(counts[:actions]),
            depth=self._complete,
            levels=tuple(sum(end - start for start, end in level) for level in self.store.levels[: self._complete]),
            pruned=counts[actions],
            digest=digest,
            cut=cut,
            interrupted=self._policy.interrupted,
            found=found,
            action_generated=tuple(counts[:actions]),
            action_distinct=tuple(self.pool.total("reached", actions + 1)[1:]),
            seconds=self._policy.seconds,
        )

    def _found(self, pause: Callable[[], None]) -> dict[str, Path]:
        """The traces of all that was asked for and seen, in the order of the targets."""
        needed = self.seen.needing_paths()
        if not needed:
            return {}
        self.pool.run.shared = int(len(self.pool.workers) > 1)
        return self.seen.by_name(NativeTracer(self.system, self.pool, self.store, pause).paths(needed))

    def _digest(self, pause: Callable[[], None]) -> str:
        self.pool.run.shared = int(len(self.pool.workers) > 1)
        self.pool.run_over("digest", self.store.all, pause)
        total = sum(worker.digest_low + (worker.digest_high << 64) for worker in self.pool.workers)
        return f"{total % DIGEST_MODULUS:032x}"
