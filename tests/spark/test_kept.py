"""Checkpoints that are whole and say something wrong: refused before Spark starts, or searched to the same end."""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pytest
from tests.certificates.forge import changed, others, ways
from tests.spark.runs import bound, everything, native, on_spark

from isrcheck.engines.common.targets import Stopped
from isrcheck.engines.contract import Checkpoint, Request, Searched
from isrcheck.engines.native.codegen import program
from isrcheck.engines.native.disk.directory import search_key
from isrcheck.engines.native.kernel_text import text_of
from isrcheck.engines.native.program import EXCHANGING
from isrcheck.engines.registry import engine
from isrcheck.engines.spark import handover as verifying
from isrcheck.engines.spark.cluster import Settings
from isrcheck.engines.spark.handover import LocalSearch, write_levels
from isrcheck.engines.spark.level_log import LevelLog, read_states, write_states
from isrcheck.engines.spark.shard import KernelPlan, Shard
from isrcheck.engines.spark.storage import Storage, StorageFailed, StoredFile, url_of
from isrcheck.ir.frozen import replace
from isrcheck.passes import lower
from isrcheck.process.budget import OutOfBudget

MODEL = bound("kip-101", replicas=2, log_size=1, max_records=1, max_leader_epoch=1)
REQUEST, SYSTEM = everything(MODEL), lower(MODEL)
PROGRAM = program(SYSTEM, REQUEST.properties, more=EXCHANGING)
TEXT = text_of(PROGRAM)
SIZE = 8 * PROGRAM.words
OTHER_DIGEST = "contradicts itself: its states do not have the digest that is stated."
Body = dict[str, Any]


def plan_of(log: LevelLog) -> KernelPlan:
    return KernelPlan(PROGRAM, TEXT, log.key, log.buckets)


def ledger_of(folder: Path) -> LevelLog:
    return LevelLog(Storage(url_of(folder)), search_key(TEXT, SYSTEM, REQUEST), 2)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("written")
    log = ledger_of(folder)
    log.begin()
    local = LocalSearch(plan_of(log).machine(), SYSTEM, REQUEST, 1 << 20)
    local.run()
    write_levels(plan_of(log), log, local, complete=True)
    local.close()
    return folder


@pytest.fixture
def kept(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "kept"))


def resumed(folder: Path) -> LevelLog:
    """The log that a search would go on from."""
    log = ledger_of(folder)
    log.resume()
    if log.levels:
        verifying.verify(SYSTEM, REQUEST, plan_of(log), log)
    return log


def told(log: LevelLog) -> tuple[object, ...]:
    last = log.levels[-1]
    return log.distinct, [level.states for level in log.levels], last.counts, last.reached, sorted(last.targets_seen)


def record(folder: Path, name: str = "level-00000.json") -> Body:
    body: Body = json.loads((folder / name).read_bytes().partition(b"\n")[2])
    return body


def restate(folder: Path, body: object, name: str = "level-00000.json") -> None:
    text = json.dumps(body).encode()
    (folder / name).write_bytes(hashlib.sha256(name.encode() + text).hexdigest().encode() + b"\n" + text)


def refusal(folder: Path) -> str:
    with pytest.raises(StorageFailed) as refused:
        resumed(folder)
    return str(refused.value).removeprefix(f"the checkpoint in {folder} ")


def test_a_ledger_as_it_was_written_is_taken_over(kept: Path) -> None:
    whole: Searched = native(MODEL, REQUEST)
    distinct, levels, counts, reached, _ = told(resumed(kept))
    assert (distinct, levels) == (whole.distinct, [*whole.levels, 0])
    assert (counts, reached) == ((*whole.action_generated, whole.pruned), (1, *whole.action_distinct))


def mutated(body: Body) -> Iterator[tuple[str, Body]]:
    """Every field of an early and of the last level in other ways."""
    for way in ways(body):
        if len(way) > 1 and way[1] not in (2, len(body["levels"]) - 1):
            continue
        value: Any = body
        for key in way:
            value = value[key]
        for other in others(value):
            if repr(other) != repr(value):
                yield f"{way} = {other!r}", changed(body, way, other)


@pytest.mark.slow
def test_every_other_record_is_refused_or_changes_nothing(kept: Path) -> None:
    whole, wrong = told(resumed(kept)), []
    for name, body in mutated(record(kept)):
        restate(kept, body)
        with suppress(StorageFailed):
            if told(resumed(kept)) != whole:
                wrong.append(name)
    assert wrong == []


@pytest.mark.parametrize("buckets", [1, 3, 4, 0, -2, 2.0, "2", None, True])
def test_another_number_of_buckets_is_refused(kept: Path, buckets: object) -> None:
    """The files of a search are in the buckets of its own number of them, by its own function."""
    restate(kept, {**record(kept, "search.json"), "buckets": buckets}, "search.json")
    assert refusal(kept).startswith("contradicts itself: ")


@pytest.mark.parametrize("name", ["../outside.states", "/outside.states", "level-00002/../../outside.states"])
def test_a_name_with_a_path_is_refused(kept: Path, name: str) -> None:
    body = record(kept)
    first = body["levels"][2]["parts"][0]
    (kept / first["file"]["name"]).rename(kept.parent / "outside.states")
    first["file"]["name"] = name
    restate(kept, body)
    assert refusal(kept).startswith(f"contradicts itself: level-00000.json has the file name {name!r} in place of ")


@pytest.mark.parametrize("what", ["level-00002", "file"])
def test_a_link_out_of_the_folder_is_not_followed(kept: Path, what: str) -> None:
    name = record(kept)["levels"][2]["parts"][0]["file"]["name"]
    moved = kept / (name if what == "file" else what)
    moved.rename(kept.parent / "outside")
    moved.symlink_to(kept.parent / "outside")
    assert refusal(kept).startswith("is damaged: level-00002/")


def test_a_resumed_search_begins_by_comparing(kept: Path) -> None:
    body = record(kept)
    body["levels"][-1]["counts"][0] += 1
    restate(kept, body)
    request = replace(REQUEST, checkpoint=Checkpoint(kept, resume=True))
    with pytest.raises(StorageFailed, match="contradicts itself: its records state "):
        on_spark(MODEL, request, kept, Settings(buckets=2))


def rewrite(folder: Path, level: int, change: Any) -> None:
    """Gives the largest part of a level other states, with all that its record says of the file."""
    body, storage = record(folder), Storage(url_of(folder))
    parts = body["levels"][level]["parts"]
    part = max(parts, key=lambda each: each["states"])
    words = b"".join(piece.to_pybytes() for piece in read_states(storage, StoredFile(**part["file"]), SIZE))
    states = change([words[i : i + SIZE] for i in range(0, len(words), SIZE)])
    part.update(msgspec.to_builtins(write_states(storage, level, part["bucket"], b"".join(states), SIZE)))
    restate(folder, body)


def test_a_state_too_few_is_refused(kept: Path) -> None:
    rewrite(kept, 6, lambda states: states[:-1])
    assert "counts of" in refusal(kept)


def exchange(folder: Path, level: int, change: Any, by: int) -> None:
    """Give a level other states, `by` more of them, and count these among the states reached."""
    rewrite(folder, level, change)
    body = record(folder)
    body["levels"][-1]["reached"][-1] += by
    restate(folder, body)


def outside_their_domains() -> Iterator[bytes]:
    for number in range(8):
        yield ((1 << 64) - 1 - number).to_bytes(8, "little") * PROGRAM.words


def unreachable() -> Iterator[bytes]:
    """States near the initial one to which nothing leads."""
    size = 8 * PROGRAM.words
    with engine("native").graph(SYSTEM, (), Request()) as graph:
        known = {chunk[at : at + size] for chunk in graph.states() for at in range(0, len(chunk), size)}
    sizes, layout = [scalar.size for scalar in SYSTEM.scalars], PROGRAM.packing
    for n, v in ((n, v) for n, size in enumerate(sizes) for v in range(size)):
        words = layout.pack([*SYSTEM.initial[:n], v, *SYSTEM.initial[n + 1 :]])
        if (near := b"".join(word.to_bytes(8, "little") for word in words)) not in known:
            yield near


@pytest.mark.parametrize(
    ("change", "by"),
    [(lambda states: states[:-1], -1), (lambda states: [*states[:-1], states[0]], 0)],
    ids=["one lost", "one twice"],
)
def test_a_lost_or_repeated_state_is_refused_though_the_record_counts_it(kept: Path, change: Any, by: int) -> None:
    exchange(kept, 6, change, by)
    assert refusal(kept) == OTHER_DIGEST


@pytest.mark.parametrize("others", [outside_their_domains, unreachable])
def test_other_states_are_refused_though_the_record_counts_them(
    written: Path, tmp_path: Path, others: Callable[[], Iterator[bytes]]
) -> None:
    """Those of the file's bucket by the digest, those of the other one by their bucket."""
    expected = set()
    with Shard(plan_of(ledger_of(written))) as shard:
        for number, other in enumerate(others()):
            kept = Path(shutil.copytree(written, tmp_path / str(number)))
            exchange(kept, 6, lambda states, other=other: [*states, other], 1)
            largest = max(record(kept)["levels"][6]["parts"], key=lambda part: part["states"])
            shard.load([pa.py_buffer(other)])
            is_of_bucket = shard.buckets_of(1) == {largest["bucket"]}
            expected.add(is_of_bucket)
            other_bucket = f"contradicts itself: {largest['file']['name']} has states of another bucket."
            assert refusal(kept) == (OTHER_DIGEST if is_of_bucket else other_bucket)
    assert expected == {True, False}


def test_other_states_are_refused_though_the_record_has_their_digest(kept: Path) -> None:
    exchange(kept, 6, lambda states: [*states[:-1], states[0]], 0)
    log, body = ledger_of(kept), record(kept)
    log.resume()
    with Shard(plan_of(log)) as shard:
        body["levels"][-1]["digest"] = sum(verifying._digest_of_files(shard, log, level) for level in log.levels)
    restate(kept, body)
    assert refusal(kept) == "contradicts itself: level 7 does not have the states that the search reaches."


def test_a_state_of_another_bucket_is_refused(kept: Path) -> None:
    body = record(kept)
    level = next(each for each in body["levels"] if len(each["parts"]) == 2)
    first, second = level["parts"]
    number = body["levels"].index(level)
    for part, bucket in ((first, second["bucket"]), (second, first["bucket"])):
        name = f"level-{number:05}/bucket-{bucket:05}-{'0' * 16}.states"
        (kept / part["file"]["name"]).rename(kept / name)
        part["file"]["name"], part["bucket"] = name, bucket
    restate(kept, body)
    assert refusal(kept).endswith(" has states of another bucket.")


def test_a_level_beyond_what_is_searched_again_is_counted(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifying, "SEARCHED_AGAIN", 10)
    whole = told(resumed(kept))
    body = record(kept)
    body["levels"][8]["parts"][0]["states"] += 1
    body["levels"][-1]["reached"][-1] += 1
    restate(kept, body)
    assert " states, and " in refusal(kept)
    assert whole[0] == native(MODEL, REQUEST).distinct


def test_the_bucket_function_is_what_it_was(kept: Path) -> None:
    """Checkpoints depend on it: 13 states made by hand, in seven buckets."""
    log = ledger_of(kept)
    plan = replace(plan_of(log), buckets=7)
    words = [(number * 0x9E3779B97F4A7C15 % (1 << 64)).to_bytes(8, "little") for number in range(13)]
    with Shard(plan) as shard:
        shard.load([pa.py_buffer(b"".join(words))])
        pieces = [(bucket, states.to_pybytes()) for bucket, states, _ in shard.partition(0, 13)]
    buckets = [next(bucket for bucket, states in pieces if word in states) for word in words]
    assert buckets == [0, 6, 2, 6, 2, 5, 3, 4, 3, 5, 3, 0, 0]


def scrambled(word: int) -> int:
    """The table's hash of a state of one word."""
    full = (1 << 64) - 1
    h = word * 0x9E3779B97F4A7C15 & full
    h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93 & full
    return h ^ (h >> 29)


def test_states_with_one_tag_are_distinguished() -> None:
    """Two states that share slot and tag of the smallest table: seeing one does not drop the other."""
    assert SIZE == 8
    seen: dict[tuple[int, int], int] = {}
    for word in range(1 << 19):
        h = scrambled(word)
        place = (h & ((1 << 14) - 1), h >> 47)
        if place in seen:
            break
        seen[place] = word
    else:
        raise AssertionError("no two such states")
    first, second = (pa.py_buffer(each.to_bytes(8, "little")) for each in (seen[place], word))
    with Shard(plan_of(ledger_of(Path("/nowhere")))) as shard:
        shard.store.begin_level()
        shard.insert(first, pa.py_buffer(b"\1"))
        assert shard.store.slots == 1 << 14
        shard.filter_visited([second])
        assert shard.compact(1) == 1
        shard.filter_visited([first])
        assert shard.compact(1) == 0


def test_only_visited_states_are_filtered() -> None:
    """Of six states the third and fourth were visited: the others stay, in their order."""
    words = [number.to_bytes(8, "little") for number in range(1, 7)]
    with Shard(plan_of(ledger_of(Path("/nowhere")))) as shard:
        shard.store.begin_level()
        shard.insert(pa.py_buffer(b"".join(words)), pa.py_buffer(b"\1" * 6))
        shard.filter_visited([pa.py_buffer(words[2] + words[3])])
        count = shard.compact(6)
        assert shard.buffers(0, count)[0].to_pybytes() == b"".join(words[:2] + words[4:])


def test_the_limit_of_the_run_ends_the_comparing(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def end(search: LocalSearch, levels: int) -> None:
        raise Stopped("after 10 seconds")

    monkeypatch.setattr(LocalSearch, "repeat", end)
    with pytest.raises(OutOfBudget, match=r"^after 10 seconds$"):
        resumed(kept)
