"""A sweep's tables, in every form."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from isrcheck.evidence import document as doc
from isrcheck.evidence.writers.markdown import markdown_of
from isrcheck.files import as_csv, write_aside
from isrcheck.grid.cells import GridCell
from isrcheck.pipeline.folder import FRONTIER, MATRIX, write_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_AXES = pa.schema(
    {"model": pa.string(), "sizes": pa.list_(pa.string()), "setting": pa.list_(pa.string())}
)  # which of a model's constants are sizes, and which others vary
_ASKED = ["key", "model", "constants", "status", "properties"]  # workers need not see the sweep's folder
_SCHEMAS = {"matrix": MATRIX, "frontier": FRONTIER}


def query(name: str) -> str:
    return files("isrcheck.pipeline").joinpath("sql", f"{name}.sql").read_text(encoding="utf-8")


def axes(cells: Iterable[GridCell], dimensions: Mapping[str, Sequence[str]]) -> pa.Table:
    """A row for each model: its sizes, and its other constants with several values."""
    values: dict[str, dict[str, set[str]]] = {}
    for cell in cells:
        own = values.setdefault(cell.model, {})
        for name, value in cell.constants.items():
            own.setdefault(name, set()).add(value)
    rows = []
    for model, own in values.items():
        sizes = [name for name in dimensions[model] if name in own]
        rest = [name for name, distinct in own.items() if len(distinct) > 1 and name not in sizes]
        rows.append({"model": model, "sizes": sizes, "setting": rest})
    return pa.Table.from_pylist(rows, _AXES)


def tables(spark: "SparkSession", cells: pa.Table, about: pa.Table) -> dict[str, pa.Table]:
    """Return a sweep's tables by name, from its cells and `about`, the table of their axes."""
    spark.createDataFrame(cells.select(_ASKED)).createOrReplaceTempView("cells")
    spark.createDataFrame(about).createOrReplaceTempView("axes")
    spark.sql(query("verdicts")).createOrReplaceTempView("verdicts")
    return {
        name: spark.sql(query(name)).toArrow().replace_schema_metadata({"schema": schema})
        for name, schema in _SCHEMAS.items()
    }


def write_tables(folder: Path, results: Mapping[str, pa.Table]) -> None:
    """Write each table in every form. Raises UsageError if one cannot be written."""
    for name, table in results.items():
        write_table(folder / f"{name}.parquet", table)
        write_aside(folder / f"{name}.csv", as_csv(rows_of(table)))
    write_aside(folder / "matrix.md", matrix_markdown(results["matrix"].to_pylist()))
    write_aside(folder / "frontier.md", markdown_of([frontier_table(results["frontier"].to_pylist())]))


def rows_of(table: pa.Table) -> Iterator[Sequence[Any]]:
    """The names of a table's columns, then its rows."""
    yield table.column_names
    yield from zip(*(column.to_pylist() for column in table.columns), strict=True)


def matrix_markdown(rows: Sequence[Mapping[str, Any]]) -> str:
    models = list(dict.fromkeys(r["model"] for r in rows))
    cells = {(r["model"], r["property"]): word_verdicts(r) for r in rows}
    names = dict.fromkeys(r["property"] for r in rows)
    lines = [[doc.code(name), *(cells.get((model, name), "n/a") for model in models)] for name in names]
    return markdown_of([doc.Table(["property", *models], lines)])


def word_verdicts(row: Mapping[str, Any]) -> doc.Line:
    """Word the verdicts of a row, which has the counts of its cells: "6 steps, 12/24", "ok 24", or "3/24 open"."""
    runs, lost = row["cells"], row["undetermined"] + row["failed"]
    match row["verdict"]:
        case "violated":
            how = f"{row['shortest'] - 1} steps" if row["shortest"] else "never"
            return doc.bad(f"{how}, {row['violated']}/{runs}" + (f", {lost} open" if lost else ""))
        case "holds":
            return f"ok {row['holds']}"
        case "undetermined":
            return f"{lost}/{runs} open"
        case _:
            return "impossible"


def frontier_table(rows: Sequence[Mapping[str, Any]]) -> doc.Table:
    """The least sizes that violate a property; `open below` counts smaller cells without a verdict."""
    numbers = [doc.Column(title, is_number=True) for title in ("steps", "open below")]
    lines = []
    for r in rows:
        steps = "" if r["length"] is None else str(r["length"] - 1)
        names = (doc.code(r[name]) for name in ("property", "setting", "least"))
        lines.append([r["model"], *names, steps, str(r["open"] or "")])
    return doc.Table(["model", "property", "setting", "least", *numbers], lines)
