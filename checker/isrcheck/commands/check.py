"""isrcheck check."""

import os
from pathlib import Path
from typing import Any

import click

from isrcheck.api import check as run_check
from isrcheck.commands.deliver import Delivery
from isrcheck.commands.headings import SectionedCommand
from isrcheck.commands.options import COUNT, FILE, console, limit_options, names_asked, parse_conf, parse_constants
from isrcheck.engines.contract import Checkpoint, Cluster, Limits, Options
from isrcheck.engines.registry import ENGINES
from isrcheck.errors import UsageError
from isrcheck.evidence.progress import ProgressLine
from isrcheck.run.outcome import Outcome, worst
from isrcheck.run.trace import encode_written

VACUITY_SECONDS = 2.0  # for what is vacuous, compiling included, unless --strict asks to look to the end


_HEADINGS = {
    "Model and sizes": "-c --fairness --controller-jars --controller-release",
    "What to decide": "--property --deadlock --stop-at-first --all-choices --strict --no-vacuity",
    "How to search": "--engine --workers --symmetry --disk",
    "On Spark": "--master --spark-conf --checkpoint --resume",
    "Limits": "--max-states --max-depth --max-seconds --max-memory",
    "Output": "--json --events --trace-dir --certificate",
}


@click.command(cls=SectionedCommand, headings=_HEADINGS)
@click.argument("model")
@click.option("-c", "constants", multiple=True, metavar="NAME=VALUE", help="Choose a constant; 1..8 makes it symbolic.")
@click.option(
    "--property", "properties", multiple=True, metavar="NAME", help="Decide this one only; none: count states."
)
@click.option(
    "--engine",
    default=next(iter(ENGINES)),
    show_default=True,
    metavar="NAME",
    help=f"What searches: {', '.join(ENGINES)}.",
)
@click.option("--workers", type=COUNT, help="Threads that search large levels; by default one for each core.")
@click.option("--symmetry/--no-symmetry", help="Treat states alike that differ only in who is who.")
@click.option("--deadlock", is_flag=True, help="A state without steps is a violation.")
@click.option("--fairness", multiple=True, metavar="NAME", help="Assume this @fairness method of the model.")
@click.option("--controller-jars", type=FILE, metavar="DIR", help="Kafka's controller in these jars decides.")
@click.option("--controller-release", metavar="RELEASE", help="The controller of this release does, such as 4.4.0.")
@click.option("--stop-at-first", is_flag=True, help="End at the first violation.")
@limit_options("states", "depth", "seconds", "memory")
@click.option("--disk", type=FILE, help="Keep the states in this directory, and go on from what is there.")
@click.option("--checkpoint", type=FILE, help="Keep the levels of --engine spark in this directory.")
@click.option("--resume", type=FILE, help="Go on from the levels of --engine spark in this directory.")
@click.option("--all-choices", is_flag=True, help="With symbolic constants: every choice that violates, not one.")
@click.option("--master", metavar="ADDRESS", help="Where --engine spark runs: local[4], spark://HOST:7077, yarn, ...")
@click.option("--spark-conf", multiple=True, metavar="KEY=VALUE", help="An option of Spark's, or spark.isrcheck.*.")
@click.option("--json", "json_file", metavar="FILE|-", help="Write the outcome as JSON; - is standard output.")
@click.option("--events", type=FILE, help="Write progress there, one JSON object a line.")
@click.option("--trace-dir", type=FILE, help="Write each trace there as JSON.")
@click.option("--certificate", type=FILE, help="Write there what isrcheck.recheck needs to confirm it.")
@click.option(
    "--strict",
    is_flag=True,
    help="Exit 22 if something is vacuous: an action, a guard, a property; search for it to the end.",
)
@click.option("--no-vacuity", is_flag=True, help="Do not look for what is vacuous after the verdicts.")
def check(
    model: str,
    constants: tuple[str, ...],
    properties: tuple[str, ...],
    engine: str,
    workers: int | None,
    limits: Limits,
    disk: Path | None,
    checkpoint: Path | None,
    resume: Path | None,
    master: str | None,
    spark_conf: tuple[str, ...],
    json_file: str | None,
    events: Path | None,
    trace_dir: Path | None,
    certificate: Path | None,
    controller_jars: Path | None,
    controller_release: str | None,
    strict: bool,
    no_vacuity: bool,
    **options: Any,
) -> int:
    """Decide a model's properties; a violation is shown step by step.

    MODEL is a name from `isrcheck list`, or FILE.py:Class (docs/outcome.md).
    """
    if strict and no_vacuity:
        raise UsageError("--strict needs the search that --no-vacuity leaves out: give one of the two.")
    delivery = Delivery(json_file, trace_dir)
    with ProgressLine(console(stderr=True), events) as progress:

        def tell_verdict(outcome: Outcome) -> None:
            progress.event("verdict", {"outcome": outcome.to_dict()})
            with progress.hide():
                delivery.verdict(outcome)

        def tell_states(outcome: Outcome) -> None:
            progress.event("states", {"outcome": outcome.to_dict()})
            delivery.early(outcome)

        given = parse_constants(constants)
        progress.event("started", {"model": model, "constants": {n: encode_written(v) for n, v in given.items()}})
        outcome = run_check(
            model,
            properties=names_asked(properties),
            engine=engine,
            limits=limits,
            options=Options(
                workers=workers or (os.cpu_count() or 1 if engine == "native" else 1),
                checkpoint=_checkpoint(checkpoint, resume),
                disk=disk,
                cluster=Cluster(master, parse_conf(spark_conf)) if master or spark_conf else None,
                **options,
            ),
            vacuity=False if no_vacuity else True if strict else VACUITY_SECONDS,
            on_verdict=tell_verdict,
            on_states=tell_states,
            certificate=certificate,
            controller_jars=controller_jars,
            controller_release=controller_release,
            progress=progress,
            constants=given,
        )
        progress.event("finished", {"outcome": outcome.to_dict()})
    code = delivery.rest(outcome)
    if certificate and outcome.digest is None:
        click.echo(
            f"isrcheck: no certificate: the run ended {outcome.cut or 'by the user'}, and not every state was seen.",
            err=True,
        )
        code = code or UsageError.exit_code
    if strict:
        unknown = outcome.parts is None or outcome.maybe_vacuous
        code = worst({code, 22 if outcome.dead_actions or outcome.vacuous else 0, 20 if unknown else 0})
    return code


def _checkpoint(directory: Path | None, resume: Path | None) -> Checkpoint | None:
    if directory and resume:
        raise UsageError("--checkpoint begins a search and --resume goes on with one: give one of the two.")
    chosen = directory or resume
    return Checkpoint(chosen, resume is not None) if chosen else None
