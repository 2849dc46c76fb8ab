"""The changes between two releases: the steps on which their controllers differ."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from isrbrokers.classes.harness import Harness
from isrbrokers.classes.judge import (
    Difference,
    Say,
    Tally,
    as_json,
    ask,
    cut_by_limit,
    in_batches,
    settings,
)
from isrbrokers.classes.steps import (
    ACTION_OF,
    Answer,
    ControllerSteps,
    Outcome,
    Question,
    Setting,
    methods_called,
    switches,
)
from isrcheck import UsageError
from isrcheck.ir.model import Method
from isrcheck.ir.nodes import ReadField, ReadVariable, walk
from isrcheck.plugin import ModelIR, find_model, poll, read_model
from isrmodel.kraft import find_release_model


@dataclass(frozen=True)
class Change:
    """The steps in which the classes of two releases differ; `ours` of a difference are those of the first."""

    first: str
    second: str
    models: tuple[str, str]
    tally: Tally
    registering: str  # the method that is called when a broker registers
    properties: tuple[str, ...]  # those whose text reads what differs
    constants: tuple[str, ...]  # of the controller, in which the models of the two releases differ

    def as_json(self) -> dict[str, Any]:
        """The change, as it stands in `isrcheck.code/1`; of a difference `model` is the first release."""
        listed = {"properties": [*self.properties], "constants": [*self.constants]}
        counted = {**as_json(self.tally), "verdict": None}
        return {"changes": [self.first, self.second], "models": [*self.models], **counted, **listed}


def changes_between(first: Harness, second: Harness, given: Mapping[str, str], say: Say) -> Change:
    """Ask two releases about every step that the model of either has. Raises UsageError."""
    names = [find_release_model(str(each.classes.release)) for each in (first, second)]
    irs = [read_model(find_model(name)) for name in names if name is not None]
    if len(irs) != 2:
        raise UsageError("there is no model of so early a release: the first is of 2.7.")
    tally, differing = Tally(), set[frozenset[str]]()
    elr = all("elr" in each.abilities for each in (first, second))
    for setting in settings(given, elr=elr):
        known: set[str] = set()
        with cut_by_limit(tally, f"in the setting {setting}"):
            for ir in irs[: 1 + (irs[0].cls is not irs[1].cls)]:
                steps = ControllerSteps(ir, setting, given)
                for questions in in_batches(steps.questions()):
                    new = [each for each in questions if each.line not in known]
                    known |= {each.line for each in new}
                    differing |= _compare_two(first, second, setting, steps, new, tally)
                    say(f"{setting}: {tally.steps.total():,} steps asked, {tally.differing.total():,} differ")
                    poll()
        if tally.cut:
            break
    return _change(first, second, irs, tally, differing)


def _compare_two(
    first: Harness, second: Harness, setting: Setting, steps: ControllerSteps, new: list[Question], tally: Tally
) -> set[frozenset[str]]:
    """Count what differs, and return of each difference the fields of the record in which it does."""
    fields: set[frozenset[str]] = set()
    able = [q for q in new if q.event != "report" or all("reports" in h.abilities for h in (first, second))]
    tally.unasked["report_dir"] += len(new) - len(able)
    of_second = {q.line: (calls, answers) for q, calls, answers in ask(second, setting, able, Tally())}
    for question, calls, ours in ask(first, setting, able, tally):
        if question.line not in of_second:
            tally.unasked[ACTION_OF[question.event]] += 1
            continue
        more_calls, theirs = of_second[question.line]
        tally.calls += calls + more_calls
        tally.steps[ACTION_OF[question.event]] += 1
        if ours != theirs:
            tally.note(Difference(setting, question, steps.distance[question.at], ours, theirs))
            fields.add(fields_that_differ(ours, theirs))
    return fields


def fields_that_differ(ours: frozenset[Answer], theirs: frozenset[Answer]) -> frozenset[str]:
    """The fields of a record whose values differ between two sets of answers."""
    sides = [[each for each in side if isinstance(each, Outcome)] for side in (ours, theirs)]
    return frozenset(
        name for name in Outcome._fields if len({frozenset(getattr(each, name) for each in side) for side in sides}) > 1
    )


def _change(
    first: Harness, second: Harness, irs: Sequence[ModelIR], tally: Tally, differing: set[frozenset[str]]
) -> Change:
    # The cause is where least differs: an ELR that is not the same makes other leaders only later.
    least = [fields for fields in differing if not any(fewer < fields for fewer in differing)]
    defaults = [{each.name: each.default for each in ir.constants} for ir in irs]
    return Change(
        first=str(first.classes.release),
        second=str(second.classes.release),
        models=(
            str(find_release_model(str(first.classes.release))),
            str(find_release_model(str(second.classes.release))),
        ),
        tally=tally,
        registering=second.registering,
        properties=tuple(properties_that_read(irs[1], frozenset[str]().union(*least))),
        constants=tuple(name for name in switches(irs[1]) if defaults[0].get(name) != defaults[1][name]),
    )


def properties_that_read(ir: ModelIR, fields: Iterable[str]) -> list[str]:
    """The properties whose own text, or what it calls, reads one of these fields of the record."""
    wanted = set(fields)
    names = {"epoch" if each == "epochs" else each for each in wanted}
    variables = {"changes"} if wanted & {"assigned", "adding", "removing"} else set()
    return [each.name for each in ir.properties if _reads(methods_called(ir, [each.name]), names, variables)]


def _reads(methods: Iterable[Method], fields: set[str], variables: set[str]) -> bool:
    nodes = (node for method in methods for node in walk(method.body))
    return any(
        (isinstance(node, ReadField) and node.name in fields)
        or (isinstance(node, ReadVariable) and node.name in variables)
        for node in nodes
    )
