"""Breadth-first search, level by level: in this process while levels are small, then a job of Spark's for each."""

import json
import time
from typing import Any

import msgspec

from isrcheck.engines.common.stop_policy import Stopped, StopPolicy
from isrcheck.engines.common.targets import SeenTargets
from isrcheck.engines.contract import Path, Progress, Request, Searched
from isrcheck.engines.spark import tasks
from isrcheck.engines.spark.cluster import Halt, Halted, JobFailed, Spark
from isrcheck.engines.spark.failure import failure
from isrcheck.engines.spark.handover import HandOver, LocalSearch, write_levels
from isrcheck.engines.spark.level_log import BucketFile, LevelLog, chosen
from isrcheck.engines.spark.settings import Settings
from isrcheck.engines.spark.shard import KernelPlan
from isrcheck.engines.spark.trace import SparkTracer
from isrcheck.engines.spark.verify import verify
from isrcheck.errors import IsrcheckError
from isrcheck.ir.pack import DIGEST_MODULUS
from isrcheck.ir.scalar import ScalarSystem


def search_levels(
    system: ScalarSystem, request: Request, settings: Settings, plan: KernelPlan, log: LevelLog
) -> Searched:
    """The whole search, from what the log holds. Raises FoundFault, StorageFailed or SearchLost."""
    began = time.perf_counter()
    if log.levels:
        verify(system, request, plan, log)
    else:
        local = LocalSearch(plan.machine(), system, request, settings.local_states)
        try:
            answer = local.run()
            if request.checkpoint is not None:
                write_levels(plan, log, local, answer.complete)
            return answer
        except HandOver:
            write_levels(plan, log, local)
        finally:
            local.close()
    with Spark(settings, plan, log.storage) as spark:
        return SparkSearch(system, request, settings, plan, log, spark, began).run()


class SparkSearch:
    """A search on the cluster, from committed levels on."""

    def __init__(
        self,
        system: ScalarSystem,
        request: Request,
        settings: Settings,
        plan: KernelPlan,
        log: LevelLog,
        spark: Spark,
        began: float,
    ) -> None:
        self._system, self._request, self._settings = system, request, settings
        self._plan, self._log, self._spark = plan, log, spark
        self._targets = plan.program.targets
        self._policy = StopPolicy(request, {each.name: each.kind for each in system.properties}, began)
        self._began = began
        self._reason: str | None = None  # why the job under way is to be ended
        self._seen = SeenTargets(self._targets, request)
        self._seen.levels = {self._targets[position]: level for position, level in log.levels[-1].seen}

    def run(self) -> Searched:
        """The rest of the search, its traces and its digest."""
        cut: str | None = None
        with self._policy.stop_request.listening():
            try:
                self._levels()
            except Stopped as reason:
                cut = str(reason)
            return self._answer(cut)

    # Levels

    def _levels(self) -> None:
        log = self._log
        while log.levels[-1].states:
            self._policy.after_level(self._seen.decided(), log.distinct, len(log.levels))
            self._policy.check(log.distinct, self._progress)
            self._expand_newest()

    def _expand_newest(self) -> None:
        number = len(self._log.levels)
        visited = {bucket: self._log.visited(bucket) for bucket in range(self._plan.buckets)}
        try:
            with self._policy.stop_request.raising():
                self._spark.start()
            self._policy.began = self._began + self._spark.startup_seconds
            said = self._spark.next_level(number, self._log.parts(number - 1), visited, self._is_over)
        except (Halted, KeyboardInterrupt):  # the latter while Spark starts
            raise Stopped(self._reason or "by the user") from None
        except JobFailed as error:
            raise self._failure(error) from None
        self._commit(number, [json.loads(text) for text in said])

    def _commit(self, number: int, said: list[dict[str, Any]]) -> None:
        """Add up what the tasks say of a level, each bucket once, and write it down."""
        files = [msgspec.convert(each["part"], BucketFile) for each in said]
        reports = {file.bucket: each for file, each in zip(reversed(files), reversed(said), strict=True)}
        if sorted(reports) != list(range(self._plan.buckets)):
            raise AssertionError(f"tasks reported the buckets {sorted(reports)} of {self._plan.buckets}")
        level = tasks.level_of(self._log.levels[-1], list(reports.values()), chosen(files))
        for name, where in (("seen", number - 1), ("shown", number)):
            columns = zip(*(each[name] for each in reports.values()), strict=True)
            self._seen.add([sum(column) for column in columns], where)
        self._log.commit(msgspec.structs.replace(level, seen=tuple(self._seen.positions)))

    def _failure(self, error: JobFailed) -> IsrcheckError:
        place = str(self._log.storage) if self._request.checkpoint is not None else None
        return failure(error, len(self._log.levels), place)

    def _is_over(self) -> bool:
        """Whether the user or the clock ends the job under way; also shows how far the search is."""
        try:
            self._policy.check(self._log.distinct, self._progress)
        except Stopped as reason:
            self._reason = str(reason)
        return self._reason is not None

    def _progress(self) -> Progress:
        levels = self._log.levels
        generated = 1 + sum(levels[-1].counts[:-1])
        return Progress(len(levels), self._log.distinct, generated, levels[-1].states, self._policy.seconds)

    # Answers

    def _answer(self, cut: str | None) -> Searched:
        levels = [level.states for level in self._log.levels]
        sizes = [states for states in levels if states]
        last = self._log.levels[-1]
        found: dict[str, Path] = {}
        is_known = self._policy.interrupted  # what was found until a first signal is still shown
        try:
            found = self._found(lambda: self._policy.interrupted and not is_known)
        except Halted:  # without its trace no violation is known, and so nothing holds
            cut = cut or "by the user"
        return Searched(
            distinct=sum(sizes),
            generated=1 + sum(last.counts[:-1]),
            depth=len(sizes),
            levels=tuple(sizes),
            pruned=last.counts[-1],
            digest=f"{last.digest % DIGEST_MODULUS:032x}" if cut is None else None,
            cut=cut,
            interrupted=self._policy.interrupted,
            found=found,
            action_generated=last.counts[:-1],
            action_distinct=last.reached[1:],
            seconds=self._policy.seconds,
        )

    def _found(self, halt: Halt) -> dict[str, Path]:
        """The traces of all that was asked for and seen. Raises Halted."""
        needed = self._seen.needing_paths()
        if not needed:
            return {}
        tracer = SparkTracer(self._system, self._plan, self._log, self._spark, self._settings.marked_states, halt)
        try:
            paths = tracer.paths(needed)
        except JobFailed as error:
            raise self._failure(error) from None
        return self._seen.by_name(paths)
