"""python -m isrbrokers run SCENARIO RELEASE, or soak: runs of real brokers, recorded."""

import sys
from pathlib import Path

import click

from isrbrokers.plan import random_plan, read_plan
from isrbrokers.process import ClusterError
from isrbrokers.releases import BUGS, RELEASES, find_release
from isrcheck.errors import IsrcheckError, UsageError, nearest
from isrcheck.extras import need

PORT = click.option("--port", default=19090, show_default=True, help="The controller's; brokers listen after it.")
BUG = click.option("--bug", type=click.Choice(BUGS), help="A rule that the agent takes away from the brokers.")
OUT = click.option(
    "--out", type=click.Path(path_type=Path), help="The folder to write; by default it has the run's name."
)


@click.group()
def main() -> None:
    """Real brokers on this machine: their runs, recorded. Needs Java and Maven."""


@main.command()
@click.argument("scenario")
@click.argument("release", default=list(RELEASES)[-1])
@OUT
@PORT
@BUG
def run(scenario: str, release: str, out: Path | None, port: int, bug: str | None) -> None:
    """Play SCENARIO on Kafka RELEASE and record what every node said."""
    need("confluent_kafka")
    from isrbrokers.judging import record
    from isrbrokers.scenarios import SCENARIOS

    if scenario not in SCENARIOS:
        raise UsageError(f"there is no scenario {scenario}.{nearest(scenario, SCENARIOS)}")
    kafka = find_release(release)
    into = out or Path(f"{scenario}-{kafka.number}")
    record(SCENARIOS[scenario], kafka, into, port, bug)
    click.echo(f"{into} has the run.")


@main.command()
@click.argument("release", default=list(RELEASES)[-1])
@click.option("--minutes", default=30.0, show_default=True, help="How long faults happen.")
@click.option("--seed", default=1, show_default=True, help="Decides the faults.")
@click.option("--plan", type=click.Path(path_type=Path), help="The faults of an earlier soak, instead of random ones.")
@click.option("--partitions", default=8, show_default=True, help="Of the topic that is written to.")
@OUT
@PORT
@BUG
def soak(
    release: str,
    minutes: float,
    seed: int,
    plan: Path | None,
    partitions: int,
    out: Path | None,
    port: int,
    bug: str | None,
) -> None:
    """Write to a cluster while brokers are paused, killed, stopped and elected, and record everything."""
    need("confluent_kafka")
    from isrbrokers.soak import Soak

    kafka = find_release(release)
    seconds = minutes * 60
    faults = read_plan(plan) if plan else random_plan(seconds, seed, brokers=3)
    into = out or Path(f"soak-{kafka.number}-{seed}")
    Soak(kafka, faults, seconds, partitions, bug=bug).record(into, port, lambda line: click.echo(line, err=True))
    click.echo(f"{into} has the run, with {len(faults)} faults.")


@main.command()
@click.argument("run", type=click.Path(path_type=Path))
@OUT
@PORT
@click.option("--model", help="Judge by this model; by default by the rules of isrcheck observe.")
@click.option("--tries", default=1, show_default=True, help="Runs before a plan counts as right.")
def shrink(run: Path, out: Path | None, port: int, model: str | None, tries: int) -> None:
    """Play the soak of RUN again with ever fewer faults, as long as it breaks a rule or departs from MODEL."""
    need("confluent_kafka")
    from isrbrokers.judging import by_model, by_rules
    from isrbrokers.shrink import Shrink, faults_before
    from isrbrokers.soak import Player, read_soak

    soak = read_soak(run)
    judge = by_model(model) if model else by_rules
    wrong = judge(run)
    if wrong is None:
        how = f"conforms to {model}" if model else "breaks no rule"
        raise UsageError(f"{run} {how}: there is nothing to shrink. Judge it by another model: --model kraft-4.1.")
    into = out or run.with_name(run.name + "-shrunk")
    shrunk = Shrink(Player(soak, port), judge, into, tries, lambda line: click.echo(line, err=True))
    faults = shrunk.fewest(faults_before(soak.faults, wrong, run))
    if shrunk.wrong is None:
        raise ClusterError(f"in {shrunk.runs} runs with fewer faults nothing was wrong: write --tries 3.")
    click.echo(f"{into} has the run: {len(faults)} of {len(soak.faults)} faults, found in {shrunk.runs} runs.")
    for fault in faults:
        click.echo(f"{fault.at:7.1f} s  {fault.kind} {fault.node}" + (f" for {fault.lasts} s" if fault.lasts else ""))
    click.echo(shrunk.wrong.what)


if __name__ == "__main__":
    try:
        main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except click.Abort:  # Ctrl-C
        sys.exit(130)
    except IsrcheckError as error:
        click.echo(f"isrbrokers: {error}", err=True)
        sys.exit(error.exit_code)
