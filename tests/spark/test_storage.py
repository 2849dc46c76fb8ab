"""What is read back is what was written, or a sentence says otherwise."""

import resource
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from tests.spark.runs import ON_CLUSTER, bound, everything, native, on_spark
from tests.spark.saboteur import Full, ObjectStore
from tests.spark.test_resume import environment

from isrcheck.engines.contract import Checkpoint, Limits
from isrcheck.engines.spark.cluster import Settings
from isrcheck.engines.spark.level_log import BucketFile, Level, LevelLog, read_states, slice_piece, write_states
from isrcheck.engines.spark.levels_job import JobFailed, SearchLost, failure
from isrcheck.engines.spark.storage import Storage, StorageFailed, StoredFile, url_of
from isrcheck.errors import UsageError
from isrcheck.ir.frozen import replace

MODEL = bound("kip-101", replicas=2, log_size=1, max_records=1, max_leader_epoch=1)
HERE = Settings(buckets=2)
CUT = replace(everything(MODEL), limits=Limits(depth=5))


def kept(directory: Path) -> None:
    on_spark(MODEL, replace(CUT, checkpoint=Checkpoint(directory)), directory, HERE)


def resume(directory: Path, settings: Settings = ON_CLUSTER) -> None:
    request = replace(everything(MODEL), checkpoint=Checkpoint(directory, resume=True))
    on_spark(MODEL, request, directory, settings)


@pytest.mark.parametrize(
    ("directory", "url"),
    [
        ("/a/b c", "file:///a/b%20c"),
        ("hdfs:/host:9000/a", "hdfs://host:9000/a"),
        ("s3://bucket/a", "s3://bucket/a"),
        ("file:/a", "file:///a"),
        ("file:///a", "file:///a"),
    ],
)
def test_a_directory_is_a_path_or_a_url(directory: str, url: str) -> None:
    assert url_of(Path(directory)) == url


def test_states_come_back_as_they_were(tmp_path: Path) -> None:
    storage = Storage(url_of(tmp_path))
    for words in (bytes(range(256)) * 3, b""):
        written = write_states(storage, 0, 1, words, 24)
        assert written.states * 24 == len(words)
        assert b"".join(piece.to_pybytes() for piece in read_states(storage, written.file, 24)) == words


@pytest.mark.parametrize("there", [b"12345679", b"1234567", b"123456789", b""])
def test_a_file_is_what_was_written_to_the_last_bit(there: bytes, tmp_path: Path) -> None:
    storage = Storage(url_of(tmp_path))
    written = storage.write("level-00000/x", b"12345678")
    assert storage.read(written).to_pybytes() == b"12345678"
    (tmp_path / "level-00000/x").write_bytes(there)
    with pytest.raises(StorageFailed, match="is damaged: level-00000/x is not what was written"):
        storage.read(written)


def test_the_states_of_every_level_of_a_bucket_were_visited(tmp_path: Path) -> None:
    log = LevelLog(Storage(url_of(tmp_path)), "key", buckets=2)
    files = {
        (level, bucket): BucketFile(bucket, 1, StoredFile(f"{level}-{bucket}", 1, ""))
        for level in range(4)
        for bucket in range(2)
    }
    for level in range(4):
        parts = tuple(files[level, bucket] for bucket in range(2) if level + bucket != 2)
        log.commit(Level(parts, (0,), (0,), (), 0))
    assert log.files_of(0) == tuple(files[level, 0] for level in (0, 1, 3))
    assert log.files_of(1) == tuple(files[level, 1] for level in (0, 2, 3))


@pytest.mark.parametrize("size", [8, 16, 40, 48, 80, 88])
def test_a_frontier_in_slices_is_whole(size: int) -> None:
    words = bytes(range(80))
    assert b"".join(piece.to_pybytes() for piece in slice_piece(pa.py_buffer(words), size)) == words


def test_every_record_is_checked(tmp_path: Path) -> None:
    kept(tmp_path)
    for name in ("level-00000.json", "search.json"):
        file = tmp_path / name
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
        with pytest.raises(UsageError) as said:
            resume(tmp_path)
        assert str(said.value) == f"the checkpoint in {tmp_path} is damaged: {name} is not what was written."


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("harm", ["flip", "cut", "remove"])
def test_every_file_of_states_is_checked(harm: str, tmp_path: Path) -> None:
    kept(tmp_path)
    file = next((tmp_path / "level-00002").iterdir())
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    if harm == "remove":
        file.unlink()
    else:
        file.write_bytes(content if harm == "flip" else content[:-9])
    with pytest.raises(StorageFailed) as said:
        resume(tmp_path)
    expected = f"the checkpoint in {tmp_path} is damaged: level-00002/{file.name} is not what was written."
    assert str(said.value) == expected


def test_a_file_with_a_part_of_a_state_is_damaged_though_its_checksum_is_right(tmp_path: Path) -> None:
    storage = Storage(url_of(tmp_path))
    written = storage.write("level-00000/x.states", b"a state and a part")
    with pytest.raises(StorageFailed, match=r"is damaged: level-00000/x\.states is not what was written\.$"):
        list(read_states(storage, written, 8))


def test_a_directory_belongs_to_one_search(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as said:
        resume(tmp_path)
    assert str(said.value) == f"{tmp_path} holds no checkpoint of --engine spark to resume."
    kept(tmp_path)
    with pytest.raises(UsageError) as said:
        kept(tmp_path)
    assert str(said.value) == f"{tmp_path} already holds a checkpoint; resume it or choose another directory."
    other = bound("kip-101", replicas=2, log_size=2, max_records=1, max_leader_epoch=1)
    with pytest.raises(UsageError) as said:
        on_spark(other, replace(everything(other), checkpoint=Checkpoint(tmp_path, resume=True)), tmp_path, HERE)
    assert str(said.value) == (
        f"the checkpoint in {tmp_path} is of another model, other constants or other properties."
    )


def test_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("isrcheck.engines.spark.level_log.SCHEMA", "isrcheck.spark/0")
        kept(tmp_path)
    with pytest.raises(UsageError) as said:
        resume(tmp_path)
    assert str(said.value) == f"the checkpoint in {tmp_path} was written by another version of isrcheck."


@pytest.mark.usefixtures("spark")
def test_a_disk_that_fills_up_under_a_task_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed) as said:
        on_spark(MODEL, everything(MODEL), Full(url_of(tmp_path)))
    assert str(said.value) == f"{tmp_path} cannot take what is written: No space left on device."
    assert not (tmp_path / "level-00003.json").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
def test_a_search_needs_neither_append_nor_rename(tmp_path: Path) -> None:
    store, checkpoint = ObjectStore(url_of(tmp_path)), Checkpoint(tmp_path)
    on_spark(MODEL, replace(CUT, checkpoint=checkpoint), store)
    request = replace(everything(MODEL), checkpoint=replace(checkpoint, resume=True))
    assert on_spark(MODEL, request, store) == native(MODEL, everything(MODEL))


def test_a_disk_that_takes_no_more_is_a_sentence(tmp_path: Path) -> None:
    """A real limit of the operating system, on what one file may hold."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))

    arguments = ["check", "kip-101", "-c", "replicas=2", "--engine", "spark", "--checkpoint", str(tmp_path / "c")]
    done = subprocess.run(
        [sys.executable, "-B", "-m", "isrcheck", *arguments],
        capture_output=True, text=True, env=environment(), preexec_fn=limited, timeout=600, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    said = done.stderr.splitlines()[-1]  # what a busy machine is at may come before
    assert said == f"isrcheck: {tmp_path}/c cannot take what is written: File too large."
    assert not list((tmp_path / "c").glob("level-*.json"))


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError) as said:
        kept(tmp_path / "file" / "c")
    assert str(said.value) == f"{tmp_path}/file/c cannot take what is written: Not a directory."
    with pytest.raises(UsageError, match=r"^nosuch://host/a cannot hold a checkpoint: .*[^.]\.$"):
        Storage("nosuch://host/a").exists("x")


CRASH = """An error occurred while calling o52.collectToPython.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 1 in stage 4.0 failed 4 times
\tat org.apache.spark.api.python.BasePythonRunner
Caused by: org.apache.spark.SparkException: Python worker exited unexpectedly (crashed).
"""
OWN = """Job aborted due to stage failure: Task 0 in stage 2.0 failed 1 times
Traceback (most recent call last):
  File "tasks.py", line 43, in read_states
isrcheck.engines.spark.storage.StorageFailed: the checkpoint in /a is damaged: b is not what was written.
"""
MEMORY = """Traceback (most recent call last):
  File "shard.py", line 1, in load
MemoryError: 9 states of one bucket do not fit into a worker: use more partitions
"""


@pytest.mark.parametrize(
    ("text", "place", "sentence"),
    [
        (
            CRASH,
            "/c",
            "Spark gave up at level 5: : org.apache.spark.SparkException: Job aborted due to stage failure: Task 1 in "
            "stage 4.0 failed 4 times; --resume /c goes on from the level before it.",
        ),
        (
            MEMORY,
            None,
            "Spark gave up at level 5: MemoryError: 9 states of one bucket do not fit into a worker: "
            "use more partitions.",
        ),
        ("", None, "Spark gave up at level 5: it does not say why."),
    ],
)
def test_a_lost_search_is_a_sentence(text: str, place: str | None, sentence: str) -> None:
    error = failure(JobFailed(text), 4, place)
    assert isinstance(error, SearchLost)
    assert (str(error), error.exit_code) == (sentence.replace(": : ", ": "), 70)


def test_a_task_speaks_for_itself() -> None:
    error = failure(JobFailed(OWN), 4, "/c")
    assert isinstance(error, StorageFailed)
    assert (str(error), error.exit_code) == ("the checkpoint in /a is damaged: b is not what was written.", 2)


def test_a_cluster_without_isrcheck_is_told_how_to_get_it() -> None:
    text = "org.apache.spark.SparkException: Job aborted:\nModuleNotFoundError: No module named 'isrcheck'"
    error = failure(JobFailed(text), 4, "/c")
    assert (str(error), error.exit_code) == (
        "The cluster's Python cannot import isrcheck: install isrcheck with its extra spark on every machine, and name "
        "its Python in PYSPARK_PYTHON.",
        2,
    )
