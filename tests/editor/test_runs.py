"""Runs that do not end by themselves: limits, and a user who has waited long enough."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from lsprotocol import types
from tools.bench.language_client import PATIENCE, Editor, editor

pytestmark = pytest.mark.slow

SECONDS = 6
LARGE = dedent("""\
    from typing import Annotated

    from isrcheck import Model, Sort, UpTo, action, constant, each, invariant


    class Node(Sort, size="nodes"):
        \"\"\"Somebody.\"\"\"


    class Large(Model):
        nodes: int = constant(12, "how many")
        held: dict[Node, Annotated[int, UpTo(9)]] = each(Node, 0)

        @action
        def add(self, node: Node) -> None:
            self.held[node] += 1

        @invariant
        def fine(self) -> bool:
            return all(self.held[node] <= 9 for node in Node)
    """)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path.resolve() / "large.py"
    file.write_text(LARGE)
    return file


@pytest.fixture
def client(file: Path) -> Iterator[Editor]:
    with editor(file.parent, "--run-seconds", str(SECONDS), "--run-memory", "1G") as own:
        assert own.open(file, LARGE) == []
        yield own


def waited(condition: Callable[[], bool]) -> bool:
    until = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < until:
        time.sleep(0.05)
    return condition()


def runs_of(file: Path) -> list[int]:
    """The processes that have a file among their words."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                words = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if f"{file}:".encode() in words:
                found.append(int(folder.name))
    return found


def test_what_a_limit_ends_is_undetermined(client: Editor, file: Path) -> None:
    told = client.run("check", file, "Large")
    assert told["outcome"]["verdict"] == "undetermined"
    line, title = client.lenses(file)[-1]
    assert title.startswith("undetermined: the run ended after ")
    assert LARGE.splitlines()[line - 1] == "    def fine(self) -> bool:"


def test_a_user_ends_a_run_with_all_its_processes(client: Editor, file: Path) -> None:
    answer = client.begin("check", file, "Large")
    assert waited(lambda: bool(runs_of(file)))
    (token,) = client.client.progress_reports
    client.tell(lambda: client.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token)))
    assert answer.result(PATIENCE) == {"error": "the run was ended."}
    assert waited(lambda: not runs_of(file))
    assert client.edit(file, LARGE + "\n") == []


def test_a_later_run_ends_an_earlier_one(client: Editor, file: Path) -> None:
    earlier = client.begin("check", file, "Large")
    assert waited(lambda: bool(runs_of(file)))
    later = client.begin("check", file, "Large")
    assert earlier.result(PATIENCE) == {"error": "the run was ended."}
    assert later.result(PATIENCE)["outcome"]["verdict"] == "undetermined"
    assert len(client.outcomes) == 1


def test_the_end_of_the_server_ends_its_runs(file: Path) -> None:
    with editor(file.parent) as own:
        own.open(file, LARGE)
        own.begin("check", file, "Large").add_done_callback(lambda future: future.exception())
        assert waited(lambda: bool(runs_of(file)))
    assert waited(lambda: not runs_of(file))
