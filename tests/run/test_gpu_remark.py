"""The remark that a GPU is there comes once, after ten seconds of search, and nothing is looked for before."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from isrcheck import check
from isrcheck.engines.common import targets
from isrcheck.engines.contract import Progress
from isrcheck.engines.gpu import remark as gpu_remark
from isrcheck.engines.gpu.remark import REMARK, GpuRemark
from isrcheck.evidence.progress import ProgressLine, progress_line

EARLY, LATE, LATER = (Progress(5, 10, 20, 3, seconds) for seconds in (9.9, 10.0, 20.1))
LOWERING = Progress(0, 0, 0, 0, 60.0, phase="lowering")


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """A look for each time that a GPU, which is there, was looked for."""
    looked: list[None] = []

    def look() -> bool:
        looked.append(None)
        return True

    monkeypatch.setattr(gpu_remark, "is_gpu_here", look)
    return looked


def test_it_comes_once_after_ten_seconds_of_search(looks: list[None]) -> None:
    told: list[Progress] = []
    tell = GpuRemark(told.append)
    for each in (LOWERING, EARLY):
        tell(each)
    assert looks == []
    for each in (LATE, LATER):
        tell(each)
    assert (len(looks), [each.remark for each in told]) == (1, ["", "", REMARK, ""])


def test_where_there_is_no_gpu_nothing_is_said_and_nothing_is_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Progress] = []
    looked: list[None] = []
    monkeypatch.setattr(gpu_remark, "is_gpu_here", lambda: looked.append(None))
    tell = GpuRemark(told.append)
    for each in (LATE, LATER):
        tell(each)
    assert (told, len(looked)) == ([LATE, LATER], 1)


def test_it_is_a_line_of_its_own_and_in_no_event(tmp_path: Path, looks: list[None]) -> None:
    shown = io.StringIO()
    with ProgressLine(Console(file=shown, width=200), tmp_path / "events") as line:
        tell = GpuRemark(line)
        for each in (EARLY, LATE, LATER):
            tell(each)
    assert shown.getvalue().splitlines() == [REMARK]  # what is no terminal hears of progress every ten seconds
    events = [json.loads(each) for each in (tmp_path / "events").read_text().splitlines()]
    assert [event["seconds"] for event in events] == [9.9, 10.0, 20.1]
    assert not any("remark" in event for event in events)
    assert REMARK not in progress_line(LATE)


@pytest.mark.parametrize(
    ("more", "remarks"),
    [
        ({}, 1),
        ({"symmetry": True}, 0),
        ({"disk": Path("d")}, 0),
        ({"certificate": Path("c")}, 0),
        ({"engine": "evaluator"}, 0),
    ],
    ids=["native", "symmetry", "disk", "certificate", "evaluator"],
)
def test_only_a_search_that_a_gpu_could_do_has_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, looks: list[None], more: dict[str, Any], remarks: int
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(gpu_remark, "AFTER_SECONDS", 0.0)
    monkeypatch.setattr(targets, "_PROGRESS_SECONDS", 0.0)
    told: list[Progress] = []
    check("toy-mutex", progress=told.append, **more)
    assert [each.remark for each in told if each.remark] == [REMARK] * remarks
    assert len(looks) == remarks
