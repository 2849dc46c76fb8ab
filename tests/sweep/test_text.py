"""What a sweep prints."""

from pathlib import Path
from typing import Any

import pyarrow as pa

from isrcheck.commands.sweep import swept_document
from isrcheck.evidence.writers.terminal import plain_text
from isrcheck.pipeline.sweep import Swept


def entry(model: str, verdict: str | None, **more: Any) -> dict[str, Any]:
    counts = {"cells": 4, "holds": 4, "violated": 0, "undetermined": 0, "failed": 0, "impossible": 0, "shortest": None}
    return {"model": model, "property": "kept", "kind": "invariant", "verdict": verdict, **counts, **more}


def printed(matrix: list[dict[str, Any]], frontier: list[dict[str, Any]]) -> str:
    made = Swept(pa.table({}), matrix, frontier, 5, 3, {"decided": 7, "lost": 1}, 1.25, 20)
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
        "  model   property  setting    least                                       steps\n"
        "  [red]m  kept      pace=free  records=2 (or less: 1 cells below have no       6\n"
        "                               verdict)\n"
    )


def test_of_a_large_matrix_what_holds_is_left_out() -> None:
    matrix = [entry(f"m{n}", "holds") for n in range(50)] + [entry("bad", "violated", violated=1, shortest=2)]
    lines = printed(matrix, []).splitlines()
    assert lines[5].split()[:3] == ["bad", "kept", "violated"]
    assert lines[7] == "... and 50 more rows in DIR/matrix.md."
