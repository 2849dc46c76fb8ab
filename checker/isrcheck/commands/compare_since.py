"""isrcheck compare --since: what a change to models did."""

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from isrcheck.catalogue import find_model, known_models
from isrcheck.commands.compare_matrix import grid_of
from isrcheck.commands.options import console, plain_width
from isrcheck.compare.since import Change, changes
from isrcheck.compare.since_text import changes_markdown, print_changes
from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError
from isrcheck.files import write_aside
from isrcheck.grid.cells import check_names, chosen_models
from isrcheck.grid.models import read_grid_model

SINCE_FORMS = ("txt", "md")
_DIFFER = 21
_MOST = 2_000_000  # states, unless another limit is asked for: both sides keep theirs in memory


def since(
    ref: str,
    patterns: Sequence[str],
    constants: dict[str, str],
    properties: Sequence[str],
    limits: Limits,
    form: str,
    output: Path | None,
) -> int:
    """Shows what changed: 0 if nothing did, 21 if something did, the code of a run that has no verdict before that."""
    if any(name.endswith(".toml") for name in patterns):
        raise UsageError("--since compares models, and a spec is given: name the models.")
    limits = Limits(limits.states or _MOST, limits.depth, limits.seconds, limits.memory)
    grid = grid_of(patterns, {name: (value,) for name, value in constants.items()}, properties, limits)
    models = chosen_models(grid, known_models())
    check_names(grid, [read_grid_model(name, find_model) for name in models])
    with console(stderr=True).status(f"{len(models)} models, then and now"):
        commit, found = changes(ref, models, constants, properties, limits)
    if form == "md":
        text = changes_markdown(ref, commit, found)
        write_aside(output, text) if output else click.echo(text, nl=False)
    elif output:
        write_aside(output, _text(ref, commit, found))
    else:
        print_changes(ref, commit, found, console())
    return _code(found)


def _text(ref: str, commit: str, found: Sequence[Change]) -> str:
    screen = Console(width=plain_width())
    with screen.capture() as captured:
        print_changes(ref, commit, found, screen)
    return captured.get()


def _code(found: Sequence[Change]) -> int:
    """What has no verdict goes before what changed, and that before what was cut short."""
    failed = {change.new["exit"] for change in found if "failed" in change.new}
    for code in (70, 75, 2, 10):
        if code in failed:
            return code
    if not all(change.is_none for change in found):
        return _DIFFER
    return 20 if any(c.is_undetermined or c.unknown for c in found) else 0
