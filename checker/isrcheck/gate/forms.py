"""A verdict as JSON, JUnit, annotations, and SARIF 2.1.0 with traces as code flows."""

import hashlib
import os
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from isrcheck.errors import UsageError
from isrcheck.evidence.forms.row import SceneRow
from isrcheck.evidence.forms.scene import scene
from isrcheck.evidence.forms.table import render_trace
from isrcheck.files import as_json, file_stem, write_aside
from isrcheck.gate.judge import (
    Finding,
    GateVerdict,
    JudgedCell,
    Status,
    VacuityFinding,
    checkout_path,
    is_own_text,
    library_path,
)
from isrcheck.gate.places import FindingPlace, SourceText, place_of_finding, place_of_vacuity, source_of, spec_place
from isrcheck.gate.spec import CONTROLLER
from isrcheck.place import Place
from isrcheck.run.trace import Trace, TraceStep, differences
from isrcheck.version import __version__
from isrcheck.wrap import plain

SCHEMA = "isrcheck.gate/2"
_UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MOST_ANNOTATIONS = 50  # GitHub shows ten


def to_json(verdict: GateVerdict) -> str:
    """Return the verdict as JSON; times are in seconds."""
    data = {
        "schema": SCHEMA,
        "version": __version__,
        "exit": verdict.exit,
        "interrupted": verdict.interrupted,
        "seconds": round(verdict.seconds, 3),
        "workers": verdict.workers,
        "runs": {s.value: verdict.count(s) for s in Status},
        "expectations": {s.value: verdict.expectations[s] for s in Status},
        "vacuous": [_vacuous(vacuous) for vacuous in verdict.vacuous],
        "maybe_vacuous": [_vacuous(vacuous) for vacuous in verdict.maybe_vacuous],
        "vacuous_not_asked": [_vacuous(vacuous) for vacuous in verdict.vacuous_not_asked],
        "cells": [_cell(judged) for judged in verdict.cells],
    }
    return as_json(data)


def _vacuous(vacuous: VacuityFinding) -> dict[str, str]:
    return {name: getattr(vacuous, name) for name in ("model", "kind", "what", "sentence", "written", "place")}


def _cell(judged: JudgedCell) -> dict[str, Any]:
    cell, outcome = judged.cell, judged.outcome
    return {
        "spec": str(cell.terms.spec),
        "line": cell.terms.line,
        "model": cell.model,
        "constants": cell.constants,
        "engine": cell.engine,
        "symmetry": cell.terms.symmetry,
        **{name: value for name in CONTROLLER if (value := getattr(cell.terms, name))},
        **({"fairness": list(cell.terms.fairness)} if cell.terms.fairness else {}),
        "status": judged.status.value,
        "seconds": round(judged.seconds, 3),
        "distinct": outcome.distinct if outcome else None,
        "command": outcome.command if outcome else None,
        "findings": [_finding_facts(judged, finding) for finding in judged.findings],
    }


def _finding_facts(judged: JudgedCell, finding: Finding) -> dict[str, Any]:
    place = {} if finding.status is Status.MET else {"place": str(place_of_finding(judged.cell, finding).place)}
    return {
        "what": finding.what,
        "kind": finding.kind,
        "expected": finding.expected,
        "found": finding.actual,
        "exit": finding.exit,
        "status": finding.status.value,
        **place,
    }


def save_what_differed(verdict: GateVerdict, folder: Path) -> None:
    """Write the trace of each finding that differs to MODEL-HASH-PROPERTY, as JSON and as drawings."""
    for judged in verdict.cells:
        for finding in judged.wrong:
            if finding.trace and finding.status is Status.DIFFERS:
                cell = judged.cell
                constants = hashlib.sha256(cell.name.encode()).hexdigest()[:8]
                stem = f"{file_stem(cell.model)}-{constants}-{file_stem(finding.what)}"
                write_aside(folder / f"{stem}.json", finding.trace.to_json())
                for form in ("svg", "txt"):
                    write_aside(folder / f"{stem}.{form}", render_trace(finding.trace, form))


def junit(verdict: GateVerdict) -> str:
    """Return the verdict as JUnit XML. An undetermined property is an error: a skipped test would be shown green."""
    root = Element("testsuites", name="isrcheck gate", time=f"{verdict.seconds:.3f}")
    for spec, judged in groupby(verdict.cells, lambda j: str(j.cell.terms.spec)):
        _suite(root, spec, list(judged))
    if verdict.vacuous:
        suite = SubElement(root, "testsuite", name="vacuity")
        for each in verdict.vacuous:
            test = SubElement(suite, "testcase", name=_clean(each.what), classname=_clean(each.model))
            SubElement(test, "failure", message=_clean(each.sentence), type="vacuous")
    if verdict.interrupted:
        suite = SubElement(root, "testsuite", name="gate")
        SubElement(SubElement(suite, "testcase", name="whole", classname="gate"), "error", message="interrupted")
    for element in root.iter("testsuite"):
        _count(element)
    _count(root)
    indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _suite(root: Element, spec: str, judged: list[JudgedCell]) -> None:
    suite = SubElement(root, "testsuite", name=_clean(spec), time=f"{sum(j.seconds for j in judged):.3f}")
    for cell in judged:
        share = f"{cell.seconds / len(cell.findings):.3f}"
        for finding in cell.findings:
            name = _clean(finding.what)
            group = _clean(cell.cell.title)
            test = SubElement(suite, "testcase", name=name, classname=group, time=share)
            if finding.status is not Status.MET:
                kind = "failure" if finding.status is Status.DIFFERS else "error"
                said = _clean(finding.sentence)
                status = finding.status.value
                element = SubElement(test, kind, message=said, type=status)
                element.text = _clean("\n".join(_about(cell, finding)))


def _about(cell: JudgedCell, finding: Finding) -> Iterator[str]:
    located = place_of_finding(cell.cell, finding)
    yield f"{located.place}  {located.sentence}".rstrip()
    if located.definition:
        yield f"defined in {library_path(located.definition.place.file)}:{located.definition.place.line}"
    yield f"expected in {cell.cell.terms.place(finding.what)}"
    if cell.outcome:
        yield cell.outcome.command
    if finding.trace:
        yield render_trace(finding.trace, "txt")


def _count(element: Element) -> None:
    tests = list(element.iter("testcase"))
    element.set("tests", str(len(tests)))
    for name, kind in (("failures", "failure"), ("errors", "error")):
        element.set(name, str(sum(test.find(kind) is not None for test in tests)))


def _clean(content: str) -> str:
    return "\n".join(map(plain, _UNWRITABLE.sub("\ufffd", content).split("\n")))


def is_github() -> bool:
    return os.environ.get("GITHUB_ACTIONS") == "true"


def annotations(verdict: GateVerdict) -> Iterator[str]:
    commands = list(_all(verdict))
    yield from commands[:_MOST_ANNOTATIONS]
    if len(commands) > _MOST_ANNOTATIONS:
        yield f"::error title=isrcheck gate::and {len(commands) - _MOST_ANNOTATIONS} more, in the summary"


def _all(verdict: GateVerdict) -> Iterator[str]:
    for judged in verdict.cells:
        for finding in judged.wrong:
            said = f"{judged.cell.title}: {finding.sentence}. Expected in {judged.cell.terms.place(finding.what)}."
            place = place_of_finding(judged.cell, finding).place
            yield _command(place, f"isrcheck: {finding.what} {finding.status.value}", said, _level(finding))
    for vacuous in verdict.vacuous:
        place = place_of_vacuity(vacuous).place
        yield _command(place, f"isrcheck: vacuous {vacuous.kind}", f"{vacuous.sentence}.")
    if verdict.interrupted:
        yield "::error title=isrcheck gate::interrupted: what is missing is not known"


def _level(finding: Finding) -> str:
    """Return the level of a finding for SARIF and GitHub: that a spec is out of date is a warning."""
    return "warning" if finding.is_improvement else "error"


def _command(place: Place, title: str, message: str, level: str = "error") -> str:
    where = f"file={_property(checkout_path(place.file))},line={max(place.line, 1)},col={place.column + 1}"
    return f"::{level} {where},title={_property(title)}::{_data(message)}"


def _data(message: str) -> str:
    return plain(message.replace("\n", " ")).replace("%", "%25")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")


def write_summary(markdown: str) -> None:
    """The summary of a job on GitHub. Raises UsageError."""
    file = os.environ.get("GITHUB_STEP_SUMMARY")
    if not file:
        return
    try:
        with Path(file).open("a", encoding="utf-8") as stream:
            stream.write(markdown)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror or error}.") from None


SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_VACUOUS = "Something of a model that no whole run of it used: nothing that is said of it is tested."
_NOT_AS_EXPECTED = "A run, or something that was counted in it, is not as the spec expects."
Json = dict[str, Any]


def sarif(verdict: GateVerdict) -> str:
    rules: dict[str, str] = {}
    results = [_result(j, f, rules) for j in verdict.cells for f in j.wrong]
    results += [_sarif_of_vacuous(vacuous, rules) for vacuous in verdict.vacuous]
    known = [{"id": name, "shortDescription": {"text": sentence}} for name, sentence in rules.items()]
    run = {
        "tool": {"driver": {"name": "isrcheck", "version": __version__, "rules": known}},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": verdict.exit in (0, 21, 22), "exitCode": verdict.exit}],
        "results": results,
    }
    log = {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}
    return as_json(log)


def _result(judged: JudgedCell, finding: Finding, rules: dict[str, str]) -> Json:
    cell, located = judged.cell, place_of_finding(judged.cell, finding)
    if finding.kind == "property":
        rule = _rule(finding.what, located.sentence or f"The property {finding.what}.", rules)
    else:
        rule = _rule(f"gate/{finding.kind}", _NOT_AS_EXPECTED, rules)
    said = f"{cell.title}: {finding.sentence}. Expected in {cell.terms.place(finding.what)}."
    expected = {"id": 1, "message": {"text": plain(f"expected: {finding.expected}")}}
    related = [{**_location(spec_place(cell, finding)), **expected}, *_definition(located, 2)]
    result = {
        **_at(rule, rules, said, located.place),
        "level": _level(finding),
        "relatedLocations": related,
        "partialFingerprints": {"isrcheck/v1": plain(f"{cell.name} {finding.what}")},
        "properties": {"status": finding.status.value, "model": cell.model, "constants": cell.constants},
    }
    if finding.trace and finding.status is Status.DIFFERS:
        trace = finding.trace
        rows = scene(trace).rows
        steps = [_step(trace, row, step, cell.model) for row, step in zip(rows, trace.steps, strict=True)]
        message = {"text": plain(f"The shortest way: {trace.length - 1} steps.")}
        result["codeFlows"] = [{"message": message, "threadFlows": [{"locations": steps}]}]
    return result


def _sarif_of_vacuous(vacuous: VacuityFinding, rules: dict[str, str]) -> Json:
    rule = _rule("gate/vacuity", _VACUOUS, rules)
    fingerprint = plain(f"{vacuous.model} vacuous {vacuous.what} {vacuous.place}")
    located = place_of_vacuity(vacuous)
    related = {"relatedLocations": _definition(located, 1)} if located.definition else {}
    result = _at(rule, rules, f"{vacuous.sentence}.", located.place)
    return {**result, **related, "partialFingerprints": {"isrcheck/v1": fingerprint}}


def _definition(located: FindingPlace, ident: int) -> list[Json]:
    """Return where a library defines what a finding names; empty where the finding's own place is that."""
    if located.definition is None:
        return []
    message = {"text": plain(f"defined here: {located.definition.sentence}".removesuffix(": "))}
    return [{**_location(located.definition.place), "id": ident, "message": message}]


def _rule(name: str, sentence: str, rules: dict[str, str]) -> str:
    """The rule's id: a property's name, with a number where another is called the same."""
    ident, number = plain(name), 1
    while rules.setdefault(ident, plain(sentence)) != plain(sentence):
        number += 1
        ident = f"{plain(name)}-{number}"
    return ident


def _at(rule: str, rules: dict[str, str], sentence: str, place: Place) -> Json:
    return {
        "ruleId": rule,
        "ruleIndex": list(rules).index(rule),
        "level": "error",
        "message": {"text": plain(sentence)},
        "locations": [_location(place)],
    }


def _location(place: Place) -> Json:
    region: Json = {"startLine": max(place.line, 1)}
    if place.line and place.end_column > place.column:
        region |= {"startColumn": place.column + 1, "endColumn": place.end_column + 1}
    return {"physicalLocation": {"artifactLocation": _artifact(place.file), "region": region}}


def _artifact(file: str) -> Json:
    """Return a file of the checkout by its path there; one of a library by its path below LIBRARY."""
    if is_own_text(file) or file.endswith(".toml"):
        return {"uri": quote(checkout_path(file))}
    return {"uri": quote(library_path(file)), "uriBaseId": "LIBRARY"}


def _step(trace: Trace, row: SceneRow, step: TraceStep, model: str) -> Json:
    number, written = row.number, source_of(model, step.action)
    if row.story:
        said = "; ".join((row.story, *(mark.signed for mark in row.marks)))
        return _flow_step(number, said, written)
    call = step.call if step.action else "initial state"
    before = trace.steps[max(number - 1, 0)].state
    changed = [c for name, value in step.state.items() for c in differences(before[name], value, name)]
    changes = ", ".join(f"{path} {old} → {new}" for path, old, new in changed)
    return _flow_step(number, f"{call}{': ' if changes else ''}{changes}", written)


def _flow_step(number: int, said: str, written: SourceText | None) -> Json:
    message = {"text": plain(f"{number}. {said}")}
    location = {**(_location(written.place) if written else {}), "message": message}
    return {"executionOrder": number + 1, "location": location}
