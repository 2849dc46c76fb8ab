"""isrcheck diff."""

from collections.abc import Sequence
from pathlib import Path

import click

from isrcheck.commands.deliver import show_document
from isrcheck.commands.options import FILE, console, limit_options, parse_constants
from isrcheck.compare.cells import cell_limits, grid_of
from isrcheck.compare.since import ModelChange, changes, changes_document
from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError
from isrcheck.grid.cells import check_names, read_grid_model, select_models
from isrcheck.ir.frozen import replace

_STATES = 2_000_000  # unless another limit is asked for: both sides keep theirs in memory


@click.command()
@click.argument("ref", metavar="REF")
@click.argument("models", metavar="MODEL...", nargs=-1, required=True)
@click.option("-c", "constants", multiple=True, metavar="NAME=VALUE", help="A constant, where a model has it.")
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Decide this one only.")
@limit_options("states", "depth", "seconds", "memory", of="each side")
@click.option(
    "--to", "form", type=click.Choice(("txt", "md")), default="txt", show_default=True, help="The form of the output."
)
@click.option("-o", "output", type=FILE, metavar="FILE", help="Write what changed there.")
def diff(
    ref: str,
    models: tuple[str, ...],
    constants: tuple[str, ...],
    properties: tuple[str, ...],
    limits: Limits,
    form: str,
    output: Path | None,
) -> int:
    """Show what a change did to models, against a revision of git.

    Each MODEL is a name, a pattern such as 'isr-*', or FILE.py:Class, as it was at REF and as it is now. Shown are
    verdicts, counts, actions and constants that changed, and the shortest way to a new state (docs/compare.md). Exit 21
    if anything changed. At most 2,000,000 states are compared in 300 seconds and 4G, unless other limits are given.
    """
    if specs := [name for name in models if name.endswith(".toml")]:
        raise UsageError(f"{specs[0]} is a spec, and diff compares models: name the models.")
    given, asked = parse_constants(constants), cell_limits(limits)
    asked = replace(asked, states=asked.states or _STATES)
    grid = grid_of(models, {name: (value,) for name, value in given.items()}, properties, asked)
    names = select_models(grid)
    check_names(grid, list(map(read_grid_model, names)))
    with console(stderr=True).status(f"{len(names)} models, then and now"):
        commit, all_changes = changes(ref, names, given, properties, asked)
    show_document(changes_document(ref, commit, all_changes), form, output)
    return _code(all_changes)


def _code(all_changes: Sequence[ModelChange]) -> int:
    """The exit code: no verdict goes before a change, and that before a cut."""
    failed = {change.new["exit"] for change in all_changes if "failed" in change.new}
    for code in (70, 75, 2, 10):
        if code in failed:
            return code
    if not all(change.is_none for change in all_changes):
        return 21
    return 20 if any(c.is_undetermined or c.unknown for c in all_changes) else 0
