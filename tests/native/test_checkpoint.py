"""Searches that are kept on disk."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.native.kip320 import kip320
from tests.native.systems import stopper

from isrcheck.engines.contract import Checkpoint, Limits, Request, Searched
from isrcheck.engines.native.checkpoint import CheckpointDirectory
from isrcheck.engines.native.engine import explore
from isrcheck.engines.native.kept_directory import CheckpointRefused
from isrcheck.ir.frozen import replace
from isrcheck.ir.scalar import ScalarSystem

SYSTEM = kip320(3, 2, 2, 1)
ASKED = Request(properties=("weak_isr", "strong_isr"))


def timeless(seen: Searched) -> Searched:
    return replace(seen, seconds=0.0)


def kept(request: Request, directory: Path, seconds: float = 0, resume: bool = False) -> Request:
    return replace(request, checkpoint=Checkpoint(directory, seconds, resume))


def cut_short(directory: Path, depth: int = 9) -> Searched:
    return explore(SYSTEM, kept(replace(ASKED, limits=Limits(depth=depth)), directory))


def resume(directory: Path, system: ScalarSystem = SYSTEM, workers: int = 1) -> Searched:
    return explore(system, kept(replace(ASKED, workers=workers), directory, resume=True))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_resumed_search_ends_like_an_uninterrupted_one(tmp_path: Path, workers: int) -> None:
    assert cut_short(tmp_path / "c").cut == "after 9 levels"
    assert timeless(resume(tmp_path / "c", workers=workers)) == timeless(explore(SYSTEM, ASKED))


def test_traces_found_before_the_cut_are_found_again(tmp_path: Path) -> None:
    asked = Request(properties=("grows", "begins"), deadlock=True)
    before = explore(stopper(9), kept(replace(asked, limits=Limits(depth=5)), tmp_path, 100))
    assert set(before.found) == {"grows", "begins"}
    after = explore(stopper(9), kept(asked, tmp_path, 60, resume=True))
    assert timeless(after) == timeless(explore(stopper(9), asked))


def test_a_limit_of_time_loses_only_the_newest_level(tmp_path: Path) -> None:
    request = replace(ASKED, limits=Limits(seconds=0.0))
    explore(SYSTEM, kept(request, tmp_path, 100))
    assert timeless(resume(tmp_path)) == timeless(explore(SYSTEM, ASKED))


def test_every_flipped_byte_is_refused(tmp_path: Path) -> None:
    cut_short(tmp_path)
    rng = random.Random(0)
    files = [each for each in sorted(tmp_path.iterdir()) if each.stat().st_size]
    assert len(files) > 2
    for each in files:
        whole = each.read_bytes()
        place = rng.randrange(len(whole))
        each.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(CheckpointRefused, match=r"is damaged: .* is not what was written$"):
            resume(tmp_path)
        each.write_bytes(whole)
    assert resume(tmp_path).complete


def test_the_whole_manifest_counts(tmp_path: Path) -> None:
    """One number for another is still JSON."""
    cut_short(tmp_path)
    manifest = tmp_path / "manifest.json"
    whole = manifest.read_bytes()
    for place in range(0, len(whole), 31):
        manifest.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(CheckpointRefused, match=r"is damaged: manifest.json is not what was written$"):
            resume(tmp_path)


@pytest.mark.parametrize("change", ["shorter", "longer", "gone"])
def test_a_half_written_file_is_refused(tmp_path: Path, change: str) -> None:
    cut_short(tmp_path)
    largest = max(tmp_path.glob("states-*"), key=lambda each: each.stat().st_size)
    whole = largest.read_bytes()
    if change == "gone":
        largest.unlink()
    else:
        largest.write_bytes(whole[:-8] if change == "shorter" else whole + b"\0")
    with pytest.raises(CheckpointRefused, match="is damaged"):
        resume(tmp_path)


def test_another_model_is_refused(tmp_path: Path) -> None:
    cut_short(tmp_path)
    with pytest.raises(CheckpointRefused, match=r"is of another model, other constants or other properties$"):
        resume(tmp_path, stopper(9))


def test_nothing_to_resume(tmp_path: Path) -> None:
    with pytest.raises(CheckpointRefused, match=r"holds no checkpoint to resume$"):
        resume(tmp_path)


def test_an_old_checkpoint_is_not_overwritten(tmp_path: Path) -> None:
    cut_short(tmp_path)
    with pytest.raises(CheckpointRefused, match=r"already holds a checkpoint; resume it or choose another directory$"):
        cut_short(tmp_path)


def test_a_second_run_is_refused(tmp_path: Path) -> None:
    directory = CheckpointDirectory(Checkpoint(tmp_path), "k")
    with pytest.raises(CheckpointRefused, match=r"is in use by another run; choose another directory$"):
        cut_short(tmp_path)
    directory.close()
    assert cut_short(tmp_path).depth == 9


_CHILD = """
import sys
from pathlib import Path
sys.path[:0] = {path!r}
from tests.native.kip320 import kip320
from isrcheck.engines.contract import Checkpoint, Request
from isrcheck.engines.native.engine import explore
print("go", flush=True)
directory = Path({directory!r})
chosen = Checkpoint(directory, 0, (directory / "manifest.json").exists())
explore(kip320(3, 2, 2, 2), Request(properties=("weak_isr", "strong_isr"), checkpoint=chosen))
"""


def test_kill_9_at_random_moments(tmp_path: Path) -> None:
    system, rng = kip320(3, 2, 2, 2), random.Random(1)
    wanted = timeless(explore(system, ASKED))
    script = _CHILD.format(path=sys.path, directory=str(tmp_path))
    for _ in range(10):
        child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(rng.uniform(0, 0.3))
        os.kill(child.pid, signal.SIGKILL)
        child.communicate()
    asked = kept(ASKED, tmp_path, 60, resume=(tmp_path / "manifest.json").exists())
    assert timeless(explore(system, asked)) == wanted
