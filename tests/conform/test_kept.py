"""What a task keeps between partitions changes no verdict, and spares searches of what is the same."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.observe.runs import RECORDED

from isrcheck.ir.frozen import replace
from isrlogs.conform import kept
from isrlogs.conform.event import Event
from isrlogs.conform.judge import judge
from isrlogs.conform.kept import SharedJudge
from isrlogs.conform.reading import events_of, settings_of
from isrlogs.conform.search import Limits
from isrlogs.conform.verdict import Verdict

LIMITS = Limits(seconds=None, nodes=100_000)
RUN, MODEL = RECORDED / "stall2-4.1.1", "kraft-4.1"


def events(folder: Path = RUN) -> list[Event]:
    ((_, found),) = events_of(folder, "tv-0").items()
    return found


def by(keeps: SharedJudge, told: Iterable[Event], model: str = MODEL) -> dict[str, Any]:
    told = list(told)
    return without_time(keeps.judge("p", told, settings_of(None, told), model, {}, LIMITS))


def without_time(verdict: Verdict) -> dict[str, Any]:
    return {name: value for name, value in verdict.as_json().items() if name != "seconds"}


@pytest.mark.parametrize(
    ("run", "models"),
    [("stall2-4.1.1", "kraft-4.1,isr-strict-min-isr,isr-kip-16-merged"), ("s20-elr-BA-1", "kraft-4.1,kraft-3.7")],
)
def test_verdicts_are_those_of_a_partition_alone(run: str, models: str) -> None:
    keeps, told = SharedJudge(), events(RECORDED / run)
    for model in models.split(",") * 2:
        alone = judge("p", told, settings_of(None, told), model, {}, LIMITS)
        assert by(keeps, told, model) == without_time(alone)
    assert keeps.searched == models.count(",") + 1


def test_another_name_another_time_and_another_place_are_the_same_run() -> None:
    keeps, told = SharedJudge(), events()
    first = by(keeps, told)
    names = {"dir": "/other", "topic_id": "x" * 22}
    renamed = [
        replace(e, wall_ms=_a_day_later(e), order=3 * e.order + 7, fields={**e.fields, **_known(e, names)})
        for e in told
    ]
    assert by(keeps, renamed) == first
    assert keeps.searched == 1


def _a_day_later(event: Event) -> float:
    return event.wall_ms + 86_400_000 if event.wall_ms else 0.0  # an agent's call has no time of day


def _known(event: Event, names: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in names.items() if name in event.fields}


def test_one_number_or_one_millisecond_makes_another_run() -> None:
    keeps, told = SharedJudge(), events()
    by(keeps, told)
    place = next(i for i, event in enumerate(told) if event.kind == "append")
    one = told[place]
    longer = replace(one, fields={**one.fields, "end": str((one.number("end") or 0) + 1)})
    for other in (longer, replace(one, wall_ms=one.wall_ms + 1), replace(one, kind="truncate")):
        before = keeps.searched
        by(keeps, [*told[:place], other, *told[place + 1 :]])
        assert keeps.searched == before + 1
    assert by(keeps, told[:place] + told[place + 1 :])["verdict"] == "undetermined"


def test_models_that_know_too_many_states_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "_MOST_SCALARS", 10)
    monkeypatch.setattr(kept, "_MOST_VERDICTS", 0)
    keeps, told = SharedJudge(), events()
    assert by(keeps, told) == by(keeps, told)
    assert keeps.searched == 2
    assert len(keeps._steppings) == 1


def test_runs_of_about_one_length_share_a_model() -> None:
    keeps, told = SharedJudge(), events()
    by(keeps, told)
    by(keeps, told[:-1])
    assert keeps.searched == 2
    assert len(keeps._steppings) == 1


def test_a_model_that_is_too_large_with_bounds_rounded_up_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(kept._ROUNDED, "max_records", 1_000_000)
    assert by(SharedJudge(), events())["verdict"] == "conforms"
