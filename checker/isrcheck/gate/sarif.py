"""A verdict as SARIF 2.1.0: what is wrong at lines of the checkout, a rule for each property, traces as code flows."""

from typing import Any
from urllib.parse import quote

from isrcheck.files import as_json
from isrcheck.gate.checkout import checkout_path, is_own_text, library_path
from isrcheck.gate.judge import Finding, GateVerdict, JudgedCell, Status
from isrcheck.gate.places import FindingPlace, place_of_finding, place_of_vacuity, source_of, spec_place
from isrcheck.gate.vacuity import VacuityFinding
from isrcheck.place import Place
from isrcheck.run.trace import Trace, TraceStep, differences
from isrcheck.version import __version__
from isrcheck.wrap import plain

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_VACUOUS = "Something of a model that no whole run of it used: nothing that is said of it is tested."
_NOT_AS_EXPECTED = "A run, or something that was counted in it, is not as the spec expects."
Json = dict[str, Any]


def sarif(verdict: GateVerdict) -> str:
    rules: dict[str, str] = {}
    results = [_result(j, f, rules) for j in verdict.cells for f in j.wrong]
    results += [_vacuous(vacuous, rules) for vacuous in verdict.vacuous]
    known = [{"id": name, "shortDescription": {"text": sentence}} for name, sentence in rules.items()]
    run = {
        "tool": {"driver": {"name": "isrcheck", "version": __version__, "rules": known}},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": verdict.exit in (0, 21, 22), "exitCode": verdict.exit}],
        "results": results,
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
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
        "relatedLocations": related,
        "partialFingerprints": {"isrcheck/v1": plain(f"{cell.name} {finding.what}")},
        "properties": {"status": finding.status.value, "model": cell.model, "constants": cell.constants},
    }
    if finding.trace and finding.status is Status.DIFFERS:
        trace = finding.trace
        steps = [_step(trace, number, step, cell.model) for number, step in enumerate(trace.steps)]
        message = {"text": plain(f"The shortest way: {trace.length - 1} steps.")}
        result["codeFlows"] = [{"message": message, "threadFlows": [{"locations": steps}]}]
    return result


def _vacuous(vacuous: VacuityFinding, rules: dict[str, str]) -> Json:
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


def _step(trace: Trace, number: int, step: TraceStep, model: str) -> Json:
    written = source_of(model, step.action)
    call = step.call if step.action else "initial state"
    before = trace.steps[max(number - 1, 0)].state
    changed = [c for name, value in step.state.items() for c in differences(before[name], value, name)]
    changes = ", ".join(f"{path} {old} → {new}" for path, old, new in changed)
    message = {"text": plain(f"{number}. {call}{': ' if changes else ''}{changes}")}
    location = {**(_location(written.place) if written else {}), "message": message}
    return {"executionOrder": number + 1, "location": location}
