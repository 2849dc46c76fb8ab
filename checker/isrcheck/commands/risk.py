"""isrcheck risk."""

import json
from pathlib import Path

import click

from isrcheck.commands.deliver import show_document
from isrcheck.commands.options import COUNT, console, limit_options
from isrcheck.engines.contract import Limits
from isrcheck.evidence.progress import ProgressLine
from isrcheck.files import write_aside
from isrcheck.risk.budget import DEFAULT, Budget, parse_budget, restricted
from isrcheck.risk.document import frontier_document
from isrcheck.risk.frontier import as_json, frontier
from isrcheck.risk.setting import Setting


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
@click.option("--records", type=COUNT, default=1, show_default=True, help="Records that are written.")
@click.option("--workers", type=COUNT, default=1, show_default=True, help="Threads that search.")
@limit_options("states", "seconds", "memory")
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
    records: int,
    workers: int,
    limits: Limits,
    json_file: str | None,
) -> int:
    """Tell the least that must go wrong before a partition with these settings loses something."""
    setting = Setting(kafka, replication_factor, min_isr, acks, unclean_election, elr, flush_every_record)
    most = {**DEFAULT, **(parse_budget(budget) if budget else {})}
    asked = Budget(restricted(most, faults) if faults else most)
    with ProgressLine(console(stderr=True), None) as progress:
        found = frontier(setting, asked, limits, workers, records, progress)
    text = json.dumps(as_json(found), indent=2) + "\n"
    if json_file == "-":
        click.echo(text, nl=False)
    else:
        if json_file:
            write_aside(Path(json_file), text)
        show_document(frontier_document(found), "txt", None)
    return found.exit
