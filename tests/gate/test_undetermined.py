"""A spec can expect that a bound leaves a temporal property undetermined, and says which; a limit's end it cannot."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.liveness import small

from isrcheck import check
from isrcheck.gate.spec import Answer, answer_of, parse_answer

Run = Callable[..., int]
STOPS = "undetermined: the bound on max_records stops it"
CONFINED = "undetermined: the constraint short stops it"
EVERY = "undetermined: the bounds stop every fair behaviour"


def spec(model: str, expect: str, *more: str) -> None:
    lines = ["[[run]]", f'model = "{small.__file__}:{model}"', "strict = false", *more, f"expect = {{ {expect} }}"]
    Path("lamp.toml").write_text("\n".join([*lines, ""]), encoding="utf-8")


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("model", "expect"),
    [
        ("Log", f'appends_are_answered = "{STOPS}", begins = "holds"'),
        ("Confined", f'is_acknowledged = "{CONFINED}"'),
        ("Confined", 'begins = "undetermined: the search for cycles ended at a constraint"'),
        ("Drained", f'ends_at_two = "{EVERY}"'),
    ],
)
def test_it_is_met_by_its_own_reason(run: Run, model: str, expect: str) -> None:
    spec(model, expect)
    assert run("lamp.toml") == 0


@pytest.mark.parametrize(
    ("expect", "code", "says"),
    [
        ('begins = "undetermined: a bound stops it"', 21, "expected undetermined: a bound stops it, found holds"),
        (f'appends_are_answered = "{EVERY}"', 21, f"expected {EVERY}, found {STOPS}"),
        ('appends_are_answered = "holds"', 20, f"expected holds, found {STOPS}"),
        ('appends_are_answered = "violated"', 20, f"expected violated, found {STOPS}"),
    ],
)
def test_another_answer_is_not_as_expected(
    run: Run, capsys: pytest.CaptureFixture[str], expect: str, code: int, says: str
) -> None:
    spec("Log", expect)
    assert run("lamp.toml") == code
    assert says in said(capsys)


@pytest.mark.parametrize(("limit", "most"), [("states", "1"), ("depth", "2"), ("seconds", "1e-9")])
def test_the_end_of_a_search_does_not_meet_it(
    run: Run, capsys: pytest.CaptureFixture[str], limit: str, most: str
) -> None:
    spec("Log", f'appends_are_answered = "{STOPS}"', f"limits = {{ {limit} = {most} }}")
    assert run("lamp.toml") == 20
    assert f"expected {STOPS}, found undetermined: the run ended" in said(capsys)


@pytest.mark.parametrize(
    "written",
    ["undetermined", "undetermined: the search for cycles ended at the time limit", "undetermined: a bound stops it!"],
)
def test_any_other_reason_is_refused(run: Run, capsys: pytest.CaptureFixture[str], written: str) -> None:
    spec("Log", f'begins = "{written}"')
    assert run("lamp.toml") == 2
    assert f"begins is expected to be '{written}', which is none of 'holds', 'violated in 9 steps'" in said(capsys)


def test_it_is_of_temporal_properties_alone(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    spec("Broken", f'stays_off = "{STOPS}"')
    assert run("lamp.toml") == 2
    refused = f'stays_off is not a temporal property and cannot be "{STOPS}": write "holds" or "violated in 9 steps".'
    assert refused in said(capsys)


def test_it_is_written_by_update_and_the_end_of_a_search_is_not(run: Run) -> None:
    spec("Log", 'appends_are_answered = "holds", begins = "violated"')
    assert run("lamp.toml", "--update", "--yes") == 0
    text = Path("lamp.toml").read_text(encoding="utf-8")
    assert f'appends_are_answered = "{STOPS}"' in text
    assert 'begins = "holds"' in text
    assert run("lamp.toml") == 0
    spec("Log", 'begins = "violated"', "limits = { states = 1 }")
    assert run("lamp.toml", "--update", "--yes") == 20


def test_every_form_says_it(run: Run) -> None:
    spec("Log", f'appends_are_answered = "{STOPS}"')
    assert run("lamp.toml", "--json", "gate.json", "--junit", "gate.xml", "--sarif", "gate.sarif") == 0
    (finding,) = json.loads(Path("gate.json").read_text(encoding="utf-8"))["cells"][0]["findings"]
    assert (finding["status"], finding["expected"], finding["found"]) == ("met", STOPS, STOPS)


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_engines_name_the_same_bound(engine: str) -> None:
    (found,) = check(small.Log, engine=engine, properties=["appends_are_answered"]).properties
    assert str(answer_of(found)) == STOPS
    assert parse_answer(STOPS) == Answer("undetermined", bound="the bound on max_records stops it")
