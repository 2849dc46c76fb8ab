"""The table of events, made on Spark: a folder of Parquet files that is there only if it is whole."""

import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from isrcheck import UsageError
from isrcheck.plugin import as_json, read_mark, refuse_another, refuse_unwritable, umask, write_aside
from isrlogs.observe.account import Account, sum_accounts
from isrlogs.observe.chunks import Chunk
from isrlogs.observe.columns import SCHEMA, batch_of, batches
from isrlogs.observe.event import COLUMNS, MARK, Event
from isrlogs.observe.files import Source, Sources
from isrlogs.observe.parse import Task, parse
from isrlogs.observe.plan import CHUNK, Piece, plan, stretches
from isrlogs.observe.stored import map_in_arrow
from isrlogs.observe.stored_rows import require_all_rows
from isrlogs.observe.survey import Survey, survey

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

OBSERVED = "isrcheck.observe/1"
OPTIONS = {"spark.sql.ansi.enabled": "true", "spark.sql.parquet.compression.codec": "zstd"}
_ORDER = ("part", "run", "topic", "partition", "node", "source", "order")
_EVENTS, _LINES = "events", "lines"
_TASK_BYTES = 8 << 20  # of small files
_FILE_BYTES = 64 << 20  # of logs, for one file of the table
_SURVEYED = pa.schema({"number": pa.int64(), "survey": pa.string()})


def refuse_other_folder(out: Path) -> None:
    """Require that a folder is new, empty or a table of events. Raises UsageError."""
    refuse_another(out, MARK, "events", "a table of events", "run of isrcheck observe")


def read_about(folder: Path) -> dict[str, Any]:
    """The mark of a table of events. Raises UsageError for another folder, and where events are missing."""
    about = read_mark(folder / MARK, OBSERVED, "run isrcheck observe again.")
    require_all_rows(folder, about)
    return about


def write_table(spark: "SparkSession", sources: Sources, out: Path, command: str, chunk: int = CHUNK) -> dict[str, Any]:
    """Reads all files and writes `out`; returns what its mark says. Raises UsageError if it cannot be written."""
    refuse_other_folder(out)
    pieces = stretches(sources.read, chunk)
    planned = plan(_survey_all(spark, pieces))
    with refuse_unwritable(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}."))
    try:
        _write(spark, planned, aside / "made")
        accounts = _accounts(aside / "made" / f"part={_LINES}")
        if len(accounts) != len(planned):
            raise UsageError(f"the workers do not write where {out} is: give --out a folder that all machines mount.")
        about = {
            "schema": OBSERVED,
            **sum_accounts(accounts),
            "unread": [str(path) for path in sources.unread],
            "command": command,
        }
        with refuse_unwritable(out):
            _move(aside / "made" / f"part={_EVENTS}", aside / "table", about)
            if out.exists():
                shutil.rmtree(out)
            (aside / "table").rename(out)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return about


def _survey_all(spark: "SparkSession", pieces: Sequence[tuple[Source, Chunk]]) -> list[Piece]:
    chunks = [chunk for _, chunk in pieces]
    bins = pack([chunk.size for chunk in chunks])
    rows = map_in_arrow(_numbers(spark, len(bins)), partial(_survey, chunks, bins), "number bigint, survey string")
    said = {row["number"]: Survey(**json.loads(row["survey"])) for row in rows.toArrow().to_pylist()}
    return [Piece(source, chunk, said[number]) for number, (source, chunk) in enumerate(pieces)]


def pack(sizes: Sequence[int]) -> list[list[int]]:
    """Stretches for each task of Spark's: small ones together, as a task costs as much as reading some megabytes."""
    bins: list[list[int]] = []
    room = 0
    for number, size in enumerate(sizes):
        if size > room:
            bins.append([])
            room = _TASK_BYTES
        bins[-1].append(number)
        room -= size
    return bins


def _numbers(spark: "SparkSession", count: int) -> "DataFrame":
    return spark.range(0, count, 1, numPartitions=max(1, count))


def _survey(
    chunks: Sequence[Chunk], bins: Sequence[Sequence[int]], rows: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for number in _each(chunks, bins, rows):
        encoded = json.dumps(survey(chunks[number]).as_json())
        yield pa.RecordBatch.from_arrays([pa.array([number], pa.int64()), pa.array([encoded])], schema=_SURVEYED)


def _each(chunks: Sequence[Chunk], bins: Sequence[Sequence[int]], rows: Iterable[pa.RecordBatch]) -> Iterator[int]:
    """The stretches of a task. Raises FileNotFoundError for a file that this machine does not see."""
    for number in (number for batch in rows for row in batch.column(0).to_pylist() for number in bins[row]):
        Path(chunks[number].path).stat()
        yield number


def _write(spark: "SparkSession", planned: Sequence[Task], folder: Path) -> None:
    """part=events and part=lines, from one reading."""
    sizes = [task.chunk.size for task in planned]
    bins = pack(sizes)
    events = map_in_arrow(_numbers(spark, len(bins)), partial(_parse, planned, bins), f"part string, {COLUMNS}")
    files = max(2, -(-sum(sizes) // _FILE_BYTES))
    events = events.repartition(files, "run", "topic", "partition").sortWithinPartitions(*_ORDER)
    events.write.partitionBy("part").parquet(folder.resolve().as_uri())


def _parse(
    planned: Sequence[Task], bins: Sequence[Sequence[int]], rows: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for number in _each([task.chunk for task in planned], bins, rows):
        account = Account()
        for batch in batches(parse(planned[number], account)):
            yield _of_part(_EVENTS, batch)
        account_row = Event(
            run="",
            node="",
            source="",
            order=number,
            start_ns=None,
            end_ns=None,
            wall_ms=None,
            kind="",
            topic=None,
            partition=None,
            fields={},
            line=json.dumps(account.as_json()),
        )
        yield _of_part(_LINES, batch_of([account_row]))


def _of_part(name: str, batch: pa.RecordBatch) -> pa.RecordBatch:
    parts = pa.array([name] * batch.num_rows, pa.string())
    return pa.RecordBatch.from_arrays([parts, *batch.columns], ["part", *SCHEMA.names])


def _accounts(folder: Path) -> list[dict[str, Any]]:
    if not folder.is_dir():  # all files are empty
        return []
    lines = pq.read_table(folder, columns=["order", "line"]).sort_by("order").column("line")
    return [json.loads(line) for line in lines.to_pylist()]


def _move(fresh: Path, table: Path, about: Mapping[str, Any]) -> None:
    table.mkdir()
    table.chmod(0o777 & ~umask())
    for number, file in enumerate(sorted(fresh.glob("*.parquet"))):
        file.rename(table / f"events-{number:05}.parquet")
    if not fresh.is_dir():
        pq.write_table(SCHEMA.empty_table(), table / "events-00000.parquet")
    write_aside(table / MARK, as_json(dict(about)))
