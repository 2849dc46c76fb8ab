"""A small run in this process, without Spark: the same events as the table."""

from pathlib import Path

from isrcheck.plugin import need
from isrlogs.observe.account import Account
from isrlogs.observe.event import MARK, Event
from isrlogs.observe.files import find
from isrlogs.observe.parse import parse
from isrlogs.observe.plan import CHUNK, Piece, plan, stretches
from isrlogs.observe.survey import survey


def read_table(folder: Path) -> list[Event]:
    """All events of a table that `isrcheck observe` wrote, in the same order. Raises UsageError without pyarrow."""
    need("pyarrow")
    import pyarrow.parquet as pq

    from isrlogs.observe.columns import events_of

    files = sorted(folder.glob("*.parquet"))
    batches = (batch for file in files for batch in pq.ParquetFile(file).iter_batches())
    return sorted((event for batch in batches for event in events_of(batch)), key=lambda event: event[:4])


def read_run(*places: Path, chunk: int = CHUNK) -> tuple[list[Event], list[Account]]:
    """All events of folders of logs, by run, node, source and order, and an account for each stretch of a file.

    A place may also be a table that `isrcheck observe` wrote; `chunk` is the size of a stretch in bytes.
    Raises UsageError if there is nothing to read. Whatever the files hold, it is counted, never raised.
    """
    tables = [place for place in places if (place / MARK).is_file()]
    logs = [place for place in places if place not in tables]
    pieces = [Piece(source, each, survey(each)) for source, each in stretches(find(logs).read if logs else (), chunk)]
    events = [event for table in tables for event in read_table(table)]
    accounts: list[Account] = []
    for task in plan(pieces):
        accounts.append(account := Account())
        events += parse(task, account)
    return sorted(events, key=lambda event: event[:4]), accounts
