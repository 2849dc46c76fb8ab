"""A verdict as SARIF 2.1.0: what is wrong at the model's own lines, a rule for each property, traces as code flows."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from isrcheck.gate.judge import Finding, GateVerdict, JudgedCell, Status
from isrcheck.gate.places import ModelIndex, SourceText, in_spec, index, of_finding, of_vacuity, relative
from isrcheck.gate.vacuity import VacuityFinding
from isrcheck.place import Place
from isrcheck.run.trace import Trace, TraceStep, differences, shown
from isrcheck.version import __version__
from isrcheck.wrap import plain

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
Json = dict[str, Any]


def sarif(verdict: GateVerdict) -> str:
    """The whole document."""
    return json.dumps(_log(verdict), indent=1, ensure_ascii=False) + "\n"


def _log(verdict: GateVerdict) -> Json:
    rules: dict[str, Json] = {}
    results = [_result(j, f, rules) for j in verdict.cells for f in j.wrong]
    results += [_vacuous(vacuous, rules) for vacuous in verdict.vacuous]
    driver = {
        "name": "isrcheck",
        "version": __version__,
        "rules": list(rules.values()),
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": verdict.exit in (0, 21, 22), "exitCode": verdict.exit}],
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(judged: JudgedCell, finding: Finding, rules: dict[str, Json]) -> Json:
    cell = judged.cell
    written = of_finding(cell, finding)
    rule = _rule(finding.what if finding.kind == "property" else f"gate/{finding.kind}", written, finding, rules)
    said = f"{cell.title}: {finding.sentence}. Expected in {cell.origin}."
    result = _at(rule, list(rules).index(rule), said, written.place)
    result["relatedLocations"] = [
        {**_location(in_spec(cell, finding)), "id": 1, "message": {"text": f"expected: {plain(finding.expected)}"}}
    ]
    result["partialFingerprints"] = {"isrcheck/v1": plain(f"{cell.name} {finding.what}")}
    result["properties"] = {"status": finding.status.value, "model": cell.model, "constants": cell.constants}
    if finding.trace and finding.status is Status.DIFFERS:
        result["codeFlows"] = [_flow(finding.trace, index(cell.model))]
    return result


def _vacuous(vacuous: VacuityFinding, rules: dict[str, Json]) -> Json:
    written = of_vacuity(vacuous)
    text = "Something of a model that no whole run of it used: nothing that is said of it is tested."
    rules.setdefault("gate/vacuity", {"id": "gate/vacuity", "shortDescription": {"text": text}})
    result = _at("gate/vacuity", list(rules).index("gate/vacuity"), f"{vacuous.sentence}.", written.place)
    result["partialFingerprints"] = {"isrcheck/v1": plain(f"{vacuous.model} vacuous {vacuous.what} {vacuous.place}")}
    return result


def _at(rule: str, number: int, text: str, place: Place) -> Json:
    return {
        "ruleId": rule,
        "ruleIndex": number,
        "level": "error",
        "message": {"text": plain(text)},
        "locations": [_location(place)],
    }


def _rule(name: str, written: SourceText, finding: Finding, rules: dict[str, Json]) -> str:
    """The rule's id: a property's name, with a number after it where another property is called the same."""
    if finding.kind != "property":
        sentence = "A run, or something that was counted in it, is not as the spec expects."
    else:
        sentence = written.sentence or f"The property {name}."
    ident, number = plain(name), 1
    while ident in rules and rules[ident]["shortDescription"]["text"] != plain(sentence):
        number += 1
        ident = f"{plain(name)}-{number}"
    rules.setdefault(ident, {"id": ident, "shortDescription": {"text": plain(sentence)}})
    return ident


def _location(place: Place) -> Json:
    region: Json = {"startLine": max(place.line, 1)}
    if place.line and place.end_column > place.column:
        region |= {"startColumn": place.column + 1, "endColumn": place.end_column + 1}
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(place.file)}, "region": region}}


def _uri(file: str) -> str:
    path = relative(file)
    return f"file://{quote(path)}" if path.startswith("/") else quote(path)


# A trace as a code flow


def _flow(trace: Trace, known: ModelIndex | None) -> Json:
    steps = [_step(trace, number, step, known) for number, step in enumerate(trace.steps)]
    return {
        "message": {"text": plain(f"The shortest way: {trace.length - 1} steps.")},
        "threadFlows": [{"locations": steps}],
    }


def _step(trace: Trace, number: int, step: TraceStep, known: ModelIndex | None) -> Json:
    written = known and (known.actions.get(step.action) or known.model)
    message = {"text": plain(f"{number}. {_call(step)}{''.join(_changes(trace, number))}")}
    location: Json = {**(_location(written.place) if written else {}), "message": message}
    return {"executionOrder": number + 1, "location": location}


def _call(step: TraceStep) -> str:
    if not step.action:
        return "initial state"
    return f"{step.action}({', '.join(f'{n}={shown(v)}' for n, v in step.arguments.items())})"


def _changes(trace: Trace, number: int) -> Iterator[str]:
    if not number:
        return
    before, after = trace.steps[number - 1].state, trace.steps[number].state
    found = [c for name in after for c in differences(before[name], after[name], name)]
    mark = ": "
    for path, old, new in found:
        yield f"{mark}{path} {old} → {new}"
        mark = ", "
