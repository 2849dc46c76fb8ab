"""A verdict as plain data, schema `isrcheck.gate/2`."""

import json
from typing import Any

from isrcheck.gate.judge import Finding, GateVerdict, JudgedCell, Status
from isrcheck.gate.places import of_finding
from isrcheck.gate.vacuity import VacuityFinding
from isrcheck.version import __version__

SCHEMA = "isrcheck.gate/2"


def to_json(verdict: GateVerdict) -> str:
    """The verdict as a JSON text."""
    return json.dumps(to_dict(verdict), indent=1, ensure_ascii=False) + "\n"


def to_dict(verdict: GateVerdict) -> dict[str, Any]:
    """The verdict as plain data; times are seconds. Nothing in it says `passed` but exit 0."""
    return {
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


def _vacuous(vacuous: VacuityFinding) -> dict[str, str]:
    about = ("model", "kind", "what", "sentence", "written", "place")
    return {name: getattr(vacuous, name) for name in about}


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
    place = {} if finding.status is Status.MET else {"place": str(of_finding(judged.cell, finding).place)}
    return {
        "what": finding.what,
        "kind": finding.kind,
        "status": finding.status.value,
        "expected": finding.expected,
        "found": finding.found,
        "exit": finding.exit,
        **place,
    }
