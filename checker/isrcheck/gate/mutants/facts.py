"""A survey as one JSON object, schema `isrcheck.mutants/1`: what every form of it is made of."""

import json
from collections import Counter
from typing import Any

from isrcheck.gate.mutants.finding import Fate
from isrcheck.gate.mutants.ghosts import reads_only_history
from isrcheck.gate.mutants.mutant import where
from isrcheck.gate.mutants.reasons import ReasonCheck
from isrcheck.gate.mutants.survey import Survey, SurveyedMutant

SCHEMA = "isrcheck.mutants/1"


def facts_of(made: Survey, checked: ReasonCheck, version: str, command: str) -> dict[str, Any]:
    """What was found; this version of isrcheck and `command` find it again.

    Equal on every machine, unless a limit of seconds cut something off.
    """
    mutants = [_mutant(result) for result in made.results]
    return {
        "schema": SCHEMA,
        "version": version,
        "model": made.model,
        "command": command,
        "everything": made.terms.everything,
        "exit": exit_of(made, checked),
        "configurations": [_configuration(base) for base in made.baselines],
        "fates": {fate.value: sum(m["fate"] == fate.value for m in mutants) for fate in Fate},
        "properties": _properties(made),
        "unneeded_guards": [
            {"guard": name, "because": why.because if why else None, "reason": why.reason if why else None}
            for name, why in checked.unneeded
        ],
        "reasons_given": checked.expected,
        "wrong_reasons": list(checked.wrong),
        "mutants": mutants,
    }


def exit_of(made: Survey, checked: ReasonCheck) -> int:
    """21 if a guard is unneeded without a reason, or a reason is not true; 20 if a mutant is undecided; else 0."""
    if not checked.is_as_listed:
        return 21
    return 20 if any(result.finding.fate.is_open for result in made.results) else 0


def as_json(facts: dict[str, Any]) -> str:
    """The object as a JSON text, the same for the same content."""
    return json.dumps(facts, indent=1, ensure_ascii=False) + "\n"


def _configuration(base: Any) -> dict[str, Any]:
    graph = {name: getattr(base, name) for name in ("distinct", "generated", "depth", "pruned")}
    return {"constants": base.constants, **graph, "asked": list(base.asked), "idle": list(base.idle)}


def _properties(made: Survey) -> list[dict[str, Any]]:
    """Each property with the number of mutants that it notices; the first number is of those that it notices alone."""
    notices: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    for result in made.results:
        names = {n.name for finding in result.findings if finding for n in finding.notices}
        notices.update(names)
        if len(names) == 1:
            alone.update(names)
    return [
        {
            "name": p.name,
            "kind": p.kind.name,
            "can_notice": any(p.name in base.asked for base in made.baselines),
            "asked": any(p.name in base.kinds and p.name in (*base.asked, *base.idle) for base in made.baselines),
            "notices": notices[p.name],
            "alone": alone[p.name],
            "only_history": reads_only_history(made.ir, p),
        }
        for p in made.ir.properties
    ]


def _mutant(result: SurveyedMutant) -> dict[str, Any]:
    mutant, finding = result.mutant, result.finding
    return {
        "name": mutant.name,
        "change": mutant.change.value,
        "method": mutant.method,
        "owner": mutant.owner,
        "at": where(mutant.at),
        "before": mutant.before,
        "after": mutant.after,
        "guard": mutant.guard,
        "fate": finding.fate.value,
        "configuration": result.position,
        "noticed_by": _notices(result),
        "asleep": list(finding.asleep),
        "why": finding.why,
        "distinct": finding.distinct,
    }


def _notices(result: SurveyedMutant) -> list[dict[str, Any]]:
    """Who noticed, at the first configuration at which each did."""
    found: dict[str, dict[str, Any]] = {}
    for position, finding in enumerate(result.findings):
        for n in finding.notices if finding else ():
            found.setdefault(n.name, {"name": n.name, "kind": n.kind, "length": n.length, "configuration": position})
    return list(found.values())
