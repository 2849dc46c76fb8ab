"""isrcheck simulate."""

from pathlib import Path
from typing import Any

import click

from isrcheck.api import simulate as run_simulation
from isrcheck.commands.deliver import Delivery
from isrcheck.commands.options import COUNT, FILE, console, limit_options, parse_constants
from isrcheck.evidence.progress import ProgressLine


@click.command()
@click.argument("model")
@click.option("-c", "constants", multiple=True, metavar="NAME=VALUE", help="Choose a constant.")
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Look at this one only.")
@click.option("--walks", type=COUNT, default=10_000, show_default=True, help="How many random walks.")
@click.option("--steps", type=COUNT, default=100, show_default=True, help="The most steps of a walk.")
@click.option(
    "--seed", type=click.IntRange(min=0), metavar="N", help="Makes the same walks again; printed if not given."
)
@click.option("--workers", type=COUNT, default=1, show_default=True, help="Threads that walk.")
@click.option("--deadlock", is_flag=True, help="A state without steps is a violation.")
@limit_options("seconds")
@click.option("--json", "json_file", metavar="FILE|-", help="Write the outcome as JSON; - is standard output.")
@click.option("--trace-dir", type=FILE, help="Write each trace there as JSON.")
def simulate(
    model: str,
    constants: tuple[str, ...],
    properties: tuple[str, ...],
    json_file: str | None,
    trace_dir: Path | None,
    **options: Any,
) -> int:
    """Take random walks through a model: quick, and proof of nothing.

    What the walks violate is shown step by step, without the steps that it does not need. The seed takes the same
    walks again.
    """
    with ProgressLine(console(stderr=True)) as progress:
        outcome = run_simulation(
            model, properties=properties or None, progress=progress, constants=parse_constants(constants), **options
        )
    delivery = Delivery(json_file, trace_dir)
    delivery.verdict(outcome)
    return delivery.rest(outcome)
