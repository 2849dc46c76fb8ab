"""Breadth-first search, level by level, by any number of workers: the same answer for each number of them."""

import time
from collections.abc import Callable
from contextlib import ExitStack, suppress

from isrcheck.budget import current, phase, resident_bytes
from isrcheck.engines.contract import Exploration, Path, Progress, Request
from isrcheck.engines.interrupt import StopRequest
from isrcheck.engines.native.checkpoint import CheckpointDirectory, Checkpointing, CheckpointRefused, Snapshot
from isrcheck.engines.native.codegen import Target
from isrcheck.engines.native.ends import Ends
from isrcheck.engines.native.machine import Machine, machine
from isrcheck.engines.native.store import Store, StoreFull, counted
from isrcheck.engines.native.trace import NativeTracer
from isrcheck.engines.native.verify import CheckpointVerifier, Contradiction
from isrcheck.engines.native.workers import WorkerPool
from isrcheck.ir.pack import DIGEST_MODULUS
from isrcheck.ir.scalar import ScalarSystem

_ALONE_BELOW = 4096  # states for each worker; a smaller level is not worth waking the others
_PROGRESS_SECONDS = 0.1


def _nothing() -> None:
    pass


class _Cut(Exception):
    """The search ends before every state was expanded; the text says why, as a phrase."""


def explore(system: ScalarSystem, request: Request, checkpointing: Checkpointing | None = None) -> Exploration:
    """Search a system as asked; `FoundFault` if the model's own text goes wrong on the way."""
    return run(machine(system, request.properties, request.symmetry), system, request, checkpointing)


def run(
    compiled: Machine, system: ScalarSystem, request: Request, checkpointing: Checkpointing | None = None
) -> Exploration:
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
        self._ends = Ends(system, request, self._targets)
        self._began = time.perf_counter()
        self._told = self._began
        self._stop = StopRequest()
        self._whole = 0  # levels that were found whole and judged
        self._directory: CheckpointDirectory | None = None
        self._keep_every = self._keep_next = 0.0
        self._snapshot: Snapshot | None = None
        self.pool = WorkerPool(compiled, max(1, request.workers))
        self.store = Store(self.pool, request.limits.memory)
        self.seen: dict[Target, int] = {}  # the level, from 0, in which each target was first seen

    def close(self) -> None:
        """Give threads and memory back."""
        self.pool.close()
        self.store.close()

    def run(self) -> Exploration:
        """The whole search, its traces and its digest."""
        phase("")
        cut: str | None = None
        with self._stop.listening():
            try:
                self._levels()
            except (_Cut, StoreFull) as reason:
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
            self._whole = len(self.store.levels)
            self._keep_level()
            self._stop_after_level()
            self._after_level()
            self._expand_newest()
            if not self.store.levels[-1]:
                self.store.drop_empty_level()
                return
            self._judge_newest()

    def _seed(self) -> None:
        made = self._machine.program
        self.store.begin_level(shared=False)
        self.pool.words(0, "successors", made.words)[:] = made.packing.pack(self.system.initial)
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
        self.notice(len(self.store.levels) - 2)

    def _judge_newest(self) -> None:
        self.pool.run_over("examine", self.store.levels[-1])
        self.notice(len(self.store.levels) - 1)

    def _look_at_newest(self) -> None:
        """What a level that was cut short shows."""
        if self._whole == len(self.store.levels):
            return
        self.notice(len(self.store.levels) - 2)
        if self.store.update_level():
            self._judge_newest()
        self.store.drop_empty_level()

    def notice(self, level: int) -> None:
        """Remember the targets that were seen up to now and not before this level."""
        self._ends.notice(self.seen, self.pool.total("seen", len(self._targets)), level)

    # Checkpoints

    def keep(self, directory: CheckpointDirectory, every: float) -> None:
        """Go on from what is kept, if anything is, and keep what is found."""
        self._directory, self._keep_every = directory, every
        self._keep_next = time.perf_counter() + every
        self._snapshot = directory.load(self._machine.actions, len(self._targets), self.store.state_bytes)
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
            self._whole = len(self.store.levels)

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
            counts=self.pool.total("counts", self._machine.actions + 1),
            reached=self.pool.total("reached", self._machine.actions + 1),
            seen=[[self._targets.index(target), level] for target, level in self.seen.items()],
        )

    def _save(self) -> None:
        if self._directory is not None and self._snapshot is not None:
            ranges = self.store.levels[: len(self._snapshot.levels)]
            with memoryview(self.store.states.map) as states:
                self._directory.save(self._snapshot, ranges, states, self.store.state_bytes)

    # Ends

    def _stop_after_level(self) -> None:
        """Cut the search if enough was seen, or a limit of states or levels is reached."""
        reason = self._ends.reason(self.seen, self.distinct, len(self.store.levels))
        if reason is not None:
            raise _Cut(reason)
        self._check()

    def _after_level(self) -> None:
        """A level is whole, and the search goes on; for those who take it elsewhere."""

    def _pause(self) -> None:
        """Between two slices: tell how far the search is, stop it if asked, make room."""
        self._check()
        self.store.make_room(self.distinct)

    def _check(self) -> None:
        now = time.perf_counter()
        limits = self._request.limits
        if now - self._told >= _PROGRESS_SECONDS:
            self._told = now
            self._tell(now)
        if self._stop.requested:
            raise _Cut("by the user")
        if limits.seconds is not None and now - self._began >= limits.seconds:
            raise _Cut(f"after {limits.seconds:g} seconds")
        if limits.memory is not None and resident_bytes() >= limits.memory:
            raise _Cut(f"at the memory limit, after {counted(self.distinct, 'state')}")
        over = current().reason()
        if over is not None:
            raise _Cut(over)

    def _tell(self, now: float) -> None:
        try:
            self._request.progress(self._progress(now))
        except KeyboardInterrupt:
            self._stop.requested = True

    def _progress(self, now: float) -> Progress:
        newest = sum(end - start for start, end in self.store.levels[-1])
        return Progress(self._whole, self.distinct, self.generated, newest, now - self._began)

    # Answers

    @property
    def distinct(self) -> int:
        """The states found so far."""
        return sum(worker.distinct for worker in self.pool.workers)

    @property
    def generated(self) -> int:
        """The steps taken so far, and the initial state."""
        return 1 + sum(self.pool.total("counts", self._machine.actions))

    def _answer(self, cut: str | None) -> Exploration:
        actions = self._machine.actions
        counts = self.pool.total("counts", actions + 1)
        found: dict[str, Path] = {}
        digest: str | None = None
        heed = _nothing if self._stop.requested else self._heed  # what was found until a first signal is still shown
        try:
            found = self._found(heed)
        except _Cut as reason:  # without its trace no violation is known, and so nothing holds
            cut = cut or str(reason)
        with suppress(_Cut):  # verdicts need no digest
            digest = self._digest(heed) if cut is None else None
        if digest is not None and self._request.visited:
            self.store.hand_over(self._request.visited)
        return Exploration(
            distinct=self.distinct,
            generated=1 + sum(counts[:actions]),
            depth=self._whole,
            levels=tuple(sum(end - start for start, end in level) for level in self.store.levels[: self._whole]),
            pruned=counts[actions],
            digest=digest,
            cut=cut,
            interrupted=self._stop.requested,
            found=found,
            action_generated=tuple(counts[:actions]),
            action_distinct=tuple(self.pool.total("reached", actions + 1)[1:]),
            seconds=time.perf_counter() - self._began,
        )

    def _heed(self) -> None:
        if self._stop.requested:
            raise _Cut("by the user")

    def _found(self, heed: Callable[[], None]) -> dict[str, Path]:
        """The traces of all that was asked for and seen, in the order of the targets."""
        wanted = self._ends.wanted(self.seen)
        if not wanted:
            return {}
        self.pool.run.shared = int(len(self.pool.workers) > 1)
        tracer = NativeTracer(self.system, self.pool, self.store, heed)
        return self._ends.found(tracer.paths(wanted))

    def _digest(self, heed: Callable[[], None]) -> str:
        self.pool.run.shared = int(len(self.pool.workers) > 1)
        self.pool.run_over("digest", self.store.all, heed)
        total = sum(worker.digest_low + (worker.digest_high << 64) for worker in self.pool.workers)
        return f"{total % DIGEST_MODULUS:032x}"
