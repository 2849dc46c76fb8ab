"""Nothing is lost and nothing counts twice, whoever dies."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from tests.spark.runs import ON_CLUSTER, bound, everything, native, on_spark
from tests.spark.saboteur import Killing

from isrcheck.engines.contract import Checkpoint, Limits
from isrcheck.engines.spark import cluster
from isrcheck.engines.spark.cluster import Settings
from isrcheck.engines.spark.storage import url_of

MODEL = bound("kip-101", replicas=2, log_size=1, max_records=1, max_leader_epoch=1)
REQUEST = everything(MODEL)


@pytest.fixture(scope="module")
def expected() -> object:
    return native(MODEL, REQUEST)


@pytest.mark.usefixtures("spark")
def test_a_task_killed_in_each_level_is_done_again(tmp_path: Path, expected: object) -> None:
    short = replace(REQUEST, limits=Limits(depth=4))
    assert on_spark(MODEL, short, Killing(url_of(tmp_path))) == native(MODEL, short)
    assert len(list(tmp_path.glob("*.killed"))) == 3
    assert len(list(tmp_path.glob("level-*/*.half"))) == 3


@pytest.mark.usefixtures("spark")
def test_of_two_attempts_at_a_level_one_is_committed(
    tmp_path: Path, expected: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    next_level = cluster.Spark.next_level

    def twice(self: cluster.Spark, *asked: object) -> list[str]:
        first, second = (next_level(self, *asked) for _ in range(2))  # type: ignore[arg-type] # handed on as they are
        return [*second[:1], *first, *second[1:]]

    monkeypatch.setattr(cluster.Spark, "next_level", twice)
    short = replace(REQUEST, limits=Limits(depth=4))
    assert on_spark(MODEL, short, tmp_path) == native(MODEL, short)
    for level in (1, 2, 3):
        record = json.loads((tmp_path / f"level-{level:05}.json").read_bytes().partition(b"\n")[2])
        named = [part["file"]["name"] for part in record["levels"][0]["parts"]]
        there = list((tmp_path / f"level-{level:05}").iterdir())
        assert len(there) == 2 * ON_CLUSTER.buckets
        assert 1 <= len(named) <= ON_CLUSTER.buckets


@pytest.mark.usefixtures("spark")
def test_a_search_cut_on_the_cluster_goes_on_from_its_last_level(tmp_path: Path, expected: object) -> None:
    kept = Checkpoint(tmp_path)
    cut = on_spark(MODEL, replace(REQUEST, limits=Limits(depth=9), checkpoint=kept), tmp_path)
    assert cut.cut == "after 9 levels"
    before = set(tmp_path.glob("*.json"))
    again = on_spark(MODEL, replace(REQUEST, checkpoint=replace(kept, resume=True)), tmp_path)
    assert again == expected
    assert before < set(tmp_path.glob("*.json"))


@pytest.mark.parametrize("depth", [4, 100])
def test_a_search_cut_in_this_process_goes_on_on_the_cluster(
    depth: int, tmp_path: Path, expected: object, spark: object
) -> None:
    kept, here = Checkpoint(tmp_path), Settings(buckets=2)
    on_spark(MODEL, replace(REQUEST, limits=Limits(depth=depth), checkpoint=kept), tmp_path, here)
    limits = Limits(depth=6) if depth == 4 else Limits()
    request = replace(REQUEST, limits=limits)
    again = on_spark(MODEL, replace(request, checkpoint=replace(kept, resume=True)), tmp_path, here)
    assert again == native(MODEL, request)


def test_a_driver_killed_before_its_first_commit_begins_again(tmp_path: Path, expected: object) -> None:
    kept = Checkpoint(tmp_path)
    here = Settings(buckets=2)
    on_spark(MODEL, replace(REQUEST, checkpoint=kept), tmp_path, here)
    for record in tmp_path.glob("level-*.json"):
        record.unlink()
    assert on_spark(MODEL, replace(REQUEST, checkpoint=replace(kept, resume=True)), tmp_path, here) == expected


def command(directory: Path, option: str) -> list[str]:
    return [
        sys.executable, "-m", "isrcheck", "check", "kip-101", "-c", "replicas=2", "--engine", "spark",
        "--spark-conf", "spark.isrcheck.localStates=0", "--spark-conf", "spark.isrcheck.partitions=2",
        option, str(directory), "--json", "-",
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("sign", ["level-00003.json", "level-00005/*", "level-00008.json"])
def test_a_driver_killed_at_any_time_is_resumed(sign: str, tmp_path: Path, expected: object) -> None:
    """Killed when a level's record is there, or when a task has written and there is none yet."""
    driver = subprocess.Popen(command(tmp_path, "--checkpoint"), stdout=subprocess.DEVNULL, env=environment())
    try:
        deadline = time.monotonic() + 300
        while not list(tmp_path.glob(sign)) and time.monotonic() < deadline:
            time.sleep(0.01)
    finally:
        os.kill(driver.pid, signal.SIGKILL)
        driver.wait()
    done = subprocess.run(
        command(tmp_path, "--resume"), capture_output=True, text=True, env=environment(), timeout=300, check=False
    )
    outcome = json.loads(done.stdout)
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0)
    states, whole = outcome["states"], native(MODEL, REQUEST)
    assert [states[name] for name in ("distinct", "generated", "depth", "pruned", "digest")] == [
        whole.distinct, whole.generated, whole.depth, whole.pruned, whole.digest,
    ]  # fmt: skip


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
