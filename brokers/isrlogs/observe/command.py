"""isrcheck observe."""

import json
import shlex
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from isrcheck import UsageError
from isrcheck.plugin import COUNT, FILE, Cluster, hand_over, need, parse_conf, show_document, worst
from isrlogs.observe.document import account_document, reasons_for_doubt, rules_document
from isrlogs.observe.event import MARK
from isrlogs.observe.facts import Broken
from isrlogs.observe.files import find


@click.command()
@click.argument("places", type=FILE, metavar="DIR|FILE...", nargs=-1, required=True)
@click.option("--out", type=FILE, metavar="DIR", help="Write the table of events there, as Parquet.")
@click.option("--rules", is_flag=True, help="Judge the events by rules that need no model; exit 12 if one is broken.")
@click.option("--show", type=COUNT, default=20, show_default=True, help="Broken rules to show at most.")
@click.option("--json", "json_file", metavar="FILE|-", help="Write what was read, and broken, as JSON.")
@click.option("--master", metavar="URL", help="Spark's master.")
@click.option("--workers", type=COUNT, default=2, show_default=True, help="Threads, where no master is named.")
@click.option("--spark-conf", multiple=True, metavar="KEY=VALUE", help="An option of Spark's.")
def observe(
    places: tuple[Path, ...],
    out: Path | None,
    rules: bool,
    show: int,
    json_file: str | None,
    master: str | None,
    workers: int,
    spark_conf: tuple[str, ...],
) -> int:
    """Read the logs of brokers and clients as one table of events.

    DIR holds the logs of a cluster, also rotated and compressed, journals and the metadata log as text; or it is a
    table that was written before (docs/observe.md).
    """
    need("pyspark")
    need("pyarrow")
    from isrlogs.observe import table
    from isrlogs.observe.judged import find_broken_rules, lines_by_broker
    from isrlogs.observe.stored import tables_on

    known = _table_given(places, out)
    sources = None if known else find([place.absolute() for place in places] if master else places)
    if out:
        table.refuse_other_folder(out)
    broken: list[tuple[Broken, str]] = []
    count = 0
    doubts: list[str] = []
    with ExitStack() as stack:
        folder = known or out or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="isrcheck-"))) / "events"
        about = table.read_about(known) if known else {}
        if sources is not None or rules:
            spark = stack.enter_context(tables_on(Cluster(master, parse_conf(spark_conf)), workers, table.OPTIONS))
            if sources is not None:
                about = table.write_table(spark, sources, folder, _command(places, out))
            if rules:
                broken, count = find_broken_rules(spark, folder, show)
                doubts = reasons_for_doubt(about, lines_by_broker(spark, folder))
    if json_file != "-":
        show_document(account_document(about))
        if rules:
            show_document(rules_document(broken, count, doubts))
    if json_file:
        listed = [{**each._asdict(), "line": line} for each, line in broken]
        judged = {"broken": listed, "count": count, "undecided": doubts} if rules else {}
        hand_over(json.dumps({**about, **judged}, indent=2) + "\n", json_file)
    return worst([12] * bool(count) + [20] * bool(doubts or not about["lines"]["events"]))


def _table_given(places: Sequence[Path], out: Path | None) -> Path | None:
    """The table that was written before, if it is what is asked about. Raises UsageError for it and --out."""
    tables = [place for place in places if (place / MARK).is_file()]
    if not tables:
        return None
    if len(places) > 1 or out:
        raise UsageError(f"{tables[0]} is a table of events already: give it alone, with --rules.")
    return tables[0]


def _command(places: Sequence[Path], out: Path | None) -> str:
    """The line that runs this again."""
    words = ["isrcheck", "observe", *map(str, places), *(["--out", str(out)] if out else [])]
    return shlex.join(words)
