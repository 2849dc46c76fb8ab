"""isrcheck mutate."""

import re
import shlex
from pathlib import Path

import click

from isrcheck.catalogue import find_model
from isrcheck.commands.deliver import show_with_json
from isrcheck.commands.headings import SectionedCommand
from isrcheck.commands.options import COUNT, FILE, console, limit_options, parse_constants
from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError, nearest
from isrcheck.evidence.progress import TallyLine
from isrcheck.gate.mutants.judge import JudgeOptions
from isrcheck.gate.mutants.make import Mutation
from isrcheck.gate.mutants.report import facts_of, survey_document
from isrcheck.gate.mutants.survey import Survey, check_reasons, read_reasons, survey
from isrcheck.lang.read import read_model
from isrcheck.run.invocation import line
from isrcheck.user_cache import user_cache
from isrcheck.version import __version__

MOST_STATES = 5_000_000  # of each mutant, unless another limit is asked for
_FORMS = ("txt", "md", "html")
_CHANGES = {change.name.lower(): change for change in Mutation}


@click.command(
    cls=SectionedCommand,
    headings={
        "Model and sizes": "-c --config",
        "Which mutants, and what kills": "--change --mutant --property --deadlock --all --reasons",
        "How to search": "--workers --no-cache",
        "Limits": "--max-states --max-seconds",
        "Output": "--to -o --json",
    },
)
@click.argument("model")
@click.option("-c", "constants", multiple=True, metavar="NAME=VALUE", help="Choose a constant, for every --config.")
@click.option(
    "--config",
    "configurations",
    multiple=True,
    metavar="'NAME=VALUE ...'",
    help="A choice of constants; of several, one at which a mutant is killed is enough.",
)
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Let this one kill, and no other.")
@click.option(
    "--change",
    "changes",
    multiple=True,
    type=click.Choice(list(_CHANGES)),
    metavar="KIND",
    help=f"Make these mutants only: {', '.join(_CHANGES)}.",
)
@click.option("--mutant", "pattern", metavar="TEXT", help="Make these mutants only: those with this in their names.")
@click.option("--all", "everything", is_flag=True, help="Ask every property at every --config, not only the first.")
@click.option("--deadlock", is_flag=True, help="A state without steps, where there was none, kills.")
@click.option("--reasons", type=FILE, help="Guards that nothing needs, and why; exit 21 if untrue.")
@click.option("--workers", type=COUNT, default=1, show_default=True, help="Processes that check.")
@limit_options("states", "seconds", of="each mutant", states=MOST_STATES)
@click.option("--no-cache", is_flag=True, help="Keep no outcomes, and use none.")
@click.option("--json", "json_file", metavar="FILE|-", help="Write what was found as JSON; - is standard output.")
@click.option(
    "--to", "form", type=click.Choice(_FORMS), default="txt", show_default=True, help="The form of the output."
)
@click.option("-o", "output", type=FILE, help="Write it there.")
def mutate(
    model: str,
    constants: tuple[str, ...],
    configurations: tuple[str, ...],
    properties: tuple[str, ...],
    changes: tuple[str, ...],
    pattern: str | None,
    everything: bool,
    deadlock: bool,
    reasons: Path | None,
    workers: int,
    limits: Limits,
    no_cache: bool,
    json_file: str | None,
    form: str,
    output: Path | None,
) -> int:
    """Show which property kills each small change of a model.

    MODEL is changed in one place at a time; what no property detects is named (docs/mutants.md).
    """
    listed = read_reasons(reasons) if reasons else None
    kinds = [_CHANGES[change] for change in changes or _CHANGES]
    with TallyLine(console(stderr=True), "searching the model as it is") as progress:
        result = survey(
            model,
            read_model(find_model(model)),
            _configurations(constants, configurations),
            properties=tuple(properties) or None,
            wanted=lambda mutant: mutant.change in kinds and (pattern or "") in mutant.name,
            options=JudgeOptions(limits, everything, deadlock),
            cache=None if no_cache else user_cache(),
            workers=workers,
            tell=progress.say,
        )
    if not result.results:
        raise UsageError(_no_mutants(result, pattern))
    command = line(  # neither processes nor files change what is found
        "mutate",
        model,
        c=constants,
        config=configurations,
        property=properties,
        change=changes,
        mutant=pattern or None,
        all=everything,
        deadlock=deadlock,
        reasons=reasons,
        max_states=limits.states if limits.states != MOST_STATES else None,
        max_seconds=limits.seconds,
    )
    facts = facts_of(result, check_reasons(result, listed), __version__, command)
    show_with_json(survey_document(facts, by_property=form == "html"), facts, json_file, form, output)
    code: int = facts["exit"]
    return code


def _configurations(constants: tuple[str, ...], configurations: tuple[str, ...]) -> list[dict[str, str]]:
    """Each --config, with what -c says for all. Raises UsageError."""
    shared = parse_constants(constants)
    choices = []
    for config in configurations or ("",):
        try:
            own = parse_constants(tuple(shlex.split(config)))
        except ValueError:
            raise UsageError(
                f"--config '{config}' is not a choice of constants: write --config 'NAME=VALUE ...'."
            ) from None
        for name in own:
            if name in shared:
                raise UsageError(f"the constant {name} is given by -c and by --config: give it once.")
        choices.append({**shared, **own})
    return choices


def _no_mutants(result: Survey, pattern: str | None) -> str:
    if pattern:
        methods = [m.name for m in (*result.ir.actions, *result.ir.helpers.values())]
        return f"no mutant of {result.model} has {pattern} in its name.{nearest(re.split('/', pattern)[0], methods)}"
    return f"{result.model} has nothing of this kind to change."
