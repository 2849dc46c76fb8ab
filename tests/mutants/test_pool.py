"""Processes that die take nothing with them but the task that kills them."""

from pathlib import Path

import pytest
from tests.mutants import pool_tasks

from isrcheck.gate.mutants.survey import through


def answers(tasks: list[str], folder: Path) -> dict[str, str]:
    found = list(through(tasks, lambda task: pool_tasks.work(task, folder), pool_tasks.lost, 2))
    assert sorted(task for task, _ in found) == sorted(tasks)
    return dict(found)


def test_nobody_dies(tmp_path: Path) -> None:
    assert answers(["a", "b", "c"], tmp_path) == {"a": "A", "b": "B", "c": "C"}


def test_a_task_that_kills_is_tried_twice_and_given_up(tmp_path: Path) -> None:
    assert answers(["a", "always", "b", "once"], tmp_path) == {
        "a": "A",
        "always": "lost always",
        "b": "B",
        "once": "ONCE",
    }


def test_an_error_is_not_a_death(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not a death"):
        answers(["a", "wrong"], tmp_path)
