"""Searches on disk that were ended: they go on from where they were, or are refused."""

import fcntl
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.certificates.forge import changed, others, ways
from tests.native.systems import kip320, little, on_disk, stopper, tight, timeless

from isrcheck.engines.common import targets
from isrcheck.engines.contract import Limits, Progress, Request, Searched
from isrcheck.engines.native.disk import directory, search
from isrcheck.engines.native.disk.directory import CheckpointRefused
from isrcheck.engines.native.engine import explore
from isrcheck.ir.frozen import replace

__all__ = ["tight"]

pytestmark = pytest.mark.usefixtures("tight")

SYSTEM = kip320(2, 2, 2, 1)
ASKED = Request(properties=("weak_isr", "strong_isr"), deadlock=True)
Body = dict[str, Any]


@pytest.fixture(scope="module")
def untouched() -> Searched:
    return timeless(explore(SYSTEM, ASKED))


def keep(folder: Path, in_memory: int = 0) -> Path:
    plan = little(in_memory=in_memory)
    assert on_disk(SYSTEM, replace(ASKED, limits=Limits(depth=10)), folder, plan).cut == "after 10 levels"
    return folder


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return keep(tmp_path / "kept")


@pytest.fixture(params=[0, 1 << 32], ids=["filtered", "in memory"])
def of_both(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """What a search keeps while memory holds all states, and later."""
    return keep(tmp_path / "kept", request.param)


@pytest.fixture
def beyond(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "SEARCHED_AGAIN", 0)


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.stat().st_size)


def manifest(folder: Path) -> Body:
    body: Body = json.loads((folder / "manifest.json").read_bytes().partition(b"\n")[2])
    return body


def restate(folder: Path, body: object) -> None:
    """Writes another manifest, with the hash that it needs."""
    text = json.dumps(body).encode()
    (folder / "manifest.json").write_bytes(hashlib.sha256(text).hexdigest().encode() + b"\n" + text)


def refusal(folder: Path) -> str:
    with pytest.raises(CheckpointRefused) as refused:
        on_disk(SYSTEM, ASKED, folder)
    return str(refused.value).removeprefix(f"the search in {folder} ")


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("searched_again", [1 << 22, 100, 0])
def test_a_search_goes_on(
    of_both: Path, untouched: Searched, workers: int, searched_again: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "SEARCHED_AGAIN", searched_again)
    assert on_disk(SYSTEM, replace(ASKED, workers=workers), of_both) == untouched


@pytest.mark.slow
@pytest.mark.usefixtures("beyond")
@pytest.mark.parametrize("in_memory", [2500, 1 << 32])
def test_a_search_goes_on_from_one_with_keys(tmp_path: Path, in_memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    system, asked = kip320(3, 2, 2, 1), Request(properties=("weak_isr",), deadlock=True, workers=2)
    wanted, plan = timeless(explore(system, asked)), little(merged=1000, batches=20, in_memory=in_memory)
    monkeypatch.setattr("isrcheck.engines.native.search.COMPACT_FROM", 300)
    assert on_disk(system, asked, tmp_path, plan) == wanted
    assert on_disk(system, replace(asked, limits=Limits(depth=9)), tmp_path, plan).cut == "after 9 levels"
    assert on_disk(system, asked, tmp_path, plan) == wanted


def test_traces_found_before_the_end_are_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Request(properties=("grows", "begins"), deadlock=True)
    for searched_again in (1 << 22, 0):
        monkeypatch.setattr(search, "SEARCHED_AGAIN", searched_again)
        before = on_disk(stopper(9), replace(asked, limits=Limits(depth=5)), tmp_path)
        assert set(before.paths) == {"grows", "begins"}
        assert on_disk(stopper(9), asked, tmp_path) == timeless(explore(stopper(9), asked))


def test_nothing_is_left_of_a_complete_search(tmp_path: Path) -> None:
    on_disk(SYSTEM, ASKED, tmp_path)
    assert files(tmp_path) == []


def test_nothing_is_left_when_nothing_more_is_looked_for(tmp_path: Path) -> None:
    assert on_disk(stopper(9), Request(properties=("begins",)), tmp_path).cut == "when every property was decided"
    assert files(tmp_path) == []


def test_an_interrupted_search_says_what_it_knows_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "_PROGRESS_SECONDS", 0)

    def interrupt(progress: Progress) -> None:
        if progress.depth > 5:
            raise KeyboardInterrupt

    system, asked = kip320(3, 2, 2, 1), Request(properties=("weak_isr",))
    seen = on_disk(system, replace(asked, progress=interrupt), tmp_path, little(merged=100))
    assert (seen.cut, seen.interrupted, seen.digest) == ("by the user", True, None)
    assert seen.levels == (1, 6, 30, 48, 180, 390)
    assert seen.distinct == sum(seen.levels) == 1 + sum(seen.action_distinct)
    assert on_disk(system, asked, tmp_path, little(merged=1000, batches=20)) == timeless(explore(system, asked))


def test_what_no_manifest_names_is_removed(kept: Path, untouched: Searched) -> None:
    for name in ("run-000001", "level-000010.aside", "seen-000099", "marked-000003", "again-000002"):
        (kept / name).write_bytes(b"begun")
    on_disk(SYSTEM, replace(ASKED, limits=Limits(depth=10)), kept)
    named = {entry["file"]["name"] for entry in manifest(kept)["levels"]} | {"manifest.json"}
    assert {path.name for path in files(kept)} <= named | {entry["name"] for entry in manifest(kept)["visited"]}
    assert on_disk(SYSTEM, ASKED, kept) == untouched


@pytest.mark.parametrize("searched_again", [1 << 22, 0])
def test_every_flipped_byte_is_refused(of_both: Path, searched_again: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "SEARCHED_AGAIN", searched_again)
    rng = random.Random(0)
    assert len(files(of_both)) > 10
    for each in files(of_both):
        whole = each.read_bytes()
        for _ in range(3):
            place = rng.randrange(len(whole))
            each.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << rng.randrange(8)]) + whole[place + 1 :])
            with pytest.raises(CheckpointRefused, match=rf"is damaged: {each.name} is not what was written$"):
                on_disk(SYSTEM, ASKED, of_both)
        each.write_bytes(whole)
    assert on_disk(SYSTEM, ASKED, of_both).complete


def test_the_whole_manifest_counts(kept: Path) -> None:
    """One number for another is still JSON."""
    whole = (kept / "manifest.json").read_bytes()
    for place in range(0, len(whole), 31):
        (kept / "manifest.json").write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert refusal(kept) == "is damaged: manifest.json is not what was written"


@pytest.mark.parametrize("change", ["shorter", "longer", "gone", "a link"])
def test_a_file_of_another_length_is_refused(of_both: Path, change: str) -> None:
    largest = max(of_both.glob("level-*"), key=lambda each: each.stat().st_size)
    whole = largest.read_bytes()
    largest.unlink()
    if change == "a link":
        (of_both.parent / "outside").write_bytes(whole)
        largest.symlink_to(of_both.parent / "outside")
    elif change != "gone":
        largest.write_bytes(whole[:-8] if change == "shorter" else whole + b"\0")
    assert refusal(of_both) == f"is damaged: {largest.name} is not what was written"


def test_damage_while_the_search_goes_on_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A level that was written, and is read to be expanded."""
    write = directory.DiskDirectory.write

    def damaging(self: directory.DiskDirectory, memory: object, name: str, *rest: object, **more: object) -> object:
        written = write(self, memory, name, *rest, **more)  # type: ignore[arg-type]  # passed on as they come
        if name == "level-000003":
            whole = (tmp_path / name).read_bytes()
            (tmp_path / name).write_bytes(whole[:5] + bytes([whole[5] ^ 1]) + whole[6:])
        return written

    monkeypatch.setattr(directory.DiskDirectory, "write", damaging)
    with pytest.raises(CheckpointRefused, match=r"is damaged: level-000003 is not what was written$"):
        on_disk(SYSTEM, ASKED, tmp_path)


def test_another_model_is_refused(kept: Path) -> None:
    with pytest.raises(CheckpointRefused, match=r"is of another model, other constants or other properties$"):
        on_disk(stopper(9), Request(), kept)
    restate(kept, manifest(kept) | {"schema": "isrcheck.disk/0"})
    assert refusal(kept) == "was written by another version of isrcheck"


def test_a_second_run_is_refused(kept: Path, untouched: Searched) -> None:
    with (kept / "lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)  # a run's own lock shares with nobody
        with pytest.raises(CheckpointRefused, match=r"is in use by another run; choose another directory$"):
            on_disk(SYSTEM, ASKED, kept)
    assert on_disk(SYSTEM, ASKED, kept) == untouched


def test_a_directory_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(CheckpointRefused, match=r" holds other files, such as mine.txt; choose an empty one$"):
        on_disk(SYSTEM, ASKED, tmp_path)
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_a_stop_while_levels_are_sorted_loses_nothing(
    tmp_path: Path, untouched: Searched, monkeypatch: pytest.MonkeyPatch
) -> None:
    sort = search.DiskSearch._sort_visited

    def stop(disk: search.DiskSearch, end: int) -> None:
        sort(disk, end - 1)
        raise targets.Stopped("after 1 second")

    kept = keep(tmp_path / "kept", 1 << 32)
    with monkeypatch.context() as patch:
        patch.setattr(search.DiskSearch, "_sort_visited", stop)
        assert on_disk(SYSTEM, ASKED, kept).cut == "after 1 second"
    assert on_disk(SYSTEM, ASKED, kept) == untouched


@pytest.mark.parametrize(("at_once", "in_memory"), [(4, 0), (16, 0), (16, 1 << 32)], ids=["4", "16", "in memory"])
def test_a_full_disk_ends_the_search_and_loses_nothing(
    tmp_path: Path, at_once: int, in_memory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With fewer files it is one of states seen that finds no space, with more files one of a level."""
    monkeypatch.setattr(search, "FILES", at_once)
    system, asked = kip320(3, 2, 2, 1), Request(properties=("weak_isr",))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        seen = on_disk(system, asked, tmp_path, little(merged=1000, batches=20, in_memory=in_memory))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert seen.cut == f"when there was no space left in {tmp_path}"
    assert seen.distinct == sum(seen.levels) == 1 + sum(seen.action_distinct)
    assert len(manifest(tmp_path)["levels"]) == seen.depth - bool(in_memory) > 4
    assert {path.name.partition("-")[0] for path in files(tmp_path)} >= {"level", "manifest.json"}
    assert on_disk(system, asked, tmp_path, little(merged=1000, batches=20)) == timeless(explore(system, asked))


_CHILD = """
import sys
from pathlib import Path
sys.path[:0] = {path!r}
from tests.native.systems import little
from tests.native.systems import kip320
from isrcheck.engines.contract import Request
from isrcheck.engines.native.disk import directory, kept, search
from isrcheck.engines.native.disk.search import explore
kept._COMMIT_SECONDS = 0
commit = search.DiskDirectory.commit

def commit_and_say(*given, **options):
    commit(*given, **options)
    print("committed", flush=True)

search.DiskDirectory.commit = commit_and_say
plan = little(64, 999, 200, in_memory={in_memory})
explore(kip320(3, 2, 2, 1), Path({directory!r}), Request(properties=("weak_isr", "strong_isr")), plan)
"""


@pytest.mark.slow
@pytest.mark.parametrize("in_memory", [0, 3000, 1 << 32])
def test_kill_9_at_random_moments(tmp_path: Path, in_memory: int) -> None:
    system, asked, rng = kip320(3, 2, 2, 1), Request(properties=("weak_isr", "strong_isr")), random.Random(1)
    wanted = timeless(explore(system, asked))
    script = _CHILD.format(path=sys.path, directory=str(tmp_path), in_memory=in_memory)
    levels = most = 0
    for commits in (0, 1, 2, 2, 3, 3):  # after which the moment comes
        child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
        assert child.stdout is not None
        for _ in range(commits):
            child.stdout.readline()
        time.sleep(rng.uniform(0, 0.02))
        os.kill(child.pid, signal.SIGKILL)
        child.communicate()
        before = levels
        levels = len(manifest(tmp_path)["levels"]) if (tmp_path / "manifest.json").exists() else 0
        assert levels >= before or levels == 0  # 0: it had come to its end, and its files were removed
        most = max(most, levels)
    assert most > 1
    assert on_disk(system, asked, tmp_path, little(64, 999, 1000)) == wanted


# The manifest


def mutated(body: Body) -> Iterator[tuple[str, Body]]:
    for way in ways(body):
        value: Any = body
        for key in way:
            value = value[key]
        for other in others(value):
            if repr(other) != repr(value):
                yield f"{way} = {other!r}", changed(body, way, other)


@pytest.mark.slow
def test_every_other_manifest_is_refused_or_changes_nothing(of_both: Path, untouched: Searched) -> None:
    wrong = []
    for name, body in mutated(manifest(of_both)):
        copied = of_both.with_name("copy")
        shutil.copytree(of_both, copied)
        restate(copied, body)
        with suppress(CheckpointRefused):
            if on_disk(SYSTEM, ASKED, copied) != untouched:
                wrong.append(name)
        shutil.rmtree(copied)
    assert wrong == []


@pytest.mark.usefixtures("beyond")
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda body: body["visited"].__setitem__(0, body["visited"][-1]), "its manifest has other states seen than "),
        (lambda body: body["levels"][-1].update(digest="0" * 32), "the states seen are not those of its levels"),
        (lambda body: body["levels"][4]["counts"].__setitem__(0, 77), "level-000004 or its record is not what a "),
        (lambda body: body["levels"][9]["seen"].append([0, 4]), "level-000009 or its record is not what a search "),
        (lambda body: body["levels"][3]["reached"].__setitem__(0, 77), "its manifest has the counts "),
        (
            lambda body: body["levels"][3]["file"].update(name="level-000004"),
            "its manifest has the file 'level-000004'",
        ),
    ],
    ids=["visited", "digest", "counts", "seen", "reached", "name"],
)
def test_another_manifest_is_refused_though_no_level_is_searched_again(kept: Path, change: Any, reason: str) -> None:
    body = manifest(kept)
    change(body)
    restate(kept, body)
    assert refusal(kept).startswith(f"contradicts itself: {reason}")
