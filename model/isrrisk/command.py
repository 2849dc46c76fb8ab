"""isrcheck risk."""

import os
from functools import cache
from pathlib import Path
from typing import Any

import click

from isrcheck import UsageError
from isrcheck.plugin import COUNT, FILE, SectionedCommand, limit_options
from isrrisk.against import compare_topics
from isrrisk.described import assumption, topics
from isrrisk.run import RiskRun
from isrrisk.setting import Setting
from isrrisk.settings import axes_of, budget_asked, combinations, parse_racks


@click.command(
    cls=SectionedCommand,
    headings={
        "Partition": "--kafka --replication-factor --min-isr --acks --cluster --elr",
        "Settings that lose or keep more": "--unclean-election --flush-every-record",
        "What may go wrong": "--faults --budget --racks --rolling-restart --records",
        "Several partitions": "--vary --describe --against",
        "How to search": "--engine --workers --no-cache --advice",
        "Limits": "--max-states --max-seconds --max-memory",
        "Output": "--trace-dir --json",
    },
)
@click.option("--kafka", default="4.1", show_default=True, metavar="RELEASE", help="The release, such as 3.9.")
@click.option("--replication-factor", type=COUNT, default=3, show_default=True, help="Replicas of the partition.")
@click.option("--min-isr", type=COUNT, default=2, show_default=True, help="min.insync.replicas.")
@click.option(
    "--acks", type=click.Choice(["all", "1", "0"]), default="all", show_default=True, help="The acks of the producer."
)
@click.option("--unclean-election", is_flag=True, help="unclean.leader.election.enable=true.")
@click.option(
    "--cluster",
    type=click.Choice(["new", "upgraded"]),
    default="new",
    show_default=True,
    help="A new cluster has eligible leader replicas since 4.1, an upgraded one has them off.",
)
@click.option("--elr/--no-elr", default=None, help="Eligible leader replicas; by default as the cluster has them.")
@click.option("--flush-every-record", is_flag=True, help="flush.messages=1: a power loss loses nothing.")
@click.option("--faults", metavar="kill,power,fence", help="Which faults may happen; also drop, election, stop, rack.")
@click.option(
    "--budget", metavar="FAULT=N,...", help="Search up to so many of each, and none of the others: kill=1,power=2."
)
@click.option("--racks", metavar="ZONE,ZONE,...", help="The zone of each replica, such as a,a,b: one zone may be lost.")
@click.option("--rolling-restart", is_flag=True, help="Meanwhile every broker is restarted by plan, one by one.")
@click.option("--records", type=COUNT, default=1, show_default=True, help="Records that are written.")
@click.option(
    "--engine", type=click.Choice(["native", "gpu"]), default="native", show_default=True, help="What searches."
)
@click.option("--workers", type=COUNT, help="Threads that search; by default one for each core, on a GPU one.")
@limit_options("states", "seconds", "memory")
@click.option(
    "--vary", multiple=True, metavar="OPTION[=A,B]", help="Side by side: elr, kafka=3.9,4.1, min-isr=1,2, ..."
)
@click.option(
    "--describe", type=FILE, help="The topics in what `kafka-topics.sh --describe` prints (-: from a pipe), or JSON."
)
@click.option("--against", type=FILE, help="An earlier description: exit 21 if a topic survives less now.")
@click.option("--advice/--no-advice", default=None, help="Look for the least change that survives what was found.")
@click.option("--no-cache", is_flag=True, help="Search again, whatever an earlier search said.")
@click.option("--trace-dir", type=FILE, help="Write the shortest story of each loss there, as a trace.")
@click.option("--json", "json_file", metavar="FILE|-", help="Write the answer as JSON; - is standard output.")
@click.pass_context
def risk(context: click.Context, /, **given: Any) -> int:
    """Find the least that must go wrong before records are lost.

    A partition is searched with the settings given (docs/risk.md), small budgets of faults completely first. Without
    --budget and without limits it ends before the first one that is too large for a minute, and says what that would
    take; on a GPU it ends before the first one that does not fit. Ctrl-C keeps every complete one.
    """
    _refuse_contradictions(context, given)
    elr = False if given["elr"] is None and given["cluster"] == "upgraded" else given["elr"]
    names = ("kafka", "replication_factor", "min_isr", "acks", "unclean_election", "flush_every_record")
    setting = Setting(**{name: given[name] for name in names}, elr=elr)
    settings, remark = _settings(setting, given["vary"], given["describe"])
    earlier = None
    if given["against"]:
        earlier, settings = compare_topics(settings, _settings(setting, (), given["against"])[0])
    for each in settings.values():
        each.model()  # whatever cannot be asked of a setting is said before any search
    layout = parse_racks(given["racks"], setting.replication_factor) if given["racks"] else None
    restarted = setting.replication_factor if given["rolling_restart"] else 0
    widest, is_given = budget_asked(given["faults"], given["budget"], layout, restarted)
    run = RiskRun(
        settings=settings,
        widest=widest,
        is_widest_asked=is_given,
        layout=layout,
        remark=remark,
        limits=given["limits"],
        engine=given["engine"],
        workers=given["workers"] or (1 if given["engine"] == "gpu" else os.cpu_count() or 1),
        records=given["records"],
        uses_cache=not given["no_cache"],
        json_file=given["json_file"],
        trace_dir=given["trace_dir"],
        earlier=earlier,
    )
    return run.decide(advice=given["advice"] is not False)


def _settings(setting: Setting, vary: tuple[str, ...], describe: Path | None) -> tuple[dict[str, Setting], str]:
    """The settings to decide, by the names under which they are shown, and what is assumed of them."""
    if describe is None:
        return (combinations(setting, vary) if vary else {setting.description(): setting}), ""
    description, file = _read(describe)
    return topics(description, setting, file), assumption(description, setting)


def _read(describe: Path) -> tuple[str, str]:
    """A description and the name of its file; - is standard input. Raises UsageError."""
    try:
        if str(describe) == "-":
            return _read_pipe(), "standard input"
        return describe.read_text(encoding="utf-8"), str(describe)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{describe} cannot be read: {error}.") from None


@cache
def _read_pipe() -> str:
    """Standard input, read once: a command begins in one process and goes on in another, whose sys.stdin is empty."""
    with os.fdopen(0, encoding="utf-8", closefd=False) as piped:
        return piped.read()


def _refuse_contradictions(context: click.Context, given: dict[str, Any]) -> None:
    """Refuse options of which one would take another's place: raises UsageError."""
    asked = {name for name in given if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE}
    for axis in sorted(axes_of(given["vary"])):
        if axis.replace("-", "_") in asked:
            raise UsageError(f"--{axis} and --vary {axis} contradict: give its values to one of the two.")
    is_several = bool(given["vary"] or given["describe"])
    if given["vary"] and given["describe"]:
        raise UsageError("--vary is of one partition's settings and --describe of topics: give one of the two.")
    if given["against"] and (not given["describe"] or str(given["against"]) == str(given["describe"])):
        raise UsageError("--against is an earlier description: give the one of now with --describe, from another file.")
    if given["describe"] and "replication_factor" in asked:
        raise UsageError("--replication-factor and --describe contradict: the description has that of each topic.")
    if given["advice"] and is_several:
        raise UsageError("--advice is of one setting: leave it out with --vary and --describe.")
    varies_size = given["describe"] or "replication-factor" in axes_of(given["vary"])
    for name in ("racks", "rolling_restart"):
        if varies_size and given[name]:
            raise UsageError(f"--{name.replace('_', '-')} is of one replication factor: ask for one setting at a time.")
    if "elr" in axes_of(given["vary"]) and given["cluster"] == "upgraded":
        raise UsageError("--cluster upgraded says that ELR is off, and --vary elr varies it: give one of the two.")
