"""isrcheck code."""

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import click

from isrbrokers.classes.broker_document import document_of_brokers
from isrbrokers.classes.broker_judge import BrokerTally, compare_brokers
from isrbrokers.classes.broker_steps import broker_settings
from isrbrokers.classes.changes import Change, changes_between
from isrbrokers.classes.harness import BROKER, CONTROLLER, Classes, Harness, parse_classes
from isrbrokers.classes.judge import (
    AGREES,
    DIFFERS,
    EXITS,
    UNDETERMINED,
    Cut,
    Difference,
    Switch,
    Tally,
    as_json,
    compare,
    cut_by_limit,
    fit,
    settings,
)
from isrbrokers.classes.steps import ACTION_OF, DECIDED_BY, refuse_other_models
from isrbrokers.classes.words import describe, describe_answers, describe_record
from isrcheck import Limits, UsageError
from isrcheck.extras import need
from isrcheck.plugin import (
    FILE,
    Block,
    Column,
    Document,
    Heading,
    ModelIR,
    Paragraph,
    Piece,
    ProgressLine,
    SectionedCommand,
    Table,
    bad,
    budget,
    console,
    find_model,
    good,
    hand_over,
    limit_options,
    parse_constants,
    quantity,
    read_model,
    replace,
    show,
    show_document,
    unsure,
)

SCHEMA = "isrcheck.code/1"


@click.command(
    cls=SectionedCommand,
    headings={
        "Whose classes": "--release --jars --changes",
        "What to ask": "--role -c --quick --switches",
        "Limits": "--max-seconds",
        "Output": "--json",
    },
)
@click.argument("model", required=False)
@click.option("--release", metavar="RELEASE", help="The jars of this release, such as 4.4.0, by Maven.")
@click.option("--jars", type=FILE, metavar="DIR", help="Those of a build; with --release they come first.")
@click.option("--changes", nargs=2, metavar="A B", help="Two releases instead of a model and one.")
@click.option(
    "--role", type=click.Choice([CONTROLLER.name, BROKER.name]), help="Only the controller's part, or the brokers'."
)
@click.option("-c", "constants", multiple=True, metavar="NAME=VALUE", help="Set a constant; others take every value.")
@click.option("--quick", is_flag=True, help="Ask about fewer settings.")
@click.option("--switches", is_flag=True, help="Flip each constant of the controller, too: which value fits?")
@limit_options("seconds")
@click.option("--json", "json_file", metavar="FILE|-", help="Write the verdict as JSON; - is standard output.")
def code(
    model: str | None,
    release: str | None,
    jars: Path | None,
    changes: tuple[str, str] | None,
    role: str | None,
    constants: tuple[str, ...],
    quick: bool,
    switches: bool,
    limits: Limits,
    json_file: str | None,
) -> int:
    """Compare a model with Kafka's own classes.

    Both are asked about every step of MODEL's controller, and of its brokers in graphs that are explored completely, at
    two and three replicas (docs/conform.md). Needs Java 17 and Maven.
    """
    given = parse_constants(constants)
    if changes is not None:
        if model is not None or release is not None or jars is not None or switches or quick:
            raise UsageError(
                "--changes A B compares two releases: leave out MODEL, --release, --jars, --quick and --switches."
            )
        return _show_change(changes, given, limits, json_file)
    if model is None:
        raise UsageError("which model? Write isrcheck code kraft-4.3 --release 4.4.0, or --changes A B.")
    classes = parse_classes(release, jars)
    ir = read_model(find_model(model))
    refuse_other_models(model, ir)
    if role == BROKER.name:
        classes.refuse_without(BROKER)
    if role != CONTROLLER.name and classes.offers(BROKER):
        need("numpy")
    asked = _Asked(model, ir, classes, given, quick)
    with budget(limits.seconds):
        if role != BROKER.name:
            asked.ask_controller(switches)
        if role != CONTROLLER.name and classes.offers(BROKER):
            asked.ask_brokers()
    if json_file != "-":
        show_document(asked.document())
    if json_file:
        _write(asked.as_json(), json_file)
    return EXITS[asked.verdict]


def _show_change(names: tuple[str, str], given: dict[str, str], limits: Limits, json_file: str | None) -> int:
    """Compare the classes of two releases: 0 whether they differ or not, 20 if not all was asked."""
    sides = [parse_classes(name, None) for name in names]
    with ExitStack() as stack:
        stack.enter_context(budget(limits.seconds))
        progress = stack.enter_context(ProgressLine(console(stderr=True), None))
        first, second = (stack.enter_context(Harness(each)) for each in sides)
        change = changes_between(first, second, given, progress.say)
    if json_file != "-":
        show_document(document_of_change(change))
    if json_file:
        _write({"schema": SCHEMA, **change.as_json()}, json_file)
    return EXITS[UNDETERMINED] if change.tally.cut else 0


def _write(facts: dict[str, Any], json_file: str) -> None:
    hand_over(json.dumps(facts, indent=2) + "\n", None if json_file == "-" else Path(json_file))


@contextmanager
def _progress(tally: Cut) -> Iterator[ProgressLine]:
    """A line of progress, while Java is started; it ends with the run's time."""
    with cut_by_limit(tally, "before the classes were there"), ProgressLine(console(stderr=True), None) as progress:
        yield progress


class _Asked:
    """A model and the classes, and what came of asking both."""

    def __init__(self, model: str, ir: ModelIR, classes: Classes, given: dict[str, str], quick: bool) -> None:
        self._quick = quick
        self._model, self._ir, self._classes, self._given = model, ir, classes, given
        self._controller: Tally | None = None
        self._brokers: BrokerTally | None = None
        self._fits: list[Switch] = []
        self._version = self._registering = ""
        self._began = time.monotonic()

    def ask_controller(self, switches: bool) -> None:
        """Ask about the controller, and about its switches. Raises UsageError."""
        given, ir = self._given, self._ir
        self._controller = Tally()
        with _progress(self._controller) as progress, Harness(self._classes) as harness:
            elr = "elr" in harness.abilities and any(each.name == "elr" and each.default for each in ir.constants)
            asked = settings(given, elr=elr or given.get("elr") == "true", quick=self._quick)
            if not asked:
                raise UsageError(
                    "the constants given leave no partition to ask about: replicas is 2 or 3, min_isr at most that."
                )
            self._controller = compare(ir, asked, given, harness, progress.say)
            if switches and not self._controller.cut:
                self._fits = fit(ir, given, harness, progress.say)
            self._version, self._registering = harness.version, harness.registering

    def ask_brokers(self) -> None:
        """Ask about the brokers. Raises UsageError."""
        classes = replace(self._classes, role=BROKER)
        asked = broker_settings(self._given, quick=self._quick)
        if not asked:
            raise UsageError("the constants given leave no partition to walk: replicas is 2 or 3, min_isr 1 or 2.")
        self._brokers = BrokerTally()
        with _progress(self._brokers) as progress, Harness(classes) as harness:
            self._brokers = compare_brokers(self._ir, asked, harness, progress.say)

    @property
    def verdict(self) -> str:
        """The worse of both verdicts."""
        verdicts = {each.verdict for each in (self._controller, self._brokers) if each is not None}
        return next(each for each in (DIFFERS, UNDETERMINED, AGREES) if each in verdicts)

    def not_asked(self) -> list[str]:
        """The actions of the model that no class was asked about."""
        asked = Counter[str]()
        for tally in (self._controller, self._brokers):
            asked += Counter() if tally is None else tally.steps + tally.differing
        return [action.name for action in self._ir.actions if not asked[action.name]]

    def as_json(self) -> dict[str, Any]:
        """The answer, as it stands in `isrcheck.code/1`: the controller's beside the brokers'."""
        about = {"schema": SCHEMA, "model": self._model, "classes": str(self._classes), "quick": self._quick}
        brokers = None if self._brokers is None else self._brokers.as_json()
        more = {"constants": self._given, "not_asked": self.not_asked(), "switches": [e._asdict() for e in self._fits]}
        seconds = round(time.monotonic() - self._began, 1)
        verdict = {"metadata_version": self._version, "verdict": self.verdict, "brokers": brokers}
        return {**about, **as_json(self._controller or Tally()), **verdict, **more, "seconds": seconds}

    def document(self) -> Iterator[Block]:
        """The verdicts, what was asked, the least differences, and what was not asked."""
        seconds = time.monotonic() - self._began
        if self._controller is not None:
            tally = self._controller
            title = f"{self._model} and the controller of {self._classes} (metadata version {self._version})"
            yield Heading(title, 1)
            yield Paragraph(_verdict(tally, seconds))
            yield _table(tally, self._registering)
            for difference in tally.examples():
                yield from _example(difference, self._model, "Kafka", self._registering)
            yield Paragraph(*_remarks(tally))
            yield from document_of_switches(self._fits)
        if self._brokers is not None:
            yield from document_of_brokers(self._brokers, self._model, str(self._classes))
        others = self.not_asked()
        if others:
            yield Paragraph(f"No class was asked about {quantity(len(others), 'action')}: {', '.join(others)}.")
        if self._quick:
            yield Paragraph("Fewer settings were asked about (--quick).")


# What people read.

_TONES = {AGREES: good, DIFFERS: bad, UNDETERMINED: unsure}


def _verdict(tally: Tally, seconds: float) -> tuple[str | Piece, ...]:
    steps, calls = quantity(tally.steps.total(), "step"), quantity(tally.calls, "call")
    asked = f"{steps} of the controller that were asked, {calls} of Kafka's classes, {seconds:.0f} s"
    piece = _TONES[tally.verdict](tally.verdict.capitalize())
    if tally.verdict == DIFFERS:
        return piece, f" in {tally.differing.total():,} of {asked}."
    if tally.verdict == UNDETERMINED:
        return piece, f": {tally.cut}; the same in {asked}."
    if tally.wider:
        wider = f"in {tally.wider:,} of them the model allows what Kafka does, and more"
        return piece, f" in all {asked}; {wider}."
    return piece, f" in all {asked}."


def _table(tally: Tally, registering: str) -> Table:
    rows = [
        (action, _method(action, registering), f"{tally.steps[action]:,}", f"{tally.differing[action]:,}")
        for action in DECIDED_BY
        if tally.steps[action]
    ]
    numbers = [Column(title, is_number=True) for title in ("steps", "differ")]
    return Table(["action", "decided by", *numbers], rows)


def _method(action: str, registering: str) -> str:
    return DECIDED_BY[action].format(registering=registering or "(nothing)")


def _example(difference: Difference, ours: str, theirs: str, registering: str) -> Iterator[Block]:
    question = difference.question
    action = ACTION_OF[question.event]
    yield Heading(f"{action}: the least of {quantity(difference.count, 'difference')}")
    names = {ours: difference.ours, theirs: difference.theirs}
    wide = max(map(len, names))
    yield Paragraph(
        f"{difference.setting}; {quantity(difference.distance, 'step')} after the first record.",
        f"On record: {describe_record(question.at)}.",
        f"What happens: {describe(question)}.",
        *(f"{name.ljust(wide)}: {describe_answers(answers)}" for name, answers in names.items()),
        f"Decided by {_method(action, registering)} and PartitionChangeBuilder.",
    )


def _remarks(tally: Tally) -> list[str]:
    remarks = []
    if tally.wider:
        remarks.append(
            f"In {quantity(tally.wider, 'step')} the model may also elect who is being removed, whom Kafka puts last."
        )
    remarks += [
        f"Of {name}, {quantity(number, 'step')} of the model cannot be asked of these classes."
        for name, number in sorted(tally.unasked.items())
        if number
    ]
    return remarks + ([f"Not all was asked: {tally.cut}."] if tally.cut and tally.differing else [])


def document_of_switches(fits: Sequence[Switch]) -> Document:
    """A table of the constants that were flipped."""
    if fits:
        rows = [
            (each.name, show(each.value), _yes_or_no(each.agrees), _yes_or_no(each.agrees_otherwise)) for each in fits
        ]
        yield Heading("Constants of the controller, each flipped alone")
        yield Table(["constant", "value", "the model agrees", "with the other value"], rows)


def _yes_or_no(agrees: bool | None) -> str:
    return "not asked to the end" if agrees is None else "yes" if agrees else "no"


def document_of_change(change: Change) -> Document:
    """The decisions in which the controllers of two releases differ."""
    tally = change.tally
    yield Heading(f"The controllers of Kafka {change.first} and {change.second}", 1)
    counted = f"{quantity(tally.steps.total(), 'step')} of {' and '.join(dict.fromkeys(change.models))}"
    yield Paragraph(
        f"{tally.differing.total():,} of {counted} differ ({quantity(tally.calls, 'call')}).",
        *_remarks(tally),
    )
    for difference in tally.examples():
        yield from _example(difference, change.first, change.second, change.registering)
    if change.constants:
        yield Paragraph(f"The models of the two differ in {', '.join(change.constants)}.")
    if change.properties:
        yield Paragraph(
            f"Properties that read what differs: {', '.join(change.properties)}.",
            "Others may depend on it by later steps.",
        )
