"""Findings on disk: used if whole, made again if not."""

from pathlib import Path

import pytest
from tests.mutants.helpers import fates, surveyed

from isrcheck.gate.mutants import judge
from isrcheck.gate.mutants.judge import Cache
from isrcheck.gate.mutants.make import Fate, Kill, MutantOutcome

FINDING = MutantOutcome(Fate.KILLED, (Kill("hw", "step", 3), Kill("met", "reachable", None)), "", ("a",), 7)


def test_a_finding_comes_back(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "new")
    assert cache.get("key") is None
    cache.put("key", FINDING)
    assert cache.get("key") == FINDING
    assert cache.get("other") is None


@pytest.mark.parametrize("spoil", ["", "{}", "x", "cut", "fate", "key"])
def test_a_damaged_one_is_none(tmp_path: Path, spoil: str) -> None:
    cache = Cache(tmp_path)
    cache.put("key", FINDING)
    file = tmp_path / "key.json"
    whole = file.read_text(encoding="utf-8")
    changed = {"cut": whole[:-3], "fate": whole.replace("killed", "equivalent"), "key": whole}.get(spoil, spoil)
    (tmp_path / ("other.json" if spoil == "key" else "key.json")).write_text(changed, encoding="utf-8")
    assert cache.get("other" if spoil == "key" else "key") is None


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "key.json").write_bytes(b"\xff\xfe")
    assert Cache(tmp_path).get("key") is None


def test_a_folder_that_cannot_be_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file" / "below")
    cache.put("key", FINDING)
    cache.trim()
    assert cache.get("key") is None


def test_it_stays_small(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for number in range(5):
        cache.put(str(number), FINDING)
    cache.trim(most=2)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_second_survey_searches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = surveyed("Tank", cache=Cache(tmp_path))
    kept = len(list(tmp_path.iterdir()))
    assert kept == 9

    def never(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(judge.Judge, "_search_on", never)
    assert fates(surveyed("Tank", cache=Cache(tmp_path))) == fates(first)
    with pytest.raises(AssertionError):
        surveyed("Tank", {"size": "3"}, cache=Cache(tmp_path))


def test_a_corrupt_cache_changes_no_answer(tmp_path: Path) -> None:
    first = surveyed("Tank", cache=Cache(tmp_path))
    for file in tmp_path.iterdir():
        file.write_text(file.read_text(encoding="utf-8").replace("survived", "killed"), encoding="utf-8")
    assert fates(surveyed("Tank", cache=Cache(tmp_path))) == fates(first)
