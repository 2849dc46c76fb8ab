"""A page shows what happens: its commands run in one folder, one after the other, and print what stands there."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.docs.pages import (
    COMMANDS,
    ROOT,
    Example,
    class_source,
    content,
    differences,
    examples,
    exit_codes,
    pages,
    reason,
)

QUICK = {"README.md", "docs/graph.md", "docs/from-tla.md", "docs/temporal.md", "docs/limits.md"}
SHOWN = [page for page in pages() if any(reason(each.page, each.command) is None for each in examples(page))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that has what the reader's checkout has."""
    for name in ("examples", "specs", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


@pytest.mark.parametrize("page", [pytest.param(p, marks=[] if p in QUICK else [pytest.mark.slow]) for p in SHOWN])
def test_a_page_shows_what_its_commands_print(page: str, folder: Path) -> None:
    shown = [each for each in examples(page) if reason(page, each.command) is None]
    assert [problem for each in shown for problem in problems(each, folder)] == []


def problems(example: Example, folder: Path) -> list[str]:
    """Run a command of a page; return what differs from the page, in sentences."""
    for file, name in re.findall(r"\./(\w+\.py):(\w+)", example.command):
        (folder / file).write_text(class_source(example.page, name), encoding="utf-8")
    shell = f'python() {{ "{sys.executable}" "$@"; }}; isrcheck() {{ python -m isrcheck "$@"; }}; '
    # An answer of risk that an earlier run left in the cache has another line than the first.
    fresh = {"ISRCHECK_CACHE_DIR": str(folder / "cache")} if example.command.startswith("isrcheck risk") else {}
    done = subprocess.run(
        ["bash", "-c", shell + example.command],
        cwd=folder, env={**os.environ, "COLUMNS": "140", **fresh},
        capture_output=True, text=True, timeout=3600, check=False,
    )  # fmt: skip
    output, wanted = done.stdout + done.stderr, exit_codes(example)
    found = [f"{example.command}: it prints no {line!r}" for line in differences(example, output)]
    steps = re.search(r"in (\d+) steps?", example.remark)
    if steps and f"violated after {steps[0].removeprefix('in ')}" not in output:
        found.append(f"{example.command}: not {steps[0]}")
    if done.returncode not in wanted:
        found.append(f"{example.command}: exit {done.returncode}: {output[-300:]}")
    return found


def test_what_is_passed_over_is_on_its_page() -> None:
    for page, begins in COMMANDS:
        assert any(each.command.startswith(begins) for each in examples(page)), (page, begins)


def test_pages_have_commands() -> None:
    assert sum(len(examples(page)) for page in pages()) > 100
    assert len(SHOWN) > 15


def test_a_line_that_differs_is_said() -> None:
    example = Example("p", "isrcheck check m", "", ("holds", "...", "in 0.3 s", "277 states"))
    assert differences(example, "it holds\nin 12 s\n277 states") == []
    assert differences(example, "it holds\nin 12 s\n276 states") == ["277 states"]
    assert differences(example, "277 states\nholds in 3 s") == ["277 states"]


PAGE = content("docs/limits.md")
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def test_every_limit_of_a_table_names_a_test() -> None:
    tables = PAGE.split("| limit | test |\n|---|---|\n")[1:]
    rows = [row for table in tables for row in table.partition("\n\n")[0].splitlines()]
    assert len(rows) > 15
    assert [row for row in rows if not _TEST.search(row)] == []


def test_the_tests_of_the_page_are_there() -> None:
    named = _TEST.findall(PAGE)
    missing = [name for file, name in named if f"def {name}(" not in (ROOT / file).read_text(encoding="utf-8")]
    assert missing == []


def test_the_test_that_a_page_shows_passes() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", content("docs/ci.md"), re.DOTALL)
    names: dict[str, Callable[[], None]] = {}
    exec(code, names)
    names["test_kip_320_keeps_what_it_exposed"]()
