"""SQL over an exported graph."""

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from isrcheck.errors import UsageError, nearest
from isrcheck.extras import need
from isrcheck.pipeline.dataset import MARK, read_about
from isrcheck.pipeline.folder import damage

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TABLES = ("states", "edges", "levels", "verdicts")
OPTIONS = {"spark.sql.shuffle.partitions": "4", "spark.sql.ansi.enabled": "true"}


def list_queries() -> dict[str, str]:
    resources = files("isrcheck.pipeline").joinpath("sql", "graph").iterdir()
    return {f.name.removesuffix(".sql"): f.read_text("utf-8") for f in sorted(resources, key=lambda f: f.name)}


def sql_of(asked: str) -> str:
    """The SQL of a query's name, or SQL itself. Raises UsageError for a word that is neither."""
    known = list_queries()
    if asked in known:
        return known[asked]
    if not any(c.isspace() for c in asked.strip()):
        raise UsageError(f"there is no query {asked}.{nearest(asked, known)} Or give SQL over {', '.join(TABLES)}.")
    return asked


def ask(spark: "SparkSession", folder: Path, asked: str) -> pa.Table:
    """The answer to a named query, or to SQL, over an exported graph. Raises UsageError."""
    about = read_about(folder)
    sql = sql_of(asked)
    for table in TABLES:
        _view(spark, folder, table, about)
    if "distances" in sql:
        distances(spark).createOrReplaceTempView("distances")
    need("pyspark")
    from pyspark.errors import AnalysisException, PySparkException

    try:
        return spark.sql(sql).toArrow()
    except PySparkException as error:
        how = "is refused" if isinstance(error, AnalysisException) else "failed"
        why = str(error).strip().splitlines()[0].rstrip(".")
        raise UsageError(f"the query {asked.strip()[:60]} {how}: {why}.") from None


def _view(spark: "SparkSession", folder: Path, table: str, about: dict[str, Any]) -> None:
    rows, expected = sum(map(_rows, sorted((folder / table).glob("*.parquet")))), about["rows"][table]
    if rows != expected:
        raise UsageError(f"{folder / table} has {rows:,} rows and {MARK} says {expected:,}: export the graph again.")
    spark.read.parquet(str(folder / table)).createOrReplaceTempView(table)


def _rows(file: Path) -> int:
    try:
        return int(pq.ParquetFile(file).metadata.num_rows)
    except (pa.ArrowException, OSError) as error:
        raise damage(file, error, "export the graph again.") from None


def distances(spark: "SparkSession") -> "DataFrame":
    """(property, state, distance) for each state and violated property: the steps to a violation, or null.

    A violating state, or one in which a violating step begins, is at 0.
    """
    near = spark.sql("SELECT property, state, 0 AS distance FROM verdicts WHERE kind IN ('invariant', 'step')")
    reached = near = near.localCheckpoint()
    step = 0
    while not near.isEmpty():
        step += 1
        near.createOrReplaceTempView("near")
        reached.createOrReplaceTempView("seen")
        near = spark.sql(
            f"""
            SELECT DISTINCT n.property, e.source AS state, {step} AS distance
            FROM near AS n JOIN edges AS e ON e.target = n.state
            LEFT ANTI JOIN seen AS s ON s.state = e.source AND s.property = n.property
            """
        ).localCheckpoint()
        reached = reached.unionAll(near)
    reached.createOrReplaceTempView("seen")
    return spark.sql(
        """
        SELECT p.property, s.state, d.distance
        FROM (SELECT DISTINCT property FROM seen) AS p CROSS JOIN states AS s
        LEFT JOIN seen AS d ON d.property = p.property AND d.state = s.state
        """
    )
