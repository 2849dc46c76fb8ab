"""Logs as they are found, cut off, rotated, compressed, mixed: the same events, or a loss that is counted."""

import bz2
import gzip
import io
import lzma
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.observe.runs import RECORDED, broken, in_plain_layout, log_lines

from isrlogs.observe.account import Account
from isrlogs.observe.event import Event
from isrlogs.observe.run import read_run

LINES = log_lines(RECORDED / "stall2-4.1.1" / "broker2.log.gz")
OLD_LINES = log_lines(RECORDED / "kip101-0.10.2.2" / "broker2.log.gz")
CHUNKS = st.sampled_from([100, 1000, 1 << 25])
# What other loggers print, and what is not a line of its own.
OTHER = [
    "2026-11-22 01:15:08.000 INFO  [main] kafka.network.SocketServer - [SocketServer id=1] Created acceptor",
    "[2026-11-22 01:15:08,000] INFO Registered handlers for TERM (org.apache.kafka.common.utils.LoggingSignalHandler)",
    "java.io.IOException: Connection to 127.0.0.1:9092 (id: 1 rack: null) failed.",
    "\tat kafka.server.ReplicaFetcherThread.run(ReplicaFetcherThread.scala:100)",
    "",
    "\x00\x00\x00",
    "[2026-11-22 01:15:08,000] INFO KafkaConfig values: ",
]
quick = settings(max_examples=40, deadline=None)


@contextmanager
def folder_of(files: Mapping[str, bytes]) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "run"
        root.mkdir()
        (root / "cluster.json").touch()
        for file, content in files.items():
            (root / file).write_bytes(content)
        yield root


def read(files: Mapping[str, bytes], chunk: int = 1 << 25) -> tuple[list[Event], list[Account]]:
    with folder_of(files) as root:
        return read_run(root, chunk=chunk)


def told(events: Iterable[Event]) -> list[tuple[object, ...]]:
    return [(e.node, e.kind, e.wall_ms, e.partition, e.fields, e.line) for e in events]


def in_zip(content: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as stream:
        stream.writestr("broker2.log", content)
    return made.getvalue()


def in_zst(content: bytes) -> bytes:
    packed: bytes = pytest.importorskip("pyarrow").compress(content, codec="zstd", asbytes=True)
    return packed


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": partial(gzip.compress, mtime=0),
    "zst": in_zst,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zip": in_zip,
}


def as_bytes(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def every_line_is_counted(accounts: Iterable[Account]) -> None:
    for a in accounts:
        missed = sum(each.lines for each in a.not_understood.values())
        assert a.total == a.understood_lines + a.other + a.rest + a.cut + missed, a


@cache
def whole_run() -> list[tuple[object, ...]]:
    return told(read({"broker2.log": as_bytes(LINES)})[0])


def test_the_run_is_worth_it() -> None:
    assert len(whole_run()) > 30


@quick
@given(st.integers(0, len(as_bytes(LINES))), CHUNKS)
def test_a_log_that_is_cut_off_anywhere(at: int, chunk: int) -> None:
    content = as_bytes(LINES)[:at]
    events, accounts = read({"broker2.log": content}, chunk)
    every_line_is_counted(accounts)
    assert told(events) == whole_run()[: len(events)]
    assert sum(a.cut for a in accounts) == (not content.endswith(b"\n") and at > 0)
    assert sum(a.total for a in accounts) == len(content.splitlines())


@quick
@given(st.sampled_from(sorted(PACKERS)), st.data())
def test_a_compressed_log_that_is_cut_off_or_damaged(form: str, data: st.DataObject) -> None:
    packed = bytearray(PACKERS[form](as_bytes(LINES)))
    end = packed.rindex(b"PK\1\2") if form == "zip" else len(packed)  # the directory says nothing that matters
    at = data.draw(st.integers(40, end - 1))
    if data.draw(st.booleans()):
        events, accounts = read({f"broker2.log.{form}": bytes(packed[:at])})
        assert sum(a.cut for a in accounts) == 1
        assert told(events) == whole_run()[: len(events)]
    else:
        packed[at] ^= data.draw(st.integers(1, 255))
        _, accounts = read({f"broker2.log.{form}": bytes(packed)})
    every_line_is_counted(accounts)


@pytest.mark.parametrize("form", PACKERS)
def test_each_form_of_compressed_files_that_are_rotated(form: str) -> None:
    half = len(LINES) // 2
    files = {f"broker2.log.1.{form}": PACKERS[form](as_bytes(LINES[:half])), "broker2.log": as_bytes(LINES[half:])}
    files[f"broker2.log.{form}"] = PACKERS[form](files["broker2.log"])  # a copy
    events, accounts = read(files)
    assert told(events) == whole_run()
    assert sum(a.total for a in accounts) == len(LINES)


def test_a_rotated_file_that_is_missing() -> None:
    third = len(LINES) // 3
    events, accounts = read({"broker2.log.2": as_bytes(LINES[:third]), "broker2.log": as_bytes(LINES[2 * third :])})
    every_line_is_counted(accounts)
    ends = [told(read({"broker2.log": as_bytes(own)})[0]) for own in (LINES[:third], LINES[2 * third :])]
    assert told(events) == [*ends[0], *ends[1]]
    assert broken(events) == []


@quick
@given(st.lists(st.tuples(st.integers(0, len(LINES)), st.sampled_from(OTHER)), max_size=60), CHUNKS)
def test_lines_of_others_between(more: list[tuple[int, str]], chunk: int) -> None:
    lines = list(LINES)
    for at, line in sorted(more, reverse=True):
        lines.insert(at, line)
    events, accounts = read({"broker2.log": as_bytes(lines)}, chunk)
    every_line_is_counted(accounts)
    assert told(events) == whole_run()
    assert sum(a.total for a in accounts) == len(LINES) + len(more)
    assert not any(a.cut or a.not_understood for a in accounts)


NAMES: dict[str, Callable[[int, int], str]] = {
    "numbers, as log4j gives them: 1 is the newest": lambda n, of: "broker2.log" + (f".{of - n}" if n < of else ""),
    "hours": lambda n, of: "broker2.log" + (f".2026-11-22-{n:02}" if n < of else ""),
    "days, in the name": lambda n, of: f"broker2-2026-11-{n + 1:02}.log" if n < of else "broker2.log",
}


@quick
@given(
    st.lists(st.integers(0, len(LINES)), max_size=6, unique=True),
    st.lists(st.booleans(), min_size=7, max_size=7),
    st.sampled_from(sorted(NAMES)),
    CHUNKS,
    st.booleans(),
)
def test_rotated_files_are_one_log(cuts: list[int], packed: list[bool], names: str, chunk: int, old: bool) -> None:
    lines = OLD_LINES[: len(LINES)] if old else LINES  # the old ones have milliseconds, in which many lines are written
    ends = [*sorted(cuts), len(lines)]
    files: dict[str, bytes] = {}
    for number, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        content = as_bytes(lines[start:end])
        name = NAMES[names](number, len(cuts))
        files |= {f"{name}.gz": gzip.compress(content)} if packed[number] else {name: content}
    events, accounts = read(files, chunk)
    every_line_is_counted(accounts)
    assert told(events) == told(read({"broker2.log": as_bytes(lines)})[0])
    assert len({event.order for event in events}) == len(events)


@quick
@given(st.integers(100, 5000), st.booleans())
def test_stretches_of_any_size_give_the_same_events(chunk: int, old: bool) -> None:
    content = as_bytes(OLD_LINES if old else LINES)
    assert told(read({"broker2.log": content}, chunk)[0]) == told(read({"broker2.log": content})[0])


@quick
@given(st.binary(max_size=300), st.integers(0, len(as_bytes(LINES))), st.integers(0, 200))
def test_whatever_stands_there_is_counted(garbage: bytes, at: int, lost: int) -> None:
    content = as_bytes(LINES)
    _, accounts = read({"broker2.log": content[:at] + garbage + content[at + lost :]}, 1000)
    every_line_is_counted(accounts)


@quick
@given(st.sampled_from(["client.jsonl", "faults.jsonl", "broker1.agent.jsonl", "metadata-log.txt"]), st.data())
def test_other_sources_that_are_damaged(name: str, data: st.DataObject) -> None:
    recorded = RECORDED / "stall2-4.1.1"
    packed = recorded / f"{name}.gz"
    content = gzip.decompress(packed.read_bytes()) if packed.exists() else (recorded / name).read_bytes()
    at = data.draw(st.integers(len(content) // 2, len(content)))
    damaged = content[:at] + data.draw(st.binary(max_size=20)) + content[at + data.draw(st.integers(0, 50)) :]
    _, accounts = read({name: damaged, "broker2.log": b""})
    every_line_is_counted(accounts)


def test_a_line_that_was_not_finished_before_a_restart() -> None:
    at = next(n for n, line in enumerate(LINES) if "Appended message set" in line)
    glued = [*LINES[:at], LINES[at][:150] + LINES[at + 1], *LINES[at + 2 :]]
    events, accounts = read({"broker2.log": as_bytes(glued)})
    every_line_is_counted(accounts)
    assert sum(a.cut for a in accounts) == 1
    assert len(events) == len(whole_run()) - 1


def test_the_number_at_the_end_of_a_line_that_is_cut_off_is_not_believed() -> None:
    line = "2026-11-22 01:15:08.000 INFO  [t] kafka.log.UnifiedLog - [UnifiedLog partition=tv-0, dir=d] "
    whole, _ = read({"broker2.log": f"{line}Truncating to offset 1234\n".encode()})
    assert [event.fields["to"] for event in whole] == ["1234"]
    events, accounts = read({"broker2.log": f"{line}Truncating to offset 12".encode()})
    assert events == []
    assert accounts[0].cut == 1


@pytest.mark.parametrize("plain", [True, False])
def test_what_is_not_understood_is_shown_by_logger(plain: bool) -> None:
    head = "2026-11-22 01:15:08.000 INFO  [t]"
    strange = [
        f"{head} kafka.cluster.Partition - [Partition tv-0 broker=2] Something new",
        f"{head} kafka.cluster.Partition - [Partition tv-1 broker=2] Something new, too",
        f"{head} kafka.server.Novelty - A word on partition tv-0 that nobody knows",
        f"{head} kafka.server.Novelty - A word on nothing in particular",
    ]
    lines = list(in_plain_layout(strange)) if plain else strange
    _, accounts = read({"broker2.log": as_bytes(lines)})
    missed = accounts[0].not_understood
    assert {name: each.lines for name, each in missed.items()} == {"Partition": 2, "Novelty": 1}
    assert missed["Partition"].example == lines[0]
    assert accounts[0].other == 1
