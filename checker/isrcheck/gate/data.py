"""A verdict as plain data, schema `isrcheck.gate/2`; and, in a folder, traces and drawings of what differed."""

import hashlib
import json
from pathlib import Path
from typing import Any

from isrcheck.evidence.forms.table import rendered
from isrcheck.files import file_stem, write_aside
from isrcheck.gate.judge import Finding, GateVerdict, JudgedCell, Status
from isrcheck.gate.places import of_finding
from isrcheck.gate.vacuity import VacuityFinding
from isrcheck.version import __version__

SCHEMA = "isrcheck.gate/2"


def to_json(verdict: GateVerdict) -> str:
    """The verdict as a JSON text; times are seconds. Nothing in it says `passed` but exit 0."""
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
        "cells": [_cell(judged) for judged in verdict.cells],
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _vacuous(vacuous: VacuityFinding) -> dict[str, str]:
    return {name: getattr(vacuous, name) for name in ("model", "kind", "what", "sentence", "written", "place")}


def _cell(judged: JudgedCell) -> dict[str, Any]:
    cell, outcome = judged.cell, judged.outcome
    return {
        "spec": str(cell.terms.spec),
        "line": cell.terms.line,
        "model": cell.model,
        "constants": cell.constants,
        "engine": cell.terms.engine,
        "symmetry": cell.terms.symmetry,
        "status": judged.status.value,
        "seconds": round(judged.seconds, 3),
        "distinct": outcome.distinct if outcome else None,
        "command": outcome.command if outcome else None,
        "findings": [_finding(judged, finding) for finding in judged.findings],
    }


def _finding(judged: JudgedCell, finding: Finding) -> dict[str, Any]:
    found = {name: getattr(finding, name) for name in ("what", "kind", "expected", "found", "exit")}
    place = {} if finding.status is Status.MET else {"place": str(of_finding(judged.cell, finding).place)}
    return {**found, "status": finding.status.value, **place}


def save_what_differed(verdict: GateVerdict, folder: Path) -> None:
    """FOLDER/MODEL-CONSTANTS-PROPERTY.json and its drawings; constants are a hash."""
    for judged in verdict.cells:
        for finding in judged.wrong:
            if finding.trace and finding.status is Status.DIFFERS:
                constants = hashlib.sha256(judged.cell.name.encode()).hexdigest()[:8]
                stem = f"{file_stem(judged.cell.model)}-{constants}-{file_stem(finding.what)}"
                write_aside(folder / f"{stem}.json", finding.trace.to_json())
                for form in ("svg", "txt"):
                    write_aside(folder / f"{stem}.{form}", rendered(finding.trace, form))
