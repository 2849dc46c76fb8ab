"""What a person sees in a notebook; many runs are made in its one process, also at the same time."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from tests.notebooks.kernel import cells

from isrcheck import Outcome, check
from isrcheck.errors import ModelError

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
INTERRUPT = "import os, signal, threading\nthreading.Timer(4, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
CELL_MODEL = TEXT.replace("from isrcheck import", "import isrcheck\nfrom isrcheck import")
LARGE = 'isrcheck.check("kip-320", replicas=4, log_size=3, max_records=3, max_leader_epoch=3)'
CELLS = {
    "wrong name": 'import isrcheck\nisrcheck.check("kip-102")',
    "model in a cell": f"{CELL_MODEL}\nisrcheck.check(Mine)",
    "written": f"%%writefile mine.py\n{TEXT.replace('= True', '= Ture')}",
    "wrong model": 'isrcheck.check("mine.py:Mine")',
    "written again": f"%%writefile mine.py\n{TEXT}",
    "right model": 'isrcheck.check("mine.py:Mine")',
    "interrupted": f"{INTERRUPT}{LARGE}",
    "after the interrupt": 'isrcheck.matrix("toy-mutex", properties=["mutual_exclusion"])',
}


@cache
def outputs() -> dict[str, list[dict[str, Any]]]:
    with TemporaryDirectory() as folder:
        return dict(zip(CELLS, cells(CELLS.values(), Path(folder)), strict=True))


def mistake(name: str) -> str:
    (output,) = outputs()[name]
    assert output["output_type"] == "error"
    return "\n".join(output["traceback"])


@pytest.mark.slow
def test_a_mistake_is_one_sentence_without_a_traceback() -> None:
    assert mistake("wrong name") == (
        "UsageError: there is no model kip-102. Did you mean kip-101? A file of your own is FILE.py:Class."
    )
    assert mistake("wrong model").endswith(
        "mine.py:10:19: turn() does not know the name Ture.\n"
        "  10 |         self.on = Ture\n"
        "     |                   ^^^^\n"
        "  Known: self.on."
    )


@pytest.mark.slow
def test_a_model_in_a_cell_is_told_to_be_written_to_a_file() -> None:
    assert mistake("model in a cell") == (
        "ModelError: Mine has no source text that can be read.\n"
        "  Write the model in a file; in a notebook, %%writefile FILE.py in the cell's first line does that, and "
        "FILE.py:Mine is checked then."
    )


@pytest.mark.slow
def test_a_file_that_a_cell_wrote_again_is_read_again() -> None:
    *_, output = outputs()["right model"]  # a line of progress may come before it
    assert output["data"]["text/plain"].startswith("<Outcome violated: mine.py:Mine: dark violated")


@pytest.mark.slow
def test_an_interrupted_run_shows_how_far_it_came_and_decides_nothing() -> None:
    line, outcome = outputs()["interrupted"]
    assert line["data"] == {"text/plain": "", "text/html": ""}  # the line of progress, which is gone
    assert outcome["data"]["text/plain"].startswith("<Outcome undetermined: kip-320 ")
    assert "the run ended by the user" in outcome["data"]["text/html"]


@pytest.mark.slow
def test_the_kernel_goes_on_after_an_interrupt() -> None:
    *_, output = outputs()["after the interrupt"]
    assert output["data"]["text/plain"] == (
        "<Matrix of 1 run: 0 violated, 1 hold, 0 hold within bounds, 0 undetermined>"
    )


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
