"""A survey as one JSON object, schema `isrcheck.mutants/2`: what every form of it is made of."""

from collections import Counter
from dataclasses import asdict
from typing import Any

from isrcheck.gate.mutants.judge import Baseline
from isrcheck.gate.mutants.make import helpers_called_by
from isrcheck.gate.mutants.mutant import Fate, where
from isrcheck.gate.mutants.reasons import ReasonCheck
from isrcheck.gate.mutants.survey import Survey, SurveyedMutant
from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.nodes import ReadVariable, TakenAction, TakenArgument
from isrcheck.ir.traversal import walk

SCHEMA = "isrcheck.mutants/2"


def facts_of(survey: Survey, checked: ReasonCheck, version: str, command: str) -> dict[str, Any]:
    """Return a survey as JSON data; equal on every machine, unless a limit of seconds cut something off."""
    mutants = [_mutant(result) for result in survey.results]
    return {
        "schema": SCHEMA,
        "version": version,
        "model": survey.model,
        "command": command,
        "everything": survey.options.everything,
        "exit": exit_of(survey, checked),
        "configurations": [_configuration(base) for base in survey.baselines],
        "fates": {fate.value: sum(m["fate"] == fate.value for m in mutants) for fate in Fate},
        "properties": _properties(survey),
        "unneeded_guards": [
            {"guard": name, "because": why.because if why else None, "reason": why.reason if why else None}
            for name, why in checked.unneeded
        ],
        "reasons_given": checked.expected,
        "wrong_reasons": list(checked.wrong),
        "mutants": mutants,
    }


def exit_of(survey: Survey, checked: ReasonCheck) -> int:
    """21 for a guard without a true reason, 20 for an undecided mutant, else 0."""
    if not checked.is_as_listed:
        return 21
    return 20 if any(result.outcome.fate.is_undecided for result in survey.results) else 0


def _configuration(base: Baseline) -> dict[str, Any]:
    counts = {name: getattr(base.search, name) for name in ("distinct", "generated", "depth", "pruned")}
    return {"constants": base.constants, **counts, "asked": list(base.asked), "failing": list(base.failing)}


def _properties(survey: Survey) -> list[dict[str, Any]]:
    kills: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    for result in survey.results:
        names = {kill.name for outcome in result.outcomes if outcome for kill in outcome.kills}
        kills.update(names)
        if len(names) == 1:
            alone.update(names)
    return [
        {
            "name": p.name,
            "kind": str(p.kind),
            "can_kill": any(p.name in base.asked for base in survey.baselines),
            "asked": any(p.name in (*base.asked, *base.failing) for base in survey.baselines),
            "kills": kills[p.name],
            "alone": alone[p.name],
            "only_history": _reads_only_history(survey.ir, p),
        }
        for p in survey.ir.properties
    ]


def _reads_only_history(ir: ModelIR, method: Method) -> bool:
    """Whether a property reads history variables and nothing else, itself or in what it calls."""
    histories = {v.name for v in ir.variables if v.is_history}
    bodies = [method.body, *(ir.helpers[name].body for name in helpers_called_by(ir, method))]
    variables = {node.name for body in bodies for node in walk(body) if isinstance(node, ReadVariable)}
    taken = any(isinstance(node, TakenAction | TakenArgument) for node in walk(method.body))
    return bool(variables) and variables <= histories and not taken


def _mutant(result: SurveyedMutant) -> dict[str, Any]:
    mutant = result.mutant
    outcome = result.outcome
    words = ("name", "method", "owner", "before", "after", "guard")
    kills: dict[str, dict[str, Any]] = {}  # what killed it, at the first configuration at which each did
    for position, each in enumerate(result.outcomes):
        for kill in each.kills if each else ():
            kills.setdefault(kill.name, {**asdict(kill), "configuration": position})
    return {
        **{name: getattr(mutant, name) for name in words},
        "change": mutant.change.value,
        "at": where(mutant.at),
        "fate": outcome.fate.value,
        "configuration": result.position,
        "killed_by": list(kills.values()),
        "dead_actions": list(outcome.dead_actions),
        "why": outcome.why,
        "distinct": outcome.distinct,
    }
