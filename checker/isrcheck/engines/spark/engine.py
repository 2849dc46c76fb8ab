"""The Spark engine as the others are asked: a bound model in, an exploration out."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import msgspec

from isrcheck.engines.common.story import Stories
from isrcheck.engines.common.symmetry import check_graph
from isrcheck.engines.common.targets import SeenTargets, Stopped, StopPolicy
from isrcheck.engines.contract import Cluster, Path, Progress, Request, Searched
from isrcheck.engines.native.codegen import program
from isrcheck.engines.native.disk.directory import search_key
from isrcheck.engines.native.kernel_text import text_of
from isrcheck.engines.native.program import EXCHANGING
from isrcheck.engines.spark.cluster import Settings, Spark, settings_of
from isrcheck.engines.spark.handover import HandOver, LocalSearch, verify, write_levels
from isrcheck.engines.spark.level_log import LevelLog
from isrcheck.engines.spark.levels_job import JOB_FOLDER, LOOK_SECONDS, JobFailed, failure, is_refusal
from isrcheck.engines.spark.session import is_local, master_of
from isrcheck.engines.spark.shard import KernelPlan
from isrcheck.engines.spark.share import Report, level_of
from isrcheck.engines.spark.storage import Storage, url_of
from isrcheck.engines.spark.trace import SparkTracer
from isrcheck.errors import IsrcheckError, UsageError
from isrcheck.ir.pack import DIGEST_MODULUS
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.passes import lower
from isrcheck.passes.bind import BoundModel, refuse_several
from isrcheck.process.budget import OutOfBudget, poll_by_timer

_ATTEMPTS = 4  # at a level
_SECONDS_FOR_TRACES = 2.0  # at least: each level of a trace is a job, of more than 0.1 seconds


class SparkSearch:
    def __init__(self, system: ScalarSystem, request: Request, log: LevelLog, spark: Spark, began: float) -> None:
        self._system, self._request, self._log, self._spark, self._began = system, request, log, spark, began
        self._targets = spark.plan.program.targets
        self._is_traced = True
        self._policy = StopPolicy(request, {each.name: each.kind for each in system.properties}, began)
        self._seen_targets = SeenTargets(self._targets, request)
        self._seen_targets.levels = {self._targets[position]: level for position, level in log.levels[-1].targets_seen}

    def run(self) -> Searched:
        cut: str | None = None
        with self._policy.stop_request.listen_to_signals():
            try:
                self._levels()
            except Stopped as reason:
                cut = str(reason)
            return self._answer(cut)

    def _levels(self) -> None:
        failures = 0  # since a level was committed
        self._after_level()
        while self._log.levels[-1].states:
            before = len(self._log.levels)
            try:
                self._search_on()
            except JobFailed as error:
                failures = 1 if len(self._log.levels) > before else failures + 1
                if failures == _ATTEMPTS or is_refusal(error):
                    raise self._failure(error) from None

    def _search_on(self) -> None:
        """One job; its levels are committed as they are reported. Raises JobFailed or Stopped."""
        self._start()
        with self._spark.search_levels(self._log) as job:
            while self._log.levels[-1].states:
                reports = job.reports(len(self._log.levels))
                if reports is None:
                    self._check()
                    time.sleep(LOOK_SECONDS)
                else:
                    self._commit(len(self._log.levels), reports)
                    self._after_level()

    def _start(self) -> None:
        try:
            with self._policy.stop_request.raise_at_signal(), poll_by_timer():
                self._spark.start()
        except KeyboardInterrupt:
            raise Stopped("by the user") from None
        except OutOfBudget as over:
            raise Stopped(str(over)) from None
        self._policy.began = self._began + self._spark.startup_seconds

    def _after_level(self) -> None:
        if self._log.levels[-1].states:
            self._policy.after_level(self._seen_targets.names_decided(), self._log.distinct, len(self._log.levels))
            self._check()

    def _check(self) -> None:
        try:
            self._policy.check(self._log.distinct, self._progress)
        except Stopped:
            self._is_traced = self._policy.seconds_for_traces > _SECONDS_FOR_TRACES
            if not self._is_traced or not self._seen_targets.levels_for_paths():
                self._spark.kill()
            raise

    def _commit(self, number: int, reports: list[Report]) -> None:
        level = level_of(self._log.levels[-1], reports)
        for rows, where in (([each.taken for each in reports], number - 1), ([each.shown for each in reports], number)):
            self._seen_targets.add([sum(column) for column in zip(*rows, strict=True)], where)
        self._log.commit(msgspec.structs.replace(level, targets_seen=tuple(self._seen_targets.positions)))

    def _failure(self, error: JobFailed) -> IsrcheckError:
        place = str(self._log.storage) if self._request.checkpoint is not None else None
        return failure(error, len(self._log.levels), place)

    def _progress(self) -> Progress:
        levels = self._log.levels
        generated = 1 + sum(levels[-1].counts[:-1])
        return Progress(len(levels), self._log.distinct, generated, levels[-1].states, self._policy.seconds)

    def _answer(self, cut: str | None) -> Searched:
        sizes = [level.states for level in self._log.levels if level.states]
        last = self._log.levels[-1]
        *counts, pruned = last.counts
        paths: dict[str, Path] = {}
        stories = Stories(self._system.actors, self._policy.limit_for_traces(), self._request.stories)
        try:
            paths = self._trace(stories)
        except Stopped as reason:  # without its trace no violation is known, and so nothing holds
            cut = cut or str(reason)
        return Searched(
            distinct=sum(sizes),
            generated=1 + sum(counts),
            depth=len(sizes),
            levels=tuple(sizes),
            pruned=pruned,
            digest=f"{last.digest % DIGEST_MODULUS:032x}" if cut is None else None,
            cut=cut,
            interrupted=self._policy.interrupted,
            paths=paths,
            action_generated=tuple(counts),
            action_distinct=last.reached[1:],
            seconds=self._policy.seconds,
            untold=stories.untold(paths),
        )

    def _trace(self, stories: Stories) -> dict[str, Path]:
        needed = self._seen_targets.levels_for_paths()
        if not needed or not self._is_traced:
            return {}
        try:
            paths = SparkTracer(self._system, self._log, self._spark, stories).paths(needed)
        except JobFailed as error:
            raise self._failure(error) from None
        return self._seen_targets.by_name(paths)


def search(model: BoundModel, request: Request) -> Searched:
    """Search a model on a cluster; raises UsageError, ModelError, FoundFault or SearchLost."""
    if request.limits.memory is not None:
        raise UsageError(
            "--max-memory is not for --engine spark, whose workers hold one level of one partition: "
            "use more partitions, --spark-conf spark.isrcheck.partitions=N."
        )
    if model.ir.constraints:
        raise UsageError(f"{model.ir.name} has constraints, which the spark engine does not know: use --engine native.")
    refuse_several(model.ir.name, 1 + len(model.others), "the spark engine begins in one")
    cluster = request.cluster or Cluster()
    settings = settings_of(cluster, request.workers)
    with _storage(cluster, request) as storage:
        system = lower(model)
        if request.symmetry:
            check_graph(system, request.properties)
        return explore(system, request, settings, storage)


def explore(system: ScalarSystem, request: Request, settings: Settings, storage: Storage) -> Searched:
    """Search a system on a cluster; raises FoundFault, StorageFailed or SearchLost."""
    compiled = program(system, request.properties, request.symmetry, EXCHANGING)
    ir = text_of(compiled)
    log = LevelLog(storage, search_key(ir, system, request), settings.buckets)
    if request.checkpoint is not None and request.checkpoint.resume:
        log.resume()
        for left in storage.folders(JOB_FOLDER):  # by a driver that was killed
            storage.remove(left)
    else:
        log.begin()
    plan, began = KernelPlan(compiled, ir, log.key, log.buckets), time.perf_counter()
    if log.levels:
        with poll_by_timer():
            verify(system, request, plan, log)
    elif (answer := _search_here(system, request, settings, plan, log)) is not None:
        return answer
    with closing(Spark(settings, plan, storage)) as spark:
        return SparkSearch(system, request, log, spark, began).run()


def _search_here(
    system: ScalarSystem, request: Request, settings: Settings, plan: KernelPlan, log: LevelLog
) -> Searched | None:
    """Search in this process first; returns None if the cluster goes on."""
    with closing(LocalSearch(plan.machine(), system, request, settings.local_states)) as local:
        try:
            answer = local.run()
        except HandOver:
            with poll_by_timer():
                write_levels(plan, log, local)
            return None
        if request.checkpoint is not None:
            write_levels(plan, log, local, answer.complete)
        return answer


@contextmanager
def _storage(cluster: Cluster, request: Request) -> Iterator[Storage]:
    """The storage of a search; raises UsageError for a cluster without a directory that its machines share."""
    if request.checkpoint is not None:
        yield Storage(url_of(request.checkpoint.directory), durable=True)
        return
    master = master_of(cluster, request.workers)
    if not is_local(master):
        raise UsageError(
            f"a search on {master} keeps its levels where all machines find them: "
            "give --checkpoint such a place, for instance hdfs://HOST/DIR."
        )
    with tempfile.TemporaryDirectory(prefix="isrcheck-levels-", ignore_cleanup_errors=True) as folder:
        yield Storage(url_of(folder))
