"""isrcheck risk."""

import json
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from isrcheck.commands.deliver import hand_over, show_document
from isrcheck.commands.options import COUNT, FILE, console, limit_options
from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError
from isrcheck.evidence.progress import ProgressLine
from isrcheck.files import write_aside
from isrcheck.ir.frozen import replace
from isrcheck.run.outcome import worst
from isrmodel.risk.advice import advise
from isrmodel.risk.budget import DEFAULT, FaultBudget, parse_budget, restricted
from isrmodel.risk.described import topics
from isrmodel.risk.document import advice_document, comparison_document, first_document, frontier_document
from isrmodel.risk.frontier import Frontier, as_json, frontier, left
from isrmodel.risk.kept import keep, kept
from isrmodel.risk.setting import Setting


@click.command()
@click.option("--kafka", default="4.1", show_default=True, metavar="RELEASE", help="The release, such as 3.9.")
@click.option("--replication-factor", type=COUNT, default=3, show_default=True, help="Replicas of the partition.")
@click.option("--min-isr", type=COUNT, default=2, show_default=True, help="min.insync.replicas.")
@click.option("--acks", type=click.Choice(["all", "1", "0"]), default="all", show_default=True, help="The producer's.")
@click.option("--unclean-election", is_flag=True, help="unclean.leader.election.enable=true.")
@click.option("--elr/--no-elr", default=None, help="Eligible leader replicas; by default as in the release.")
@click.option("--flush-every-record", is_flag=True, help="flush.messages=1: a power loss loses nothing.")
@click.option("--faults", metavar="kill,power,fence", help="Which faults may happen; also drop, election, stop, rack.")
@click.option("--budget", metavar="FAULT=N,...", help="At most so many, such as kills=1,power_losses=2.")
@click.option("--rolling-restart", is_flag=True, help="Meanwhile every broker is restarted by plan, one by one.")
@click.option("--records", type=COUNT, default=1, show_default=True, help="Records that are written.")
@click.option("--workers", type=COUNT, default=1, show_default=True, help="Threads that search.")
@limit_options("states", "seconds", "memory")
@click.option("--compare", metavar="RELEASE,RELEASE", help="The same settings in several releases, side by side.")
@click.option("--describe", type=FILE, help="The topics in what `kafka-topics.sh --describe` printed, or JSON.")
@click.option("--advice/--no-advice", default=True, help="Look for the least change that survives what was found.")
@click.option("--no-cache", is_flag=True, help="Search again, whatever was found before.")
@click.option("--trace-dir", type=FILE, help="Write the shortest story of each loss there, as a trace.")
@click.option("--json", "json_file", metavar="FILE|-", help="Write the frontier as JSON; - is standard output.")
def risk(
    kafka: str,
    replication_factor: int,
    min_isr: int,
    acks: str,
    unclean_election: bool,
    elr: bool | None,
    flush_every_record: bool,
    faults: str | None,
    budget: str | None,
    rolling_restart: bool,
    compare: str | None,
    describe: Path | None,
    advice: bool,
    trace_dir: Path | None,
    json_file: str | None,
    **how: Any,
) -> int:
    """Tell the least that must go wrong before a partition with these settings loses something."""
    setting = Setting(kafka, replication_factor, min_isr, acks, unclean_election, elr, flush_every_record)
    most = {**DEFAULT, **(parse_budget(budget) if budget else {})}
    most = restricted(most, faults) if faults else most
    asked = FaultBudget(most, replication_factor if rolling_restart else 0)
    settings = _settings(setting, compare, describe)
    began = time.monotonic()  # a limit in seconds is of all searches together
    text_wanted = json_file != "-"
    with ProgressLine(console(stderr=True), None) as progress:

        def first(found: Frontier) -> None:
            with progress.hidden():
                if text_wanted and found.losses and len(settings) == 1:
                    show_document(first_document(found), "txt", None)

        def search(
            setting: Setting, budget: FaultBudget, first: Callable[[Frontier], None] = lambda _: None
        ) -> Frontier:
            return _search(setting, budget, progress, first, **{**how, "limits": left(how["limits"], began)})

        found = {name: search(each, asked, first) for name, each in settings.items()}
        whole = next(iter(found.values()))
        if text_wanted:
            with progress.hidden():
                single = len(found) == 1
                show_document(frontier_document(whole) if single else comparison_document(found), "txt", None)
        if trace_dir:
            _save(found, trace_dir)
        if json_file:
            answers = [as_json(each) for each in found.values()]
            text = json.dumps(answers[0] if len(answers) == 1 else answers, indent=2) + "\n"
            hand_over(text, "json", None if json_file == "-" else Path(json_file))
        advised = advise(whole, search) if advice and len(found) == 1 and text_wanted else None
    if advised is not None:
        show_document(advice_document(advised), "txt", None)
    return worst(each.exit for each in found.values())


def _settings(setting: Setting, compare: str | None, describe: Path | None) -> dict[str, Setting]:
    """The settings to decide, by the names under which they are shown."""
    if compare and describe:
        raise UsageError("--compare is of releases and --describe of topics: give one of the two.")
    if compare:
        return {f"Kafka {each.strip()}": replace(setting, kafka=each.strip()) for each in compare.split(",")}
    if describe:
        try:
            text = describe.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{describe} cannot be read: {error}.") from None
        return topics(text, setting.kafka, setting.acks)
    return {setting.described(): setting}


def _search(
    setting: Setting,
    budget: FaultBudget,
    progress: ProgressLine,
    first: Callable[[Frontier], None],
    limits: Limits,
    workers: int,
    records: int,
    no_cache: bool,
) -> Frontier:
    """What was found before for the same question, else a search."""
    before = None if no_cache else kept(setting, budget, records)
    if before is not None:
        return before
    found = frontier(setting, budget, limits, workers, records, progress, first)
    keep(found, records)
    return found


def _save(found: Mapping[str, Frontier], folder: Path) -> None:
    """Each story as FOLDER/SETTING-PROPERTY-FAULTS.json, for `isrcheck render`."""
    for each in found.values():
        setting = re.sub(r"[^\w.]+", "-", each.setting.described())
        for loss in each.losses:
            faults = "-".join(f"{name}{number}" for name, number in loss.faults if number)
            write_aside(folder / f"{setting}-{loss.name}-{faults}.json", loss.trace.to_json())
