"""The matrix and the frontier, checked against the same worked out in Python."""

import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.sweep.models import counter, run_script

from isrcheck.commands.sweep import swept_document
from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError
from isrcheck.evidence.writers.markdown import markdown_of
from isrcheck.evidence.writers.terminal import plain_text
from isrcheck.files import as_csv
from isrcheck.grid.cells import GridCell
from isrcheck.pipeline.folder import SCHEMA, Folder, KnownRow, row_of_cell, row_of_failure
from isrcheck.pipeline.sweep import SweepResult, longest_first
from isrcheck.pipeline.tables import frontier_table, matrix_markdown, rows_of, tables

VERDICTS: dict[str, dict[tuple[int, ...], str | None]] = {  # by records and epochs, for each of two settings
    "free": {(1, 1): "holds", (1, 2): None, (1, 3): "violated", (2, 1): "undetermined", (2, 2): "violated",
             (2, 3): "violated", (3, 1): "violated", (3, 2): "violated", (3, 3): "violated"},
    "late": {place: "holds" for place in product((1, 2, 3), repeat=2)},
}  # fmt: skip


def row(model: str, pace: str, place: tuple[int, ...], verdict: str | None) -> dict[str, Any]:
    records, epochs = place
    constants = {"records": str(records), "epochs": str(epochs), "pace": pace, "same": "1"}
    found = {"name": "kept", "kind": "invariant" if verdict else None, "verdict": verdict}
    length = 10 * records + epochs if verdict == "violated" else None
    return {
        "key": f"{model}{pace}{records}{epochs}",
        "model": model,
        "constants": list(constants.items()),
        "status": "lost" if verdict is None else "decided",
        "properties": [{**found, "length": length}],
    }


@pytest.fixture(scope="module")
def made(spark: Any) -> dict[str, pa.Table]:
    rows = [row("m", pace, place, v) for pace, every in VERDICTS.items() for place, v in every.items()]
    rows += [row("=evil|<b>", "late", (1, 1), "holds")]
    rows += [{**row("m0", "late", (1, 1), None), "status": "assumption-false"}]
    sizes = ["records", "epochs"]
    axes = [{"model": m, "sizes": sizes, "setting": ["pace"]} for m in ("m", "=evil|<b>", "m0")]
    return tables(spark, pa.Table.from_pylist(rows, SCHEMA), pa.Table.from_pylist(axes))


def test_the_frontier_is_what_nothing_smaller_breaks(made: dict[str, pa.Table]) -> None:
    found = made["frontier"].to_pylist()
    assert [(r["least"], r["setting"], r["length"], r["open"]) for r in found] == [
        ("records=1 epochs=3", "pace=free", 13, 1),
        ("records=2 epochs=2", "pace=free", 22, 2),
        ("records=3 epochs=1", "pace=free", 31, 1),
    ]
    violated = [p for p, v in VERDICTS["free"].items() if v == "violated"]
    least = [p for p in violated if not any(q != p and q[0] <= p[0] and q[1] <= p[1] for q in violated)]
    assert [f"records={a} epochs={b}" for a, b in least] == [r["least"] for r in found]


def test_the_matrix_counts_and_never_takes_a_lost_cell_for_one_that_holds(made: dict[str, pa.Table]) -> None:
    found = {r["model"]: r for r in made["matrix"].to_pylist()}
    assert found["m"] == {
        "model": "m", "property": "kept", "kind": "invariant", "verdict": "violated", "cells": 18, "holds": 10,
        "violated": 6, "undetermined": 1, "failed": 1, "impossible": 0, "shortest": 13,
    }  # fmt: skip
    assert (found["m0"]["verdict"], found["m0"]["cells"], found["m0"]["impossible"]) == (None, 0, 1)
    assert found["=evil|<b>"]["verdict"] == "holds"


def test_names_are_shown_and_never_run(made: dict[str, pa.Table]) -> None:
    assert as_csv(rows_of(made["matrix"])).splitlines()[1] == "'=evil|<b>,kept,invariant,holds,1,1,0,0,0,0,"
    assert matrix_markdown(made["matrix"].to_pylist()) == (
        "| property | =evil\\|\\<b\\> | m | m0 |\n"
        "|---|---|---|---|\n"
        "| `kept` | ok 1 | **12 steps, 6/18, 2 open** | impossible |\n"
    )
    assert markdown_of([frontier_table(made["frontier"].to_pylist())]).splitlines()[2] == (
        "| m | `kept` | `pace=free` | `records=1 epochs=3` | 12 | 1 |"
    )


def test_the_page_links_to_the_queries_that_run() -> None:
    from isrcheck.pipeline.tables import query

    root = Path(__file__).parents[2]
    page = (root / "docs" / "sweep.md").read_text(encoding="utf-8")
    for name in ("verdicts", "matrix", "frontier"):
        file = f"checker/isrcheck/pipeline/sql/{name}.sql"
        assert f"[`{name}`](../{file})" in page
        assert (root / file).read_text(encoding="utf-8").strip() == query(name).strip()


def entry(model: str, verdict: str | None, **more: Any) -> dict[str, Any]:
    counts = {"cells": 4, "holds": 4, "violated": 0, "undetermined": 0, "failed": 0, "impossible": 0, "shortest": None}
    return {"model": model, "property": "kept", "kind": "invariant", "verdict": verdict, **counts, **more}


def printed(matrix: list[dict[str, Any]], frontier: list[dict[str, Any]]) -> str:
    made = SweepResult(matrix, frontier, 5, 3, {"decided": 7, "lost": 1}, 1.25, 20)
    return plain_text(swept_document(made, Path("DIR")), 80)


def test_a_small_sweep() -> None:
    matrix = [
        entry("[red]m", "violated", holds=2, violated=1, failed=1, shortest=7),
        entry("[red]m", "undetermined", property="other", holds=3, undetermined=1),
        entry("n", None, cells=0, holds=0, impossible=4),
    ]
    frontier = [
        {"model": "[red]m", "property": "kept", "setting": "pace=free", "least": "records=2", "length": 7, "open": 1}
    ]
    assert printed(matrix, frontier) == (
        "5 cells computed, 3 known before, 1.2 s: 7 decided, 1 lost.\n"
        "Written: DIR/matrix.md, frontier.md, both as csv and parquet, and cells.parquet.\n"
        "\n"
        "Verdicts\n"
        "  model   property  verdicts\n"
        "  [red]m  kept      6 steps, 1/4, 1 open\n"
        "  [red]m  other     1/4 open\n"
        "  n       kept      impossible\n"
        "\n"
        "Least sizes that violate a property\n"
        "  model   property  setting    least      steps  open below\n"
        "  [red]m  kept      pace=free  records=2      6           1\n"
    )


def test_of_a_large_matrix_what_holds_is_left_out() -> None:
    matrix = [entry(f"m{n}", "holds") for n in range(50)] + [entry("bad", "violated", violated=1, shortest=2)]
    lines = printed(matrix, []).splitlines()
    assert lines[5].split()[:3] == ["bad", "kept", "1"]
    assert lines[7] == "... and 50 more rows in DIR/matrix.md."


CELL = GridCell("g", "m", {"n": "1"}, ("p",), Limits(), 10)


def a_row(key: str) -> dict[str, Any]:
    return row_of_failure("lost", "x", ("p",)) | row_of_cell(CELL, key, "t", "0", 1)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path / "out")
    made.begin({})
    made.keep([a_row("a"), a_row("b")])
    made.keep([a_row("c")])
    return made


def test_rows_are_known_by_their_key(folder: Folder) -> None:
    assert {key: row.model for key, row in folder.rows_by_key().items()} == {"a": "m", "b": "m", "c": "m"}
    assert folder.gather(["c", "a"]).column("key").to_pylist() == ["c", "a"]


@pytest.mark.parametrize("how", ["cut short", "other bytes", "flipped", "empty"])
def test_a_damaged_file_is_named(folder: Folder, how: str) -> None:
    file = max(folder.computed.iterdir())
    content = bytearray(file.read_bytes())
    match how:
        case "cut short":
            content = content[: len(content) // 2]
        case "other bytes":
            content = bytearray(b"no Parquet at all")
        case "flipped":
            column = pq.ParquetFile(file).metadata.row_group(0).column(0)
            content[4 + column.total_compressed_size - 1] ^= 0xFF
        case _:
            content.clear()
    file.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        folder.rows_by_key()
    assert str(caught.value).startswith(f"{file} is damaged, or is not Parquet (")
    assert str(caught.value).endswith("): take it away, and the next run computes its cells again.")


def test_a_file_of_another_kind_is_named(folder: Folder) -> None:
    file = folder.computed / "part-000003-0.parquet"
    pq.write_table(pa.table({"x": [1]}), file)
    with pytest.raises(UsageError, match=r"has the schema none, and isrcheck.sweep-cells/1 was expected: take it away"):
        folder.rows_by_key()


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(UsageError, match=r"holds something else than a sweep: give a folder that is new or empty\.$"):
        Folder(tmp_path)
    with pytest.raises(UsageError, match=r"thesis.tex is a file: give a folder for the sweep"):
        Folder(tmp_path / "thesis.tex")
    with pytest.raises(UsageError, match=r"^s3:/bucket/x is an address: give a mounted folder for the sweep"):
        Folder(Path("s3://bucket/x"))
    (tmp_path / "sweep.json").write_text('{"schema": "isrcheck.sweep/9"}')
    with pytest.raises(UsageError, match=r"has the schema isrcheck.sweep/9, and isrcheck.sweep/1 was expected"):
        Folder(tmp_path)
    (tmp_path / "sweep.json").write_text("[")
    with pytest.raises(UsageError, match=r"sweep.json is damaged"):
        Folder(tmp_path)


FULL = """
import resource, sys
from pathlib import Path
from isrcheck.errors import UsageError
from isrcheck.pipeline.folder import Folder
from tests.sweep.test_tables import a_row
folder = Folder(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    folder.keep(a_row(f"{n:064}") for n in range(10_000))
except UsageError as error:
    print(error)
"""


def test_a_disk_that_is_full(folder: Folder) -> None:
    printed = run_script(FULL, str(folder.path))
    assert re.fullmatch(
        re.escape(f"{folder.computed}/part-000003-") + r"\w{8}\.parquet cannot be written: File too large\.\n", printed
    )
    assert sorted(p.name[:11] for p in folder.computed.iterdir()) == ["part-000001", "part-000002"]


def test_long_cells_come_first() -> None:
    def cell(model: str, bits: int, n: str = "1", seconds: float = 300.0) -> GridCell:
        return GridCell("g", model, {"n": n}, ("p",), Limits(seconds=seconds), bits)

    cells = {
        "guess": cell("new", 40),  # 2^13 states
        "small": cell("new", 10),
        "exact": cell("old", 20, n="7"),
        "bounded": cell("new", 100, seconds=2.0),
    }
    earlier = [KnownRow("old", (("n", n),), "decided", seconds) for n, seconds in (("7", 3.0), ("9", 0.1))]
    assert longest_first(cells, earlier) == ["exact", "bounded", "guess", "small"]


SLOW_START = """
import json, sys
from isrcheck.catalogue import find_model
from isrcheck.lang.read import read_model
from isrcheck.pipeline import task
from isrcheck.pipeline.task import sources_of, text_key
from isrcheck.version import __version__
model = sys.argv[1]
text = text_key(read_model(find_model(model)))
limits = {"states": None, "depth": None, "seconds": 0.5, "memory": None}
order = {"model": model, "sources": sources_of(model), "text": text, "version": __version__, "constants": {},
         "properties": ["below_bad"], "limits": limits}
task._STARTUP_SECONDS = 0.5
print(json.dumps(task.check_in_child(order)))
print(json.dumps(task.answer({**order, "version": "0"})))
print(json.dumps(task.answer({**order, "text": "0", "sources": {}})))
"""
SLEEPS = """
import threading
import time

if "isrcheck parent" in [thread.name for thread in threading.enumerate()]:
    time.sleep(60)
"""


def test_a_cell_that_takes_too_long_to_start_and_workers_that_differ(tmp_path: Path) -> None:
    model = counter(tmp_path, more=SLEEPS)
    printed = run_script(SLOW_START, model)
    late, version, text = map(json.loads, printed.splitlines())
    assert (late["status"], late["exit"]) == ("timeout", 20)
    assert late["sentence"] == "Start-up and search together were not done after 1 seconds."
    assert late["properties"] == [{"name": "below_bad"}]
    assert version["status"] == text["status"] == "fault"
    assert version["sentence"].endswith("and 0 asks it: install the same.")
    assert text["sentence"] == f"The worker has another text of {model} than the driver: install the same."
