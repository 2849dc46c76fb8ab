"""Where a search on a GPU ends early: what it says then, and that nothing holds of what was not searched."""

import re
import signal
from collections.abc import Callable
from typing import Any

import pytest
from tests.gpu.systems import answer_of, assert_agreement
from tests.native.systems import Builder
from tests.native.test_agreement import bound
from tools.gpu.emulator import EmulatedDevice, search

from isrcheck.engines.common import targets
from isrcheck.engines.contract import Limits, Progress, Request, Searched
from isrcheck.engines.gpu import memory
from isrcheck.engines.native import engine as native
from isrcheck.errors import Disagreement
from isrcheck.ir.frozen import replace

MODEL = bound("toy-train")
ASKED = Request(properties=tuple(each.name for each in MODEL.properties))


@pytest.mark.parametrize(
    "request_",
    [
        replace(ASKED, limits=Limits(states=100)),
        replace(ASKED, limits=Limits(depth=4)),
        replace(ASKED, limits=Limits(states=10**6, depth=99, seconds=600.0, memory=1 << 40)),
        replace(ASKED, stop_at_first=True),
        replace(ASKED, limits=Limits(depth=1)),
    ],
    ids=["states", "levels", "unreached", "first violation", "no step"],
)
def test_a_limit_ends_the_search_where_the_native_engine_ends(request_: Request) -> None:
    assert_agreement(MODEL, request_)


def test_a_limit_of_time() -> None:
    seen = search(MODEL, replace(ASKED, limits=Limits(seconds=1e-6)))
    assert (seen.cut, seen.digest, seen.interrupted) == ("after 1e-06 seconds", None, False)


@pytest.mark.parametrize("by", ["a signal", "its report"])
def test_an_interruption(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(progress: Progress) -> None:
        if progress.depth == 4 and by == "a signal":
            signal.raise_signal(signal.SIGINT)
        elif progress.depth == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(targets, "_PROGRESS_SECONDS", 0.0)
    seen = search(MODEL, replace(ASKED, progress=stop))
    whole = native.search(MODEL, Request())
    assert (seen.cut, seen.digest, seen.interrupted) == ("by the user", None, True)
    assert seen.levels[:4] == whole.levels[:4]


SENTENCES = (
    r"at the limit of the GPU's memory",
    r"after [\d,]+ states, as many as fit into the GPU's memory",
)


@pytest.mark.parametrize("way", ["the device's", "the limit's"])
def test_memory_that_ends(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too little to begin, for the table, for the ring; and then enough."""
    monkeypatch.setattr(memory, "_FEWEST_STATES", 16)
    whole = native.search(MODEL, Request())
    ends, tables = set[str](), set[int]()
    for kilobytes in (1, 8, 12, 16, 20, 24, 32, 40, 48, 56, 64, 128, 4096):
        size = kilobytes << 10
        limits, device = (
            (Limits(memory=size), EmulatedDevice()) if way == "the limit's" else (Limits(), EmulatedDevice(size))
        )
        seen = search(MODEL, Request(limits=limits), device)
        if seen.cut is not None and seen.cut.startswith("after"):
            assert int(seen.cut.split()[1].replace(",", "")) <= whole.distinct
        if seen.cut is None:
            assert replace(seen, seconds=0.0) == replace(whole, seconds=0.0)
            ends.add("whole")
            continue
        assert any(re.fullmatch(sentence, seen.cut) for sentence in SENTENCES)
        assert seen.digest is None
        assert seen.levels == whole.levels[: seen.depth]
        assert seen.distinct <= whole.distinct
        ends.add(re.sub(r"[\d,]+ states", "N states", seen.cut))
        tables.add(seen.distinct)
    assert len(ends) == 3, ends
    assert len(tables) > 2


TRUE = native.search


def answer_otherwise(**lie: Any) -> Callable[[Any, Request], Searched]:
    return lambda model, request: replace(TRUE(model, request), **lie)


@pytest.mark.parametrize(
    ("paths", "sees", "other"),
    [({}, r"gpu engine sees \w+", "native"), ({**TRUE(MODEL, ASKED).paths, "z": ()}, "native engine sees z", "gpu")],
    ids=["native", "gpu"],
)
def test_a_disagreement(paths: Any, sees: str, other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "search", answer_otherwise(paths=paths))
    with pytest.raises(Disagreement, match=rf"the {sees} within \d+ levels, and the {other} engine does not"):
        search(MODEL, ASKED)


def test_a_search_for_traces_that_ends_early_leaves_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "search", answer_otherwise(paths={}, cut="after 1 second", depth=1))
    seen = search(MODEL, ASKED)
    assert (seen.cut, seen.digest, seen.paths) == ("after 1 second", None, {})


def test_an_error_in_the_last_level_whose_trace_is_not_searched_leaves_no_verdict() -> None:
    """The limit of the device's memory is one of that search, too."""
    b = Builder(2)
    b.step(0, b.k.true, {}, fault=b.k.true)
    seen = answer_of(b.system(), Request(limits=Limits(memory=1 << 23)), EmulatedDevice())
    assert (seen.cut, seen.digest) == ("at the memory limit, after 1 state", None)
