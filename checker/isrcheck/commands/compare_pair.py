"""isrcheck compare A B: two variants side by side, under one schedule of the environment's steps."""

from pathlib import Path

from isrcheck.budget import phase
from isrcheck.commands.deliver import hand_over, show_document
from isrcheck.commands.options import console
from isrcheck.engines.contract import Limits
from isrcheck.evidence.document import Document
from isrcheck.evidence.progress import ProgressLine
from isrcheck.files import write_aside
from isrcheck.run.trace import read_trace, shown
from isrcheck.schedule.compare import (
    DistinguishingOptions,
    compare_trace,
    distinguish,
    distinguished_document,
    variants_of,
)
from isrcheck.schedule.pair import Pair, pair_document, picture

FORMS = ("txt", "md", "svg", "html")


def traced(trace_file: Path, models: tuple[str, str], limits: Limits, form: str, output: Path | None) -> int:
    """Shows a counterexample of the first model, run under the second as well; 20 if that was cut short."""
    trace = read_trace(trace_file)
    constants = {name: shown(value) for name, value in trace.constants.items()}
    phase("reading the models")
    first, second = variants_of(models, constants)
    phase("running the trace")
    pair = compare_trace(trace, first, second, limits)
    _show(pair, pair_document(pair, is_drawn=form == "html"), form, output)
    return 20 if pair.left.run.cut or pair.right.run.cut else 0


def distinguished(
    models: tuple[str, str],
    constants: dict[str, str],
    options: DistinguishingOptions,
    form: str,
    output: Path | None,
    script: Path | None,
) -> int:
    """Shows the shortest schedule that distinguishes two models; 20 if the search for one was cut short."""
    phase("reading the models")
    first, second = variants_of(models, constants)
    phase("looking for a schedule")
    with ProgressLine(console(stderr=True)) as progress:
        found = distinguish(first, second, options, progress)
    if script and found.script is not None:
        write_aside(script, found.script)
    names = f"{first.name} and {second.name}"
    document = distinguished_document(found, options.name, names, is_drawn=form == "html")
    if found.pair is None:
        show_document(document, "txt", None)
        return 20 if found.distinction.cut else 0
    _show(found.pair, document, form, output)
    return 0


def _show(pair: Pair, document: Document, form: str, output: Path | None) -> None:
    if form == "svg":
        hand_over(picture(pair), form, output)
    else:
        show_document(document, form, output)
