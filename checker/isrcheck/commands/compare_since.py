"""isrcheck compare --since: what a change to models did."""

from collections.abc import Sequence
from pathlib import Path

from isrcheck.catalogue import find_model, known_models
from isrcheck.commands.compare_matrix import grid_of
from isrcheck.commands.deliver import show_document
from isrcheck.commands.options import console
from isrcheck.compare.since import ModelChange, changes
from isrcheck.compare.since_document import changes_document
from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError
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
    show_document(changes_document(ref, commit, found), form, output)
    return _code(found)


def _code(found: Sequence[ModelChange]) -> int:
    """What has no verdict goes before what changed, and that before what was cut short."""
    failed = {change.new["exit"] for change in found if "failed" in change.new}
    for code in (70, 75, 2, 10):
        if code in failed:
            return code
    if not all(change.is_none for change in found):
        return _DIFFER
    return 20 if any(c.is_undetermined or c.unknown for c in found) else 0
