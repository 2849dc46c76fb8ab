"""Breadth-first search, level by level: in this process while levels are small, then a job of Spark's for each."""

import json
import time
from dataclasses import replace

from isrcheck.budget import current
from isrcheck.engines.contract import Exploration, Path, Progress, Request
from isrcheck.engines.interrupt import StopRequest
from isrcheck.engines.native.ends import Ends, Seen
from isrcheck.engines.spark import tasks
from isrcheck.engines.spark.cluster import Halt, Halted, JobFailed, Spark
from isrcheck.engines.spark.failure import failure
from isrcheck.engines.spark.handover import HandOver, LocalSearch, write_levels
from isrcheck.engines.spark.ledger import Ledger, Part, chosen
from isrcheck.engines.spark.settings import Settings
from isrcheck.engines.spark.shard import Plan
from isrcheck.engines.spark.storage import Written
from isrcheck.engines.spark.trace import SparkTracer
from isrcheck.engines.spark.verify import verify
from isrcheck.errors import IsrcheckError
from isrcheck.ir.pack import DIGEST_MODULUS
from isrcheck.ir.scalar import ScalarSystem

_PROGRESS_SECONDS = 0.5


class _Cut(Exception):
    """The search ends before every state was expanded; the text says why, as a phrase."""


def search_levels(
    system: ScalarSystem, request: Request, settings: Settings, plan: Plan, ledger: Ledger
) -> Exploration:
    """The whole search, from what the ledger holds. Raises FoundFault, StorageFailed or SearchLost."""
    began = time.perf_counter()
    if ledger.levels:
        verify(system, request, plan, ledger)
    else:
        local = LocalSearch(plan.machine(), system, request, settings.local_states)
        try:
            answer = local.run()
            if request.checkpoint is not None:
                write_levels(plan, ledger, local, answer.complete)
            return answer
        except HandOver:
            write_levels(plan, ledger, local)
        finally:
            local.close()
    with Spark(settings, plan, ledger.storage) as spark:
        return SparkSearch(system, request, settings, plan, ledger, spark, began).run()


class SparkSearch:
    """A search on the cluster, from committed levels on."""

    def __init__(
        self,
        system: ScalarSystem,
        request: Request,
        settings: Settings,
        plan: Plan,
        ledger: Ledger,
        spark: Spark,
        began: float,
    ) -> None:
        self._system, self._request, self._settings = system, request, settings
        self._plan, self._ledger, self._spark = plan, ledger, spark
        self._targets = plan.program.targets
        self._ends = Ends(system, request, self._targets)
        self._stop = StopRequest()
        self._began = self._told = began
        self._reason: str | None = None  # why the job under way is to be ended
        self._seen: Seen = {self._targets[position]: level for position, level in ledger.levels[-1].seen}

    def run(self) -> Exploration:
        """The rest of the search, its traces and its digest."""
        cut: str | None = None
        with self._stop.listening():
            try:
                self._levels()
            except _Cut as reason:
                cut = str(reason)
            return self._answer(cut)

    # Levels

    def _levels(self) -> None:
        ledger = self._ledger
        while ledger.levels[-1].states:
            reason = self._ends.reason(self._seen, ledger.distinct, len(ledger.levels))
            if reason is not None or self._is_over():
                raise _Cut(reason or self._reason)
            self._expand_newest()

    def _expand_newest(self) -> None:
        number = len(self._ledger.levels)
        visited = {bucket: self._ledger.visited(bucket) for bucket in range(self._plan.buckets)}
        try:
            with self._stop.raising():
                self._spark.start()
            said = self._spark.next_level(number, self._ledger.parts(number - 1), visited, self._is_over)
        except (Halted, KeyboardInterrupt):  # the latter while Spark starts
            raise _Cut(self._reason or "by the user") from None
        except JobFailed as error:
            raise self._failure(error) from None
        self._commit(number, [json.loads(text) for text in said])

    def _commit(self, number: int, said: list[dict[str, object]]) -> None:
        """Add up what the tasks say of a level, each bucket once, and write it down."""
        reports = {_part(each).bucket: each for each in reversed(said)}
        if sorted(reports) != list(range(self._plan.buckets)):
            raise AssertionError(f"tasks reported the buckets {sorted(reports)} of {self._plan.buckets}")
        parts = chosen([_part(each) for each in said])
        level = tasks.level_of(self._ledger.levels[-1], list(reports.values()), parts)
        for name, where in (("seen", number - 1), ("shown", number)):
            columns = zip(*(each[name] for each in reports.values()), strict=True)
            self._ends.notice(self._seen, [sum(column) for column in columns], where)
        self._ledger.commit(replace(level, seen=self._positions(self._seen)))

    def _positions(self, seen: Seen) -> tuple[tuple[int, int], ...]:
        return tuple((self._targets.index(target), level) for target, level in seen.items())

    def _failure(self, error: JobFailed) -> IsrcheckError:
        place = str(self._ledger.storage) if self._request.checkpoint is not None else None
        return failure(error, len(self._ledger.levels), place)

    def _is_over(self) -> bool:
        """Whether the user or the clock ends the search; also tells how far it is."""
        now, seconds = time.perf_counter(), self._request.limits.seconds
        if now - self._told >= _PROGRESS_SECONDS:
            self._told = now
            self._tell(now)
        if self._stop.requested:
            self._reason = "by the user"
        elif seconds is not None and self._elapsed(now) >= seconds:
            self._reason = f"after {seconds:g} seconds"
        else:
            self._reason = current().reason()
        return self._reason is not None

    def _elapsed(self, now: float) -> float:
        return now - self._began - self._spark.startup_seconds

    def _tell(self, now: float) -> None:
        levels = self._ledger.levels
        generated = 1 + sum(levels[-1].counts[:-1])
        try:
            self._request.progress(
                Progress(len(levels), self._ledger.distinct, generated, levels[-1].states, self._elapsed(now))
            )
        except KeyboardInterrupt:
            self._stop.requested = True

    # Answers

    def _answer(self, cut: str | None) -> Exploration:
        levels = [level.states for level in self._ledger.levels]
        whole = [states for states in levels if states]
        last = self._ledger.levels[-1]
        found: dict[str, Path] = {}
        is_known = self._stop.requested  # what was found until a first signal is still shown
        try:
            found = self._found(lambda: self._stop.requested and not is_known)
        except Halted:  # without its trace no violation is known, and so nothing holds
            cut = cut or "by the user"
        return Exploration(
            distinct=sum(whole),
            generated=1 + sum(last.counts[:-1]),
            depth=len(whole),
            levels=tuple(whole),
            pruned=last.counts[-1],
            digest=f"{last.digest % DIGEST_MODULUS:032x}" if cut is None else None,
            cut=cut,
            interrupted=self._stop.requested,
            found=found,
            action_generated=last.counts[:-1],
            action_distinct=last.reached[1:],
            seconds=self._elapsed(time.perf_counter()),
        )

    def _found(self, halt: Halt) -> dict[str, Path]:
        """The traces of all that was asked for and seen. Raises Halted."""
        wanted = self._ends.wanted(self._seen)
        if not wanted:
            return {}
        tracer = SparkTracer(self._system, self._plan, self._ledger, self._spark, self._settings.marked_states, halt)
        try:
            paths = tracer.paths(wanted)
        except JobFailed as error:
            raise self._failure(error) from None
        return self._ends.found(paths)


def _part(said: dict[str, object]) -> Part:
    part = said["part"]
    assert isinstance(part, dict)
    return Part(part["bucket"], part["states"], Written(**part["file"]))
