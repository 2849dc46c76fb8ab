"""isrcheck sweep."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import structs

from isrcheck.commands.deliver import show_document
from isrcheck.commands.options import COUNT, FILE, console, parse_conf
from isrcheck.engines.contract import Cluster
from isrcheck.errors import UsageError
from isrcheck.evidence import document as doc
from isrcheck.evidence.progress import TallyLine
from isrcheck.grid.spec import read_spec
from isrcheck.run.invocation import line

if TYPE_CHECKING:
    from isrcheck.pipeline.sweep import SweepResult

_MOST_ROWS = 40  # of a larger matrix, what does not hold everywhere comes first


@click.command()
@click.argument("spec", type=FILE, metavar="SPEC.toml")
@click.option("--out", "output", type=FILE, metavar="DIR", required=True, help="The folder of the sweep.")
@click.option("--master", metavar="URL", help="Spark's master: local[4], spark://HOST:7077, yarn, k8s://...")
@click.option("--spark-conf", multiple=True, metavar="KEY=VALUE", help="An option of Spark's.")
@click.option("--workers", type=COUNT, default=2, show_default=True, help="Cells at a time, locally.")
@click.option("--dry-run", is_flag=True, help="Count the cells and compute nothing.")
def sweep(
    spec: Path,
    output: Path,
    master: str | None,
    spark_conf: tuple[str, ...],
    workers: int,
    dry_run: bool,
) -> int:
    """Run a grid of models and constants on Spark.

    A second run of SPEC.toml computes only what is missing (docs/sweep.md).
    """
    grids = read_spec(spec)
    from isrcheck.engines.spark.session import session
    from isrcheck.pipeline.folder import Folder, keys_to_compute
    from isrcheck.pipeline.run import OPTIONS
    from isrcheck.pipeline.sweep import plan
    from isrcheck.pipeline.sweep import sweep as run

    cluster = Cluster(master, parse_conf(spark_conf))
    folder = Folder(output)
    planned = plan(grids)
    click.echo(
        f"{len(planned.cells):,} cells; {planned.expansion.skipped:,} skipped by conditions, "
        f"{planned.expansion.without_properties:,} with nothing to decide.",
        err=True,
    )
    if not planned.cells:
        raise UsageError(f"{spec} has no cell to compute: write another skip, or properties that apply.")
    if dry_run:
        click.echo(f"{len(keys_to_compute(planned.cells, folder.rows_by_key())):,} of them are to be computed.")
        return 0
    if any(cell.engine == "gpu" for cell in planned.cells.values()) and (master or "local").startswith("local"):
        from isrcheck.engines.gpu.driver import Cuda  # here: few sweeps are on a GPU

        Cuda().close()  # a machine without one says so once, and not in each cell
    about = {"spec": grids.source, "cells": len(planned.cells), "command": line("sweep", str(spec), out=output)}
    with ExitStack() as stack, TallyLine(console(stderr=True), "starting Spark") as progress:
        swept = run(
            planned, folder, lambda: stack.enter_context(session(cluster, workers, OPTIONS)), about, progress.say
        )
    show_document(swept_document(swept, output))
    return swept.exit


def swept_document(swept: "SweepResult", output: Path) -> Iterator[doc.Block]:
    from isrcheck.pipeline.tables import frontier_table, word_verdicts

    counts = ", ".join(f"{count:,} {status}" for status, count in sorted(swept.statuses.items()))
    yield doc.Paragraph(
        f"{swept.computed:,} cells computed, {swept.known:,} known before, {swept.seconds:.1f} s: {counts}.",
        f"Written: {output / 'matrix.md'}, frontier.md, both as csv and parquet, and cells.parquet.",
    )
    rows = swept.matrix
    if len(rows) > _MOST_ROWS:
        rows = [row for row in rows if row["verdict"] != "holds"]
    yield doc.Heading("Verdicts")
    lines = [[row["model"], row["property"], word_verdicts(row)] for row in rows]
    yield from _shorten(doc.Table(["model", "property", "verdicts"], lines), len(swept.matrix), output / "matrix.md")
    if swept.frontier:
        yield doc.Heading("Least sizes that violate a property")
        yield from _shorten(frontier_table(swept.frontier), len(swept.frontier), output / "frontier.md")


def _shorten(table: doc.Table, of: int, file: Path) -> Iterator[doc.Block]:
    yield structs.replace(table, rows=table.rows[:_MOST_ROWS])
    if left := of - len(table.rows[:_MOST_ROWS]):
        yield doc.Paragraph(f"... and {left:,} more rows in {file}.")
