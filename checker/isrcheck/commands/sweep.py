"""isrcheck sweep."""

from contextlib import ExitStack
from pathlib import Path

import click

from isrcheck.commands.deliver import show_document
from isrcheck.commands.options import console, parse_conf
from isrcheck.commands.sweep_text import SweepProgress, swept_document
from isrcheck.engines.contract import Cluster
from isrcheck.grid.spec import read_spec
from isrcheck.run.invocation import line


@click.command()
@click.argument("spec", type=click.Path(path_type=Path), metavar="SPEC.toml")
@click.option(
    "--out", "output", type=click.Path(path_type=Path), metavar="DIR", required=True, help="The folder of the sweep."
)
@click.option("--master", metavar="URL", help="Spark's master: local[4], spark://HOST:7077, yarn, k8s://...")
@click.option("--spark-conf", multiple=True, metavar="KEY=VALUE", help="An option of Spark's.")
@click.option("--workers", type=click.IntRange(min=1), default=2, show_default=True, help="Cells at a time, locally.")
@click.option(
    "--outcomes", type=click.Path(path_type=Path), metavar="DIR2", help="Write each run there for `report --from`."
)
@click.option("--dry-run", is_flag=True, help="Count the cells and compute nothing.")
def sweep(
    spec: Path,
    output: Path,
    master: str | None,
    spark_conf: tuple[str, ...],
    workers: int,
    outcomes: Path | None,
    dry_run: bool,
) -> int:
    """Run every cell of the grids in SPEC.toml on Spark; a second run computes only what is missing (docs/sweep.md)."""
    grids = read_spec(spec)
    from isrcheck.engines.spark.session import session
    from isrcheck.pipeline.folder import Folder, missing
    from isrcheck.pipeline.outcomes import write_outcomes
    from isrcheck.pipeline.sweep import OPTIONS, plan
    from isrcheck.pipeline.sweep import sweep as run

    cluster = Cluster(master, parse_conf(spark_conf))
    folder = Folder(output)
    planned = plan(grids)
    expansion = planned.expansion
    click.echo(
        f"{len(planned.cells):,} cells; {expansion.skipped:,} skipped by conditions, "
        f"{expansion.without_properties:,} with nothing to decide.",
        err=True,
    )
    if dry_run:
        click.echo(f"{len(missing(planned.cells, folder.known())):,} of them are to be computed.")
        return 0
    about = {"spec": grids.text, "cells": len(planned.cells), "command": line("sweep", str(spec), out=output)}
    with ExitStack() as stack, SweepProgress(console(stderr=True), "starting Spark") as progress:
        made = run(
            planned,
            folder,
            lambda: stack.enter_context(session(cluster, workers, OPTIONS)),
            about,
            progress,
        )
    if outcomes:
        click.echo(f"Written: {write_outcomes(made.rows(), outcomes):,} outcomes in {outcomes}.", err=True)
    show_document(swept_document(made, output), "txt", None)
    return made.exit
