"""States seen that workers keep: whoever keeps what, whatever is lost or done twice, the graph is the native one."""

import random
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from tests.spark.runs import bound, everything, native, on_spark
from tests.spark.test_kept import ledger_of, plan_of

from isrcheck.engines.native.checkpoint import StoredFile
from isrcheck.engines.spark import engine, kept, tasks
from isrcheck.engines.spark.cluster import Settings
from isrcheck.engines.spark.storage import Storage, StorageFailed, read_states, url_of

MODEL = bound("kip-320", replicas=2, log_size=1, max_records=1, max_leader_epoch=2)
REQUEST = everything(MODEL)
WORKERS = 2


class Here:
    """Spark's part, by processes that are only played: each task goes to one of them by lot."""

    startup_seconds = 0.0
    workers: ClassVar[list[tuple[dict[int, kept.Kept], list[str]]]]
    read: ClassVar[list[str]]
    runs = 0
    twice = False

    def __init__(self, settings: Settings, plan: Any, storage: Any) -> None:
        self.settings, self.plan = settings, plan
        type(self).runs += 1
        limits = (settings.slice_states, settings.marked_states, f"run {self.runs}", settings.kept_states)
        self.job = tasks.Job(SimpleNamespace(value=plan), storage, *limits)
        self.lot = random.Random(0)

    def close(self) -> None:
        """Its processes live on."""

    def started(self) -> tuple[None, tasks.Job]:
        return None, self.job

    def go_to_one(self) -> None:
        kept._tables, kept._runs = self.lot.choice(self.workers)

    def next_level(self, level: int, frontier: Any, visited: tasks.Visited, halt: object) -> list[str]:
        buckets = range(self.plan.buckets)
        sent = [batch for bucket in buckets for batch in tasks.expand(self.job, frontier, bucket)]
        said = []
        for bucket in buckets:
            own = [batch for batch in sent if batch.column(0)[0].as_py() == bucket]
            for _ in range(1 + self.twice):
                self.go_to_one()
                said += [text for each in tasks.insert(self.job, level, visited, iter(own)) for text in each.column(0)]
        return [text.as_py() for text in said]

    def for_buckets(self, function: Any, halt: object, *known: Any) -> list[str]:
        rows = (function(self.job, *known, bucket) for bucket in range(self.plan.buckets))
        return [text.as_py() for each in rows for row in each for text in row.column(0)]


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Here]]:
    """In place of Spark; and a list of the files that were read to fill tables."""

    class Own(Here):
        read: ClassVar = []
        workers: ClassVar = [({}, []) for _ in range(WORKERS)]

    def noted(storage: Storage, written: StoredFile, size: int) -> Iterator[Any]:
        Own.read.append(written.name)
        return read_states(storage, written, size)

    monkeypatch.setattr(kept, "_tables", {})
    monkeypatch.setattr(kept, "_runs", [])
    monkeypatch.setattr("isrcheck.engines.spark.kept.read_states", noted)
    monkeypatch.setattr(engine, "Spark", Own)
    yield Own
    for kept._tables, kept._runs in Own.workers:
        kept.forget()


def settings(kept_states: int | None) -> Settings:
    return Settings(buckets=3, local_states=0, kept_states=kept_states)


@pytest.mark.parametrize("kept_states", [None, 0, 1, 100, 1000, 2000])
def test_whatever_is_kept_the_graph_is_native(kept_states: int | None, here: type[Here], tmp_path: Path) -> None:
    assert on_spark(MODEL, REQUEST, tmp_path, settings(kept_states)) == native(MODEL, REQUEST)
    most = kept_states is None or kept_states >= 100
    assert bool(here.read) == most


def test_a_file_is_read_once_by_each_worker_at_most(here: type[Here], tmp_path: Path) -> None:
    on_spark(MODEL, REQUEST, tmp_path, settings(None))
    files = len(set(here.read))
    assert files < len(here.read) <= WORKERS * files


def test_an_attempt_that_is_made_twice_changes_nothing(here: type[Here], tmp_path: Path) -> None:
    here.twice = True
    assert on_spark(MODEL, REQUEST, tmp_path, settings(None)) == native(MODEL, REQUEST)


def test_a_table_that_a_task_left_half_changed_is_not_used_again(
    here: type[Here], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The task dies once with its states in the table and no file of them, and is done again in the same process."""
    write, insert, died = tasks.write_states, tasks.insert, set[int]()

    def dying(storage: Any, level: int, *rest: Any) -> Any:
        if level not in died:
            died.add(level)
            raise OSError("no space")
        return write(storage, level, *rest)

    def again(*given: Any) -> Any:
        job, level, visited, batches = given
        own = list(batches)
        try:
            yield from insert(job, level, visited, iter(own))
        except OSError:
            yield from insert(job, level, visited, iter(own))

    monkeypatch.setattr(tasks, "write_states", dying)
    monkeypatch.setattr(tasks, "insert", again)
    assert on_spark(MODEL, REQUEST, tmp_path, settings(None)) == native(MODEL, REQUEST)
    assert len(died) > 5


def test_another_search_in_the_same_process_begins_with_empty_tables(here: type[Here], tmp_path: Path) -> None:
    shards = []
    for run, files in (("one", 0), ("one", 0), ("two", 0)):
        with kept.states_seen(plan_of(ledger_of(tmp_path)), Storage(url_of(tmp_path)), run, 0, (), None) as table:
            assert table is not None
            assert table.files == files
            shards.append(table.shard)
    assert shards[0] is shards[1]
    assert shards[1] is not shards[2]


def test_a_file_with_a_state_that_is_there_is_damaged(
    here: type[Here], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def doubled(storage: Storage, written: StoredFile, size: int) -> Iterator[Any]:
        for piece in read_states(storage, written, size):
            yield piece.slice(0, size)
            yield piece.slice(0, piece.size - size)

    monkeypatch.setattr("isrcheck.engines.spark.kept.read_states", doubled)
    with pytest.raises(StorageFailed, match="is damaged: level-"):
        on_spark(MODEL, REQUEST, tmp_path, settings(None))
