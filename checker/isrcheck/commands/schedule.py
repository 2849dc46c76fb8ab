"""isrcheck schedule."""

from functools import partial
from pathlib import Path

import click

from isrcheck.catalogue import find_model, is_pattern, match_models, models_by_name
from isrcheck.commands.deliver import show_with_json
from isrcheck.commands.options import FILE, limit_options, parse_constants
from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError
from isrcheck.files import write_aside
from isrcheck.lang.declare import Model
from isrcheck.lang.read import read_model
from isrcheck.run.save import trace_file
from isrcheck.schedule.runs import (
    DEFAULT_STATES,
    ScheduleReport,
    find_system,
    report_document,
    report_to_dict,
    run_script,
)
from isrcheck.schedule.steps import ScheduleVocabulary, Script, bind_known, parse_script, read_script
from isrcheck.version import __version__


@click.command()
@click.argument("words", nargs=-1, metavar="[SCRIPT] [MODEL ...]")
@click.option("-e", "given", metavar="STEPS", help="The steps themselves, such as 'append; fetch f0'; no SCRIPT then.")
@click.option("-c", "constants", multiple=True, metavar="NAME=VALUE", help="A constant, where a model has it.")
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Look at this one only.")
@limit_options("states", "seconds", "memory", of="a model's runs", states=DEFAULT_STATES)
@click.option("--json", "json_file", metavar="FILE|-", help="Write the report as JSON; - is standard output.")
@click.option("--trace-dir", type=FILE, help="Write the trace of each violation there as JSON; with --on, the run.")
@click.option("--on", "system", metavar="SYSTEM", help="Play it on a real system too, such as kafka-4.1.1.")
def schedule(
    words: tuple[str, ...],
    given: str | None,
    constants: tuple[str, ...],
    properties: tuple[str, ...],
    limits: Limits,
    json_file: str | None,
    trace_dir: Path | None,
    system: str | None,
) -> int:
    """Run one schedule of events under several variants.

    A schedule is what the environment does, step by step (docs/schedules.md). MODEL is a name, or a pattern such as
    'isr-*': of those that it matches, each that knows all steps. Without a MODEL, those that the script expects
    something of, or else every model that knows all of its steps.
    """
    if given is None and not words:
        raise UsageError("there is no script: give a file of steps, or -e 'STEP; STEP'.")
    script = parse_script(given) if given is not None else read_script(Path(words[0]))
    models, named = _models(words if given is not None else words[1:], script)
    chosen = parse_constants(constants)
    if system is not None:
        if not named or len(models) != 1 or properties:
            raise UsageError("--on plays one model's schedule: name one MODEL, and no --property.")
        return _play(system, script, *models.popitem(), {**script.constants, **chosen}, trace_dir, json_file)
    report = run_script(script, models, named=named, constants=chosen, properties=properties, limits=limits)
    files = _save(report, trace_dir) if trace_dir else {}
    show_with_json(report_document(report), report_to_dict(report, __version__, files), json_file)
    return report.exit


def _play(
    system: str,
    script: Script,
    name: str,
    cls: type[Model],
    constants: dict[str, str],
    folder: Path | None,
    json_file: str | None,
) -> int:
    words = ScheduleVocabulary(bind_known(read_model(cls), constants))
    expected = [p for e in script.expectations if e.verdict == "violated" for p in e.properties]
    say = partial(click.echo, err=True)
    played = find_system(system)(system, name, words, words.steps_of(script), expected, folder=folder, say=say)
    show_with_json(played.document(), played.to_dict(__version__), json_file)
    return played.exit


def _models(names: tuple[str, ...], script: Script) -> tuple[dict[str, type[Model]], bool]:
    """The models, and whether each was asked for by name. Raises UsageError."""
    if any(map(is_pattern, names)):
        return {name: find_model(name) for name in match_models(names, "schedule")}, False
    wanted = names or tuple(dict.fromkeys(e.model for e in script.expectations))
    return ({n: find_model(n) for n in wanted}, True) if wanted else (dict(models_by_name()), False)


def _save(report: ScheduleReport, folder: Path) -> dict[tuple[str, str], str]:
    files = {}
    for run in report.runs:
        for decided in run.properties:
            if decided.trace:
                file = trace_file(folder, run.model, decided.name)
                write_aside(file, decided.trace.to_json())
                files[run.model, decided.name] = str(file)
    return files
