"""isrcheck conform."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import filterfalse, product
from pathlib import Path

import click

from isrcheck import UsageError
from isrcheck.plugin import (
    COUNT,
    FILE,
    Cluster,
    hand_over,
    is_pattern,
    match_models,
    need,
    parse_conf,
    parse_constants,
    poll,
    show_document,
    worst,
    write_aside,
)
from isrlogs.conform.coverage import Coverage, coverage_document
from isrlogs.conform.document import document
from isrlogs.conform.judge import can_judge, family, judge
from isrlogs.conform.reading import events_of, is_table, settings_of
from isrlogs.conform.search import Limits
from isrlogs.conform.verdict import CONFORMS, EXITS, UNDETERMINED, Verdict, verdict_of, verdict_without_search


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=FILE)
@click.option("--coverage", "is_covered", is_flag=True, help="What of the models no RUN exercised.")
@click.option(
    "--model",
    "models",
    metavar="MODEL[,MODEL...]",
    help="Whose rules, if not those of the release that the nodes name; several, or 'isr-*': a matrix.",
)
@click.option("-c", "constants", multiple=True, metavar="NAME=VALUE", help="A constant that the run does not tell.")
@click.option("--topic-partition", metavar="TOPIC-N", help="This partition only, such as tv-0.")
@click.option(
    "--max-seconds",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    default=180,
    show_default=True,
    help="CPU time of each search.",
)
@click.option("--max-positions", type=COUNT, default=400_000, show_default=True, help="Of each search.")
@click.option("--master", metavar="URL", help="Spark's master, for a table of many partitions.")
@click.option("--workers", type=COUNT, default=2, show_default=True, help="Spark's threads, where no master is named.")
@click.option("--spark-conf", multiple=True, metavar="KEY=VALUE", help="An option of Spark's.")
@click.option("--trace-dir", type=FILE, help="Write each behaviour there, as a trace.")
@click.option("--json", "json_file", metavar="FILE|-", help="Write the verdicts as JSON; - is standard output.")
def conform(
    runs: tuple[Path, ...],
    is_covered: bool,
    models: str | None,
    constants: tuple[str, ...],
    topic_partition: str | None,
    max_seconds: float,
    max_positions: int,
    master: str | None,
    workers: int,
    spark_conf: tuple[str, ...],
    trace_dir: Path | None,
    json_file: str | None,
) -> int:
    """Tell whether the logs of brokers follow the rules of a model.

    RUN is a folder of logs, or a table of events; a behaviour of MODEL that explains them is searched for
    (docs/conform.md). A table that `isrcheck observe` wrote is judged on Spark, unless --topic-partition names one
    partition. With --coverage the runs, one or several, are taken together: which actions, guards and outcomes of
    policies of the models their behaviours exercised.
    """
    names = [""] if models is None else _names(models)
    given, limits = parse_constants(constants), Limits(max_seconds, max_positions)
    if is_covered:
        if trace_dir or master:
            raise UsageError("--coverage judges here, and writes no traces: leave --master and --trace-dir out.")
        coverage = Coverage(max_seconds)
        verdicts = [v for each in runs for v in _cover(coverage, each, topic_partition, names, given, limits)]
        if json_file != "-":
            show_document(coverage_document(coverage, verdicts))
        if json_file:
            content = json.dumps(coverage.as_json(verdicts), indent=2) + "\n"
            hand_over(content, None if json_file == "-" else Path(json_file))
        return worst([*(verdict.exit for verdict in verdicts), *[EXITS[UNDETERMINED]] * bool(coverage.left)])
    if len(runs) > 1:
        raise UsageError("conform judges one run at a time: name one, or ask for --coverage of all.")
    (run,) = runs
    if is_table(run) and topic_partition is None and trace_dir is None:
        verdicts = _on_spark(run, names, given, limits, Cluster(master, parse_conf(spark_conf)), workers)
    else:
        verdicts = _here(run, topic_partition, names, given, limits, is_traced=trace_dir is not None)
    if not verdicts:
        raise UsageError(f"{run} has no event of a partition: give a run, or a table that `isrcheck observe` wrote.")
    if json_file != "-":
        show_document(document(verdicts))
    if trace_dir:
        _save(verdicts, trace_dir)
    if json_file:
        listed = [verdict.as_json() for verdict in verdicts]
        content = json.dumps(listed[0] if len(listed) == 1 else listed, indent=2) + "\n"
        hand_over(content, None if json_file == "-" else Path(json_file))
    return worst(verdict.exit for verdict in verdicts)


def _names(models: str) -> list[str]:
    """The models that are named, and those of a pattern that can be judged. Raises UsageError."""
    patterns = [name.strip() for name in models.split(",") if name.strip()]
    if not patterns:
        raise UsageError("--model names no model: write --model kraft-4.1, or several with commas between them.")
    named = match_models(patterns, "--model")
    judged = list(filter(can_judge, named))
    for name in filterfalse(is_pattern, patterns) if judged else named:
        family(name)
    return judged


def _here(
    run: Path,
    topic_partition: str | None,
    names: Sequence[str],
    given: Mapping[str, str],
    limits: Limits,
    *,
    is_traced: bool,
) -> list[Verdict]:
    """Judge all partitions of a run in this process. What an interruption leaves out is undetermined."""
    asked = list(product(events_of(run, topic_partition).items(), names))
    verdicts: list[Verdict] = []
    try:
        for (partition, events), name in asked:
            settings = settings_of(run, events)
            verdicts.append(judge(partition, events, settings, name, given, limits, is_traced=is_traced))
    except KeyboardInterrupt:
        if not verdicts:
            raise
    left = [(partition, name or "its release") for (partition, _), name in asked[len(verdicts) :]]
    return verdicts + [verdict_without_search(*each, "interrupted") for each in left]


def _cover(
    coverage: Coverage,
    run: Path,
    topic_partition: str | None,
    names: Sequence[str],
    given: Mapping[str, str],
    limits: Limits,
) -> Iterator[Verdict]:
    """Add each partition of a run to the coverage, by the first of the models that explains it."""
    for partition, events in events_of(run, topic_partition).items():
        settings = settings_of(run, events)
        for name in names:
            poll()
            verdict = judge(partition, events, settings, name, given, limits, is_traced=False, coverage=coverage)
            if verdict.verdict == CONFORMS or name == names[-1]:
                yield verdict
                break


def _on_spark(
    table: Path, names: Sequence[str], given: Mapping[str, str], limits: Limits, cluster: Cluster, workers: int
) -> list[Verdict]:
    """A partition after the other in each task."""
    need("pyspark")
    need("pyarrow")
    from isrlogs.conform.spread import judge_on_spark
    from isrlogs.observe.stored import tables_on
    from isrlogs.observe.table import read_about

    read_about(table)
    with tables_on(cluster, workers) as spark:
        outcomes = judge_on_spark(spark, table, names, given, limits)
    return [verdict_of(each) for each in outcomes]


def _save(verdicts: Sequence[Verdict], folder: Path) -> None:
    """Each behaviour as FOLDER/PARTITION-MODEL.json, for `isrcheck render`."""
    for verdict in verdicts:
        if verdict.trace is not None:
            name = f"{verdict.partition}-{verdict.model}".replace(" ", "-").replace("/", "-").replace(":", "-")
            write_aside(folder / f"{name}.json", verdict.trace.to_json())
