"""A kernel is one process in which many runs are made, also at the same time and within each other."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from isrcheck import Outcome, check
from isrcheck.errors import ModelError

MODELS = ["kip-320", "toy-mutex", "toy-ledger", "toy-born-wrong"]


def facts(name: str) -> dict[str, Any]:
    found = check(name).to_dict()
    return {key: found[key] for key in ("verdict", "exit", "states", "properties", "actions")}


def test_runs_in_several_threads_say_what_they_say_alone() -> None:
    alone = [facts(name) for name in MODELS]
    with ThreadPoolExecutor(len(MODELS)) as threads:
        assert list(threads.map(facts, MODELS)) == alone


def test_a_run_within_a_run_changes_neither() -> None:
    within: list[Outcome] = []
    around = check("kip-320", replicas=2, on_verdict=lambda _: within.append(check("toy-mutex")))
    assert (around.distinct, around.pruned) == (277, 660)
    assert [each.distinct for each in within] == [24]


TEXT = """
from isrcheck import Model, action, invariant


class Mine(Model):
    on: bool = False

    @action
    def turn(self) -> None:
        self.on = True

    @invariant
    def dark(self) -> bool:
        return not self.on
"""


def test_a_file_that_was_edited_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where size and second are the same, by which alone CPython tells its bytecode apart."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    file = tmp_path / "mine.py"
    for value, verdict, distinct in [("= True", "violated", 2), ("=False", "holds", 1), ("= True", "violated", 2)]:
        file.write_text(TEXT.replace("= True", value), encoding="utf-8")
        os.utime(file, (1_700_000_000, 1_700_000_000))
        found = check(f"{file}:Mine")
        assert (found.verdict.value, found.distinct) == (verdict, distinct)


def test_a_file_that_was_not_edited_is_one_module(tmp_path: Path) -> None:
    from isrcheck.catalogue import find_model

    file = tmp_path / "mine.py"
    file.write_text(TEXT, encoding="utf-8")
    assert find_model(f"{file}:Mine") is find_model(f"{file}:Mine")


def test_a_picture_shows_the_text_as_it_is_now(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    for wrong in ("Flase", "Ture"):
        file.write_text(TEXT.replace("= True", f"= {wrong}"), encoding="utf-8")
        with pytest.raises(ModelError, match=rf"self\.on = {wrong}\n"):
            check(f"{file}:Mine")
