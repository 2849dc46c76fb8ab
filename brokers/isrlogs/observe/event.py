"""The table of events: one row for each thing that a node, a client or an agent wrote down."""

from typing import NamedTuple

# docs/observe.md says what each column holds.
MARK = "_observe.json"  # of a folder with the table; readers of Parquet pass over names with _
COLUMNS = (
    "run string, node string, source string, order bigint, start_ns bigint, end_ns bigint, wall_ms bigint, "
    "kind string, topic string, partition int, fields map<string,string>, line string"
)
LONGEST_LINE = 400  # characters of a line that are kept: what tells lines apart stands before


class Event(NamedTuple):
    """One event; times are in nanoseconds of CLOCK_MONOTONIC and milliseconds since 1970, None where not known."""

    run: str
    node: str
    source: str
    order: int
    start_ns: int | None
    end_ns: int | None
    wall_ms: int | None
    kind: str
    topic: str | None
    partition: int | None
    fields: dict[str, str]
    line: str


def shorten(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1] + "…"
