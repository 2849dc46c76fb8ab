"""A verdict as GitLab's code quality report."""

import hashlib
import json

from isrcheck.gate.checkout import checkout_path
from isrcheck.gate.judge import GateVerdict, Status
from isrcheck.gate.places import place_of_finding, place_of_vacuity
from isrcheck.place import Place
from isrcheck.wrap import plain


def code_quality(verdict: GateVerdict) -> str:
    """Return the verdict as a list of issues at lines of the checkout; empty if everything is as expected."""
    issues = []
    for judged in verdict.cells:
        for finding in judged.wrong:
            said = f"{judged.cell.title}: {finding.sentence}. Expected in {judged.cell.terms.place(finding.what)}."
            severity = "critical" if finding.status is Status.ERROR else "major"
            place = place_of_finding(judged.cell, finding).place
            issues.append(_issue(finding.what, said, severity, f"{judged.cell.name} {finding.what}", place))
    for each in verdict.vacuous:
        place = place_of_vacuity(each).place
        issues.append(_issue("vacuous", f"{each.sentence}.", "major", f"{each.model} {each.what} {each.place}", place))
    return json.dumps(issues, indent=1, ensure_ascii=False) + "\n"


def _issue(name: str, said: str, severity: str, ident: str, place: Place) -> dict[str, object]:
    return {
        "description": plain(" ".join(said.split())),
        "check_name": plain(f"isrcheck/{name}"),
        "fingerprint": hashlib.sha256(f"{name} {ident}".encode(errors="replace")).hexdigest(),
        "severity": severity,
        "location": {"path": checkout_path(place.file), "lines": {"begin": max(place.line, 1)}},
    }
