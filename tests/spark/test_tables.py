"""Tasks that keep the states they have seen: whoever keeps what, whatever is lost, the graph is the native one."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar
from unittest.mock import MagicMock

import pytest
from tests.spark.runs import bound, everything, native, on_spark
from tests.spark.saboteur import Harming

from isrcheck.engines.common.targets import Stopped, StopPolicy
from isrcheck.engines.spark import cluster, engine, levels_job, share
from isrcheck.engines.spark.cluster import Settings, Spark
from isrcheck.engines.spark.level_log import LevelLog, read_states, write_states
from isrcheck.engines.spark.levels_job import JobFailed, LevelsJob, begin
from isrcheck.engines.spark.share import Begun, Share, ShareLimits
from isrcheck.engines.spark.storage import Storage, StorageFailed, StoredFile, url_of

MODEL = bound("kip-320", replicas=2, log_size=1, max_records=1, max_leader_epoch=2)
REQUEST = everything(MODEL)


class EndedError(Exception):
    """Another task failed, or nobody waits for this one."""


def pause(over: threading.Event) -> None:
    if over.wait(0.001):
        raise EndedError


class Here:
    """Spark's part, by tasks that are threads of this process."""

    startup_seconds = 0.0
    read: ClassVar[list[str]]
    tasks: ClassVar[list[int]]  # of one job after the other
    jobs: ClassVar[int]
    failures: ClassVar[list[BaseException]]
    kills: ClassVar[int] = 0

    def __init__(self, settings: Settings, plan: Any, storage: Storage) -> None:
        self.settings, self.plan, self.storage = settings, plan, storage
        self.limits = ShareLimits(settings.slice_states, settings.kept_states)

    def close(self) -> None:
        """There is nothing to close."""

    def kill(self) -> None:
        type(self).kills += 1

    def start(self) -> None:
        """It is."""

    @contextmanager
    def search_levels(self, log: LevelLog) -> Iterator[LevelsJob]:
        begun = begin(log, self.tasks[min(self.jobs, len(self.tasks) - 1)])
        self.storage.create(begun.folder)
        type(self).jobs += 1
        over = threading.Event()
        running = LevelsJob(begun, self.storage, partial(self._run, begun, over), over.set)
        try:
            yield running
        finally:
            running.end()

    def _run(self, begun: Begun, over: threading.Event) -> None:
        with ThreadPoolExecutor(begun.tasks) as threads:
            done = [threads.submit(self._task, begun, over, task) for task in range(begun.tasks)]
        errors = [error for each in done if (error := each.exception()) is not None]
        if errors:
            self.failures.extend(each for each in errors if not isinstance(each, EndedError))
            first = next(iter(self.failures[-1:]), errors[0])
            raise JobFailed(f"{type(first).__name__}: {first}")

    def _task(self, begun: Begun, over: threading.Event, task: int) -> None:
        try:
            with closing(Share(self.plan, self.storage, self.limits, begun, task)) as own:
                own.run(partial(pause, over))
        except BaseException:
            over.set()
            raise

    def for_buckets(self, function: Callable[..., Iterator[str]], halt: object, *known: Any) -> list[str]:
        job = levels_job.Job(SimpleNamespace(value=self.plan), self.storage, self.limits, self.settings.marked_states)
        return [text for bucket in range(self.plan.buckets) for text in function(job, *known, bucket)]


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> type[Here]:
    """In place of Spark; with a list of the files of states that were read."""

    class Own(Here):
        read: ClassVar = []
        tasks: ClassVar = [2]
        jobs: ClassVar = 0
        failures: ClassVar = []

    def noted(storage: Storage, written: StoredFile, size: int) -> Iterator[Any]:
        Own.read.append(written.name)
        yield from read_states(storage, written, size)

    monkeypatch.setattr("isrcheck.engines.spark.shard.read_states", noted)
    monkeypatch.setattr("isrcheck.engines.spark.share.read_states", noted)
    monkeypatch.setattr(engine, "Spark", Own)
    return Own


def test_a_search_whose_time_is_over_ends_spark_at_once(
    here: type[Here], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(*_: object) -> None:
        if here.jobs:
            raise Stopped("after 1 second")

    monkeypatch.setattr(StopPolicy, "check", check)
    assert on_spark(MODEL, REQUEST, tmp_path, settings()).cut == "after 1 second"
    assert here.kills == 1


def test_a_search_for_traces_ends_with_the_limits(
    here: type[Here], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop() -> None:
        raise Stopped("after 1 second")

    monkeypatch.setattr(StopPolicy, "limit_for_traces", lambda _: stop)
    model = bound("toy-counter")
    answer = on_spark(model, everything(model), tmp_path, settings())
    assert (answer.paths, answer.cut, answer.digest) == ({}, "after 1 second", None)


def settings(kept_states: int | None = None) -> Settings:
    return Settings(buckets=3, local_states=0, kept_states=kept_states)


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("kept_states", [None, 0, 300, 1000])
def test_whatever_is_kept_the_graph_is_native(
    kept_states: int | None, number: int, here: type[Here], tmp_path: Path
) -> None:
    here.tasks = [number]
    assert on_spark(MODEL, REQUEST, tmp_path, settings(kept_states)) == native(MODEL, REQUEST)
    assert (here.jobs, here.failures) == (1, [])
    assert len({file.name[: -len("-00000")] for file in tmp_path.glob("job-*/sent-*")}) <= 2  # of the last levels


def test_what_is_kept_is_not_read_again(here: type[Here], tmp_path: Path) -> None:
    on_spark(MODEL, REQUEST, tmp_path, settings())
    assert [name.partition("/")[0] for name in here.read] == ["level-00000"]


def test_without_room_files_are_read_at_every_level(here: type[Here], tmp_path: Path) -> None:
    seen = on_spark(MODEL, REQUEST, tmp_path, settings(0))
    assert len(here.read) > len(set(here.read)) > seen.depth


@pytest.mark.parametrize("numbers", [[2], [3, 1, 2, 1]])
def test_a_job_that_dies_at_every_level_is_done_again(
    numbers: list[int], here: type[Here], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task dies with its states in the table and no file of them; the next job may have another number of tasks."""
    died = set[int]()
    here.tasks = numbers

    def dying(storage: Storage, level: int, *rest: Any) -> Any:
        if level not in died:
            died.add(level)
            raise OSError("no space")
        return write_states(storage, level, *rest)

    monkeypatch.setattr(share, "write_states", dying)
    seen = on_spark(MODEL, REQUEST, tmp_path, settings())
    assert seen == native(MODEL, REQUEST)
    assert here.jobs == len(died) + 1 == seen.depth


def test_a_job_that_dies_at_one_level_again_and_again_is_given_up(
    here: type[Here], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dying(*_: object) -> Any:
        raise MemoryError("9 states of one bucket do not fit into a worker: use more partitions")

    monkeypatch.setattr(share, "write_states", dying)
    with pytest.raises(Exception, match="Spark gave up at level 2: MemoryError: 9 states of one bucket do not fit"):
        on_spark(MODEL, REQUEST, tmp_path, settings())
    assert here.jobs == 4


def test_a_level_that_two_jobs_did_counts_once(
    here: type[Here], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first job is lost when it has reported three levels of which none was committed."""
    reports = LevelsJob.reports

    def late(job: LevelsJob, level: int) -> Any:
        if here.jobs == 1:
            if reports(job, 3) is None:
                return None
            raise JobFailed("executor lost")
        return reports(job, level)

    monkeypatch.setattr(LevelsJob, "reports", late)
    assert on_spark(MODEL, REQUEST, tmp_path, settings()) == native(MODEL, REQUEST)
    assert all(len(list((tmp_path / f"level-0000{level}").iterdir())) > 3 for level in (2, 3))


@pytest.mark.parametrize("at", [0, 100, -1, -9, -17, -40])
def test_what_goes_from_task_to_task_is_checked(at: int, here: type[Here], tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match=r"is damaged: job-\w+/sent-00003-0000[01] is not what was written\.$"):
        on_spark(MODEL, REQUEST, Harming(url_of(tmp_path), at=at), settings())
    assert here.jobs == 1


def test_a_file_with_a_state_that_is_there_is_damaged(
    here: type[Here], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def doubled(storage: Storage, written: StoredFile, size: int) -> Iterator[Any]:
        for piece in read_states(storage, written, size):
            yield piece.slice(0, size)
            yield piece.slice(0, piece.size - size)

    died = set[int]()

    def dying(storage: Storage, level: int, *rest: Any) -> Any:
        if level == 4 and not died:
            died.add(level)
            raise OSError("no space")
        return write_states(storage, level, *rest)

    monkeypatch.setattr("isrcheck.engines.spark.shard.read_states", doubled)
    monkeypatch.setattr(share, "write_states", dying)
    with pytest.raises(StorageFailed, match="is damaged: level-"):
        on_spark(MODEL, REQUEST, tmp_path, settings())
    assert here.jobs == 2


def test_a_job_that_ends_as_it_is_halted_gives_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> None:
        raise Stopped("by the user")

    def collect(*_: object) -> list[str]:
        assert halted.wait(60)
        return ["an answer"]

    halted, context = threading.Event(), MagicMock()
    context.cancelJobGroup = lambda _: halted.set()
    context.parallelize.return_value.context = context
    monkeypatch.setattr(cluster, "_collect", collect)
    monkeypatch.setattr(Spark, "start", lambda _: (SimpleNamespace(sparkContext=context), None))
    with pytest.raises(Stopped):
        Spark(settings(), MagicMock(), MagicMock()).for_buckets(MagicMock(), stop)
