"""The matrix and the frontier, checked against the same worked out in Python."""

from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from isrcheck.commands.sweep import swept_document
from isrcheck.evidence.writers.markdown import markdown_of
from isrcheck.evidence.writers.terminal import plain_text
from isrcheck.files import as_csv
from isrcheck.pipeline.folder import SCHEMA, write_table
from isrcheck.pipeline.sweep import SweepResult
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
def made(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, pa.Table]:
    rows = [row("m", pace, place, v) for pace, every in VERDICTS.items() for place, v in every.items()]
    rows += [row("=evil|<b>", "late", (1, 1), "holds")]
    rows += [{**row("m0", "late", (1, 1), None), "status": "assumption-false"}]
    file = tmp_path_factory.mktemp("tables") / "cells.parquet"
    write_table(file, pa.Table.from_pylist(rows, SCHEMA))
    sizes = ["records", "epochs"]
    axes = [{"model": m, "sizes": sizes, "setting": ["pace"]} for m in ("m", "=evil|<b>", "m0")]
    return tables(spark, file, pa.Table.from_pylist(axes))


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
    made = SweepResult(pa.table({}), matrix, frontier, 5, 3, {"decided": 7, "lost": 1}, 1.25, 20)
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
        "  model   property  verdict       cells  violated  undetermined  steps\n"
        "  [red]m  kept      violated          4         1             1      6\n"
        "          other     undetermined      4                       1\n"
        "  n       kept      impossible        0\n"
        "\n"
        "Least sizes that violate a property\n"
        "  model   property  setting    least      steps  open below\n"
        "  [red]m  kept      pace=free  records=2      6           1\n"
    )


def test_of_a_large_matrix_what_holds_is_left_out() -> None:
    matrix = [entry(f"m{n}", "holds") for n in range(50)] + [entry("bad", "violated", violated=1, shortest=2)]
    lines = printed(matrix, []).splitlines()
    assert lines[5].split()[:3] == ["bad", "kept", "violated"]
    assert lines[7] == "... and 50 more rows in DIR/matrix.md."
