"""isrcheck query."""

from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from isrcheck.commands.options import FILE, console, parse_conf
from isrcheck.engines.contract import Cluster
from isrcheck.files import write_aside


@click.command()
@click.argument("folder", type=FILE, metavar="DIR")
@click.argument("asked", metavar="NAME|SQL")
@click.option("--master", metavar="URL", help="Spark's master.")
@click.option("--spark-conf", multiple=True, metavar="KEY=VALUE", help="An option of Spark's.")
@click.option("-o", "output", type=FILE, metavar="FILE.csv", help="Write the answer there.")
def query(folder: Path, asked: str, master: str | None, spark_conf: tuple[str, ...], output: Path | None) -> None:
    """Ask an exported graph in SQL, or by a query's name (docs/spark.md).

    DIR is what `isrcheck export --to parquet` wrote; its tables are states, edges, levels, verdicts and distances.
    """
    from isrcheck.engines.spark.session import session
    from isrcheck.pipeline.dataset import read_about
    from isrcheck.pipeline.graph_query import OPTIONS, ask, sql_of
    from isrcheck.pipeline.tables import as_csv

    read_about(folder)
    sql_of(asked)  # a word that does not name a query is refused before Spark starts
    with session(Cluster(master, parse_conf(spark_conf)), defaults=OPTIONS) as spark:
        answer = ask(spark, folder, asked)
    if output:
        write_aside(output, as_csv(answer))
        return
    table = Table(box=None, pad_edge=False)
    for name in answer.column_names:
        table.add_column(Text(name), overflow="fold")
    for row in zip(*(column.to_pylist() for column in answer.columns), strict=True):
        table.add_row(*(Text("null" if value is None else str(value)) for value in row))
    console().print(table)
