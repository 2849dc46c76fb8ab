"""The runs of a report: which models with which constants, one after the other; a run that fails is a row too."""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from isrcheck.api import check
from isrcheck.catalogue import find_model
from isrcheck.commands.options import parse_constants
from isrcheck.engines.contract import NO_LIMITS, NO_OPTIONS, Limits, Options
from isrcheck.errors import AssumptionFalse, Disagreement, ModelError, UsageError, nearest
from isrcheck.evidence.progress import ProgressLine
from isrcheck.evidence.report.entry import Entry, Failed, from_outcome, sentence_of
from isrcheck.lang.read import read_model
from isrcheck.passes.constants import choose_constants
from isrcheck.run.trace import encode


@dataclass(frozen=True)
class Planned:
    """A run to make; `constants` are all that are given for it."""

    model: str
    constants: dict[str, str]


def planned(models: Iterable[str], constants: dict[str, str], runs: Iterable[str]) -> tuple[Planned, ...]:
    """Every model with those of the constants that it has, then every run as it is written: MODEL NAME=VALUE ...

    Raises UsageError for a constant that no model has, and for a run that names no model.
    """
    known = [(name, _names(name)) for name in models]
    everywhere = [names for _, names in known if names is not None]
    for name in constants:
        if len(everywhere) == len(known) and not any(name in names for names in everywhere):
            raise UsageError(f"none of the models has a constant {name}.{nearest(name, set().union(*everywhere))}")
    for_all = [
        Planned(name, {n: v for n, v in constants.items() if names is None or n in names}) for name, names in known
    ]
    return (*for_all, *map(_written, runs))


def _names(model: str) -> set[str] | None:
    """The constants of a model and the settings that they stand for; None if its text cannot be read."""
    try:
        declared = read_model(find_model(model)).constants
    except ModelError:
        return None
    return {c.name for c in declared} | {c.setting for c in declared if c.setting}


def _written(run: str) -> Planned:
    try:
        model, *constants = shlex.split(run)
    except ValueError:
        raise UsageError(f"--run '{run}' is not a run: write --run 'MODEL NAME=VALUE ...'.") from None
    for text in constants:
        if not all(text.partition("=")):
            raise UsageError(f"{text} in --run '{run}' is not a valid constant: write NAME=VALUE, such as replicas=3.")
    return Planned(model, parse_constants(tuple(constants)))


def made(
    run: Planned,
    progress: ProgressLine,
    engine: str = "native",
    limits: Limits = NO_LIMITS,
    options: Options = NO_OPTIONS,
) -> Entry:
    """One run, all properties asked. Raises UsageError, and KeyboardInterrupt if the user ended it."""
    try:
        outcome = check(
            run.model,
            constants=run.constants,
            engine=engine,
            limits=limits,
            options=options,
            progress=progress,
            vacuity=True,
        )
    except (ModelError, AssumptionFalse, Disagreement) as error:
        return Failed(run.model, _constants(run), error.exit_code, sentence_of(error))
    if outcome.interrupted:
        raise KeyboardInterrupt
    return from_outcome(outcome)


def _constants(run: Planned) -> dict[str, Any]:
    """All constants of a run that failed, or those given if the model cannot be read."""
    try:
        chosen, _ = choose_constants(read_model(find_model(run.model)), run.constants)
    except ModelError:
        return dict(run.constants)
    return {name: encode(value) for name, value in chosen.items()}
