"""Features that exclude each other are refused before the search, each pair in its own sentence."""

from pathlib import Path
from typing import Any

import pytest

from isrcheck import Limits, check
from isrcheck.errors import UsageError
from isrcheck.run import combinations
from isrcheck.run.combinations import EXCLUSIONS, Feature

SEVERAL = f"{Path(__file__).parents[1] / 'lang/models/choices.py'}:Several"


@pytest.mark.parametrize("pair", EXCLUSIONS, ids=lambda pair: f"{pair[0].name}-{pair[1].name}")
def test_each_pair_is_refused(monkeypatch: pytest.MonkeyPatch, pair: tuple[Feature, Feature]) -> None:
    monkeypatch.setattr(combinations, "_features", lambda *_: iter(pair))
    with pytest.raises(UsageError) as error:
        check("toy-counter")
    first = EXCLUSIONS[pair].partition("{")[0]
    assert str(error.value).startswith(first or "Counter has the canonical form")


def test_one_feature_alone_is_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for feature in Feature:
        monkeypatch.setattr(combinations, "_features", lambda *_, each=feature: iter([each]))
        assert check("toy-counter").distinct


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (
            {"engine": "symbolic", "limits": Limits(depth=3)},
            "the symbolic engine lists no states: leave --certificate out.",
        ),
        (
            {"engine": "gpu"},
            "the gpu engine keeps its states on the device: leave --certificate out, or use --engine native.",
        ),
        ({"properties": ()}, "a certificate states what was decided, and nothing is asked"),
    ],
)
def test_what_no_certificate_is_of_is_refused_at_once(tmp_path: Path, more: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        check("toy-counter", certificate=tmp_path / "c", **more)
    assert str(error.value).startswith(sentence)


def test_a_certificate_of_several_initial_states_is_refused_before_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isrcheck.run.deciding.engine_named", lambda _: pytest.fail("it searches"))
    with pytest.raises(UsageError, match=r"Several has \d+ initial states, and a certificate begins in one"):
        check(SEVERAL, certificate=tmp_path / "c")
