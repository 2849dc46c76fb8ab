"""Nothing is lost and nothing counts twice, whoever dies."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.spark.runs import bound, everything, native, on_spark
from tests.spark.saboteur import Killing

from isrcheck.engines.contract import Checkpoint, Limits
from isrcheck.engines.spark.cluster import Settings
from isrcheck.engines.spark.storage import url_of
from isrcheck.ir.frozen import replace

MODEL = bound("kip-101", replicas=2, log_size=1, max_records=1, max_leader_epoch=1)
REQUEST = everything(MODEL)


@pytest.fixture(scope="module")
def expected() -> object:
    return native(MODEL, REQUEST)


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("phase", ["expand", "filter", "report"])
def test_a_task_killed_in_each_level_is_done_again(phase: str, tmp_path: Path) -> None:
    """By a signal that nobody can catch, with half of the phase's file written."""
    short = replace(REQUEST, limits=Limits(depth=4))
    assert on_spark(MODEL, short, Killing(url_of(tmp_path), phase=phase)) == native(MODEL, short)
    killed = {file.stem for file in tmp_path.glob("*.killed")}
    assert killed >= {f"{phase}-0000{level}" for level in (1, 2, 3)}
    assert bool(list(tmp_path.glob("level-*/*.half"))) == (phase == "filter")
    assert not list(tmp_path.glob("job-*"))


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
def test_a_search_cut_on_the_cluster_goes_on_from_its_last_level(tmp_path: Path, expected: object) -> None:
    kept = Checkpoint(tmp_path)
    cut = on_spark(MODEL, replace(REQUEST, limits=Limits(depth=9), checkpoint=kept), tmp_path)
    assert cut.cut == "after 9 levels"
    before = set(tmp_path.glob("*.json"))
    again = on_spark(MODEL, replace(REQUEST, checkpoint=replace(kept, resume=True)), tmp_path)
    assert again == expected
    assert before < set(tmp_path.glob("*.json"))


@pytest.mark.slow
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


@pytest.mark.slow
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
@pytest.mark.parametrize("sign", ["level-00003.json", "job-*/sent-0000[5-9]*", "level-00005/*", "job-*/report-*"])
def test_a_driver_killed_at_any_time_is_resumed(sign: str, tmp_path: Path, expected: object) -> None:
    """Killed when a level's record is there, or when a task has sent, written or reported states of one without."""
    driver = subprocess.Popen(command(tmp_path, "--checkpoint"), stdout=subprocess.DEVNULL, env=environment())
    try:
        deadline = time.monotonic() + 300
        while not list(tmp_path.glob(sign)) and time.monotonic() < deadline:
            time.sleep(0.01)
    finally:
        os.kill(driver.pid, signal.SIGKILL)
        driver.wait()
    resumes(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True])
def test_a_driver_killed_as_it_commits_is_resumed(after: bool, tmp_path: Path) -> None:
    """Before or after the record, whole and aside, is moved into its place."""
    script = (
        "from tests.spark.test_resume import *; from tests.spark.saboteur import KillingDriver;"
        f"on_spark(MODEL, replace(REQUEST, checkpoint=Checkpoint(Path({str(tmp_path)!r}))), "
        f"KillingDriver(url_of({str(tmp_path)!r}), after={after}))"
    )
    done = subprocess.run([sys.executable, "-c", script], env=environment(), timeout=600, check=False)
    assert done.returncode == -signal.SIGKILL
    assert (tmp_path / "level-00005.json").exists() == after
    assert list(tmp_path.glob("job-*"))
    resumes(tmp_path)
    assert not list(tmp_path.glob("job-*"))


def resumes(directory: Path) -> None:
    done = subprocess.run(
        command(directory, "--resume"), capture_output=True, text=True, env=environment(), timeout=600, check=False
    )
    outcome = json.loads(done.stdout)
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0)
    states, whole = outcome["states"], native(MODEL, REQUEST)
    assert [states[name] for name in ("distinct", "generated", "depth", "pruned", "digest")] == [
        whole.distinct, whole.generated, whole.depth, whole.pruned, whole.digest,
    ]  # fmt: skip


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
