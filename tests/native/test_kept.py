"""Checkpoints that are whole and say something wrong: refused, or searched to the same end."""

import copy
import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.certificates.forge import changed, others, ways
from tests.native.kip320 import kip320
from tests.native.systems import mutex, stopper, wide

from isrcheck.engines.common.targets import Stopped
from isrcheck.engines.contract import Checkpoint, Limits, Request, Searched
from isrcheck.engines.native import search, verify
from isrcheck.engines.native.checkpoint import CheckpointDirectory, Snapshot
from isrcheck.engines.native.engine import explore
from isrcheck.engines.native.kept_directory import CheckpointRefused
from isrcheck.ir.frozen import replace
from isrcheck.ir.pack import packing
from isrcheck.ir.scalar import ScalarSystem

SYSTEM = kip320(2, 2, 1, 1)
ASKED = Request(properties=("weak_isr", "strong_isr"), deadlock=True)
Body = dict[str, Any]


@pytest.fixture(scope="module")
def untouched() -> Searched:
    return replace(explore(SYSTEM, ASKED), seconds=0.0)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A checkpoint of nine levels in three files."""
    for depth in (3, 6, 9):
        go_on(tmp_path / "kept", SYSTEM, replace(ASKED, limits=Limits(depth=depth)))
    return tmp_path / "kept"


@pytest.fixture
def beyond(monkeypatch: pytest.MonkeyPatch) -> None:
    """No level is searched again."""
    monkeypatch.setattr(verify, "SEARCHED_AGAIN", 0)


def go_on(folder: Path, system: ScalarSystem = SYSTEM, asked: Request = ASKED) -> Searched:
    chosen = Checkpoint(folder, 1e9, resume=(folder / "manifest.json").exists())
    return replace(explore(system, replace(asked, checkpoint=chosen)), seconds=0.0)


def manifest(folder: Path) -> Body:
    body: Body = json.loads((folder / "manifest.json").read_bytes().partition(b"\n")[2])
    return body


def restate(folder: Path, body: object) -> None:
    """Writes another manifest, with the hash that it needs."""
    text = json.dumps(body).encode()
    (folder / "manifest.json").write_bytes(hashlib.sha256(text).hexdigest().encode() + b"\n" + text)


def rewrite(folder: Path, change: Callable[[list[bytes], Body], list[bytes]], body: Body | None = None) -> None:
    """Changes the states, all of them in one file, and what the manifest says of the file."""
    body = body or manifest(folder)
    size = 8 * packing(SYSTEM.scalars).words
    words = b"".join((folder / entry["name"]).read_bytes() for entry in body["files"])
    words = b"".join(change([words[i : i + size] for i in range(0, len(words), size)], body))
    (folder / "states-000000").write_bytes(words)
    body["files"] = [{"name": "states-000000", "bytes": len(words), "sha256": hashlib.sha256(words).hexdigest()}]
    restate(folder, body)


def lower(numbers: list[int], by: int) -> None:
    """Makes the sum of some numbers less, and none of them negative."""
    for position, number in enumerate(numbers):
        numbers[position] -= min(number, by)
        by -= min(number, by)


def refusal(folder: Path) -> str:
    with pytest.raises(CheckpointRefused) as refused:
        go_on(folder)
    return str(refused.value).removeprefix(f"the checkpoint in {folder} ")


# The manifest


def outcomes(kept: Path, bodies: Iterator[tuple[str, Body]]) -> Iterator[tuple[str, Searched]]:
    """How searches end that are not refused."""
    for name, body in bodies:
        copied = kept.with_name("copy")
        shutil.copytree(kept, copied)
        restate(copied, body)
        with suppress(CheckpointRefused):
            yield name, go_on(copied)
        shutil.rmtree(copied)


def mutated(body: Body) -> Iterator[tuple[str, Body]]:
    for way in ways(body):
        value: Any = body
        for key in way:
            value = value[key]
        for other in others(value):
            if repr(other) != repr(value):
                yield f"{way} = {other!r}", changed(body, way, other)


def test_every_other_manifest_is_refused_or_changes_nothing(kept: Path, untouched: Searched) -> None:
    wrong = [name for name, seen in outcomes(kept, mutated(manifest(kept))) if seen != untouched]
    assert wrong == []


def two_numbers(body: Body) -> Iterator[tuple[str, Body]]:
    """One more here and one less there, so that sums stay as they are."""
    snapshot = body["snapshot"]
    for name in ("levels", "counts", "reached"):
        for here in range(len(snapshot[name])):
            for there in range(len(snapshot[name])):
                made = copy.deepcopy(body)
                made["snapshot"][name][here] += 1
                made["snapshot"][name][there] -= 1
                if there == (here + 1) % len(snapshot[name]):
                    yield f"{name} {here} {there}", made


def test_numbers_with_the_same_sum_are_refused(kept: Path) -> None:
    assert list(outcomes(kept, two_numbers(manifest(kept)))) == []


def test_targets_that_were_not_seen_are_refused(kept: Path) -> None:
    body = manifest(kept)
    seen = body["snapshot"]["seen"]
    body["snapshot"]["seen"] = [] if seen else [[0, 0]]
    restate(kept, body)
    expected = (
        f"contradicts itself: its manifest says that {body['snapshot']['seen']} were seen, and its states show {seen}"
    )
    assert refusal(kept) == expected


def test_files_in_another_order_are_refused(kept: Path) -> None:
    body = manifest(kept)
    _, second, third = (kept / entry["name"] for entry in body["files"])
    second.rename(kept / "aside")
    third.rename(second)
    (kept / "aside").rename(third)
    for entry, number in zip(body["files"], (0, 2, 1), strict=True):
        entry["name"] = f"states-{number:06}"
    restate(kept, body)
    expected = "contradicts itself: its manifest has the file name 'states-000002' in place of 'states-000001'"
    assert refusal(kept) == expected
    body["files"] = [body["files"][i] for i in (0, 2, 1)]
    restate(kept, body)
    assert refusal(kept).startswith("contradicts itself: level 4 ")


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "aside/../states-000000"])
def test_a_name_with_a_path_is_refused(kept: Path, name: str) -> None:
    body = manifest(kept)
    (kept / "states-000000").rename(kept.parent / "outside")
    body["files"][0]["name"] = name
    restate(kept, body)
    assert refusal(kept) == f"contradicts itself: its manifest has the file name {name!r} in place of 'states-000000'"


@pytest.mark.parametrize("name", ["states-000000", "manifest.json"])
def test_a_link_out_of_the_folder_is_not_followed(kept: Path, name: str) -> None:
    (kept / name).rename(kept.parent / "outside")
    (kept / name).symlink_to(kept.parent / "outside")
    assert refusal(kept) == f"is damaged: {name} is not what was written"


def test_a_last_level_left_out_is_refused(kept: Path) -> None:
    body = manifest(kept)
    left = body["snapshot"]["levels"].pop()
    body["snapshot"]["distinct"] -= left
    lower(body["snapshot"]["reached"], left)
    rewrite(kept, lambda states, _: states[:-left], body)
    assert refusal(kept).startswith("contradicts itself: its manifest counts the steps ")


def test_an_earlier_checkpoint_is_gone_on_from(kept: Path, tmp_path: Path, untouched: Searched) -> None:
    go_on(tmp_path / "earlier", SYSTEM, replace(ASKED, limits=Limits(depth=6)))
    restate(kept, manifest(tmp_path / "earlier"))
    go_on(tmp_path / "earlier")
    for entry in manifest(kept)["files"]:
        shutil.copy(tmp_path / "earlier" / entry["name"], kept)
    assert go_on(kept) == untouched


# The states


def swapped(first: int, second: int) -> Callable[[list[bytes], Body], list[bytes]]:
    def change(states: list[bytes], _: Body) -> list[bytes]:
        states[first], states[second] = states[second], states[first]
        return states

    return change


@pytest.mark.usefixtures("beyond")
def test_states_are_judged_though_no_level_is_searched_again(kept: Path, untouched: Searched) -> None:
    assert go_on(kept) == untouched


@pytest.mark.parametrize("searched_again", [1 << 22, 0])
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda states, _: [*states[:-1], states[-2]], "level 9 has states that are there twice"),
        (lambda states, _: [*states[:-1], states[0]], "level 9 has states that are there twice"),
        (lambda states, _: [*states[:-1], b"\xff" * len(states[0])], "level 9 has states that are there twice"),
        (lambda states, _: [states[1], states[0], *states[2:]], "level 1 is not the initial state"),
        (swapped(1, -1), "level 2 lacks states that level 1 leads to"),
        (lambda states, _: states[:-1], "its files do not hold "),
        (lambda states, _: [*states, states[0]], "its files do not hold "),
    ],
)
def test_other_states_are_refused(
    kept: Path,
    change: Callable[[list[bytes], Body], list[bytes]],
    reason: str,
    searched_again: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(verify, "SEARCHED_AGAIN", searched_again)
    rewrite(kept, change)
    assert refusal(kept).startswith(f"contradicts itself: {reason}")


def unreachable(states: list[bytes]) -> bytes:
    """A state that the model can have and nothing leads to: the bits of the last one, a few of them turned."""
    layout, sizes = packing(SYSTEM.scalars), [scalar.size for scalar in SYSTEM.scalars]
    known = set(states)
    values = list(
        layout.unpack([int.from_bytes(states[-1][i : i + 8], "little") for i in range(0, len(states[-1]), 8)])
    )
    for position, size in enumerate(sizes):
        for value in range(size):
            packed = layout.pack([*values[:position], value, *values[position + 1 :]])
            state = b"".join(word.to_bytes(8, "little") for word in packed)
            if state not in known:
                return state
    raise AssertionError("every such state is kept")


def test_a_state_that_nothing_leads_to_is_refused(kept: Path) -> None:
    body = manifest(kept)
    body["snapshot"]["distinct"] += 1
    body["snapshot"]["levels"][-1] += 1
    body["snapshot"]["reached"][-1] += 1
    rewrite(kept, lambda states, _: [*states, unreachable(states)], body)
    assert refusal(kept) == "contradicts itself: nothing leads to 1 of the states of level 9"


@pytest.mark.usefixtures("beyond")
@pytest.mark.parametrize("number", range(9))
def test_a_level_that_lost_most_of_its_states_is_refused_wherever_it_is(number: int, kept: Path) -> None:
    body = manifest(kept)
    levels = body["snapshot"]["levels"]
    first, size = sum(levels[:number]), levels[number]
    left = size // 2
    levels[number] -= left
    body["snapshot"]["distinct"] -= left
    lower(body["snapshot"]["reached"], left)
    rewrite(kept, lambda states, _: [*states[:first], *states[first + left :]], body)
    assert number == 0 or refusal(kept)


def test_a_checkpoint_of_representatives_holds_no_others(tmp_path: Path) -> None:
    asked = Request(properties=("exclusive", "entered"), symmetry=True)
    whole = go_on(tmp_path / "whole", mutex(3), asked)
    go_on(tmp_path / "c", mutex(3), replace(asked, limits=Limits(depth=2)))
    assert go_on(tmp_path / "c", mutex(3), asked) == whole
    shutil.rmtree(tmp_path / "c")
    go_on(tmp_path / "c", mutex(3), replace(asked, limits=Limits(depth=2)))
    layout, words = packing(mutex(3).scalars), (tmp_path / "c" / "states-000000").read_bytes()
    (waits,) = (layout.unpack([int.from_bytes(words[8:16], "little")]),)
    members = sorted(waits[:3]) if list(waits[:3]) != sorted(waits[:3]) else sorted(waits[:3], reverse=True)
    other = words[:8] + layout.pack([*members, waits[3]])[0].to_bytes(8, "little")
    body = manifest(tmp_path / "c")
    (tmp_path / "c" / "states-000000").write_bytes(other)
    body["files"][0]["sha256"] = hashlib.sha256(other).hexdigest()
    restate(tmp_path / "c", body)
    with pytest.raises(CheckpointRefused, match="has states that are there twice, or that the model cannot have"):
        go_on(tmp_path / "c", mutex(3), asked)


# Several workers, and runs that are cut


def test_all_ranges_of_a_level_are_written(tmp_path: Path) -> None:
    """Each worker's states of a level lie apart from the others'."""
    directory = CheckpointDirectory(Checkpoint(tmp_path), "k")
    states = b"".join(number.to_bytes(8, "little") for number in range(20))
    ranges = [[(0, 1)], [(1, 3), (5, 6), (17, 20)]]
    directory.save(Snapshot([1, 6], 7, [], [], []), ranges, memoryview(states), 8)
    directory.close()
    assert (tmp_path / "states-000000").read_bytes() == b"".join(states[8 * i :][:8] for i in (0, 1, 2, 5, 17, 18, 19))


@pytest.mark.parametrize("workers", [2, 3, 8])
@pytest.mark.parametrize("searched_again", [1 << 22, 0])
def test_all_that_several_workers_found_is_kept(
    workers: int, searched_again: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "_ALONE_BELOW", 1)
    monkeypatch.setattr(verify, "SEARCHED_AGAIN", searched_again)
    asked = replace(ASKED, workers=workers)
    system = kip320(3, 2, 2, 1)
    go_on(tmp_path, system, replace(asked, limits=Limits(depth=12)))
    assert go_on(tmp_path, system, asked) == replace(explore(system, ASKED), seconds=0.0)


@pytest.mark.parametrize("system", [wide(25, 8), stopper(7)])
def test_what_an_unfinished_level_shows_is_reported(system: ScalarSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is cut when states of a level were found and not judged says which properties they violate."""
    names = tuple(each.name for each in system.properties)
    whole = explore(system, Request(properties=names, deadlock=True))
    lengths = {name: len(path) for name, path in whole.found.items()}
    assert max(lengths.values()) > 1
    pause = search.NativeSearch._pause
    for level in range(1, whole.depth):

        def cut(self: search.NativeSearch, level: int = level) -> None:
            if len(self.store.levels) > level:
                raise Stopped("by hand")
            pause(self)

        monkeypatch.setattr(search.NativeSearch, "_pause", cut)
        seen = explore(system, Request(properties=names, deadlock=True))
        assert seen.cut == "by hand"
        expected = {name: n for name, n in lengths.items() if n + (name == "deadlock") <= level}
        assert {name: len(path) for name, path in seen.found.items()} == expected
