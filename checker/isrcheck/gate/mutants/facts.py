"""A survey as one JSON object, schema `isrcheck.mutants/2`: what every form of it is made of."""

import json
from collections import Counter
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from isrcheck.errors import UsageError
from isrcheck.gate.mutants.baseline import Baseline
from isrcheck.gate.mutants.ghosts import reads_only_history
from isrcheck.gate.mutants.mutant import where
from isrcheck.gate.mutants.outcome import Fate
from isrcheck.gate.mutants.reasons import ReasonCheck
from isrcheck.gate.mutants.survey import Survey, SurveyedMutant

SCHEMA = "isrcheck.mutants/2"


@cache
def _names_of_1() -> dict[str, dict[str, str]]:
    """The keys and fates of schema 1 with their names of now."""
    text = files("isrcheck.gate.mutants").joinpath("names_of_1.json").read_text(encoding="utf-8")
    return msgspec.json.decode(text, type=dict[str, dict[str, str]])


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
        "everything": made.options.everything,
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
    return 20 if any(result.outcome.fate.is_undecided for result in made.results) else 0


def as_json(facts: dict[str, Any]) -> str:
    """The object as a JSON text, the same for the same content."""
    return json.dumps(facts, indent=1, ensure_ascii=False) + "\n"


def from_json(text: str) -> dict[str, Any]:
    """The object of a JSON text, of this schema or the one before. Raises UsageError for anything else."""
    try:
        facts: dict[str, Any] = json.loads(text)
        schema = facts["schema"]
    except (ValueError, KeyError, TypeError):
        raise UsageError("this is not a survey of mutants: make one with isrcheck mutate MODEL --json FILE.") from None
    if schema == "isrcheck.mutants/1":
        fates = {_names_of_1()["fates"].get(fate, fate): count for fate, count in facts["fates"].items()}
        return {**_renamed(facts), "schema": SCHEMA, "fates": fates}
    if schema != SCHEMA:
        raise UsageError(f"this survey of mutants has the schema {schema}, and {SCHEMA} was expected: make it again.")
    return facts


def _renamed(value: Any) -> Any:
    """Data of schema 1 with the keys and fates of 2."""
    if isinstance(value, list):
        return [_renamed(each) for each in value]
    if not isinstance(value, dict):
        return value
    renamed = {_names_of_1()["keys"].get(key, key): _renamed(each) for key, each in value.items()}
    if isinstance(renamed.get("fate"), str):
        renamed["fate"] = _names_of_1()["fates"].get(renamed["fate"], renamed["fate"])
    return renamed


def _configuration(base: Baseline) -> dict[str, Any]:
    graph = {name: getattr(base, name) for name in ("distinct", "generated", "depth", "pruned")}
    return {"constants": base.constants, **graph, "asked": list(base.asked), "failing": list(base.failing)}


def _properties(made: Survey) -> list[dict[str, Any]]:
    """Each property with the number of mutants that it kills, and of those that no other kills."""
    kills: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    for result in made.results:
        names = {kill.name for outcome in result.outcomes if outcome for kill in outcome.kills}
        kills.update(names)
        if len(names) == 1:
            alone.update(names)
    return [
        {
            "name": p.name,
            "kind": str(p.kind),
            "can_kill": any(p.name in base.asked for base in made.baselines),
            "asked": any(p.name in base.kinds and p.name in (*base.asked, *base.failing) for base in made.baselines),
            "kills": kills[p.name],
            "alone": alone[p.name],
            "only_history": reads_only_history(made.ir, p),
        }
        for p in made.ir.properties
    ]


def _mutant(result: SurveyedMutant) -> dict[str, Any]:
    mutant, outcome = result.mutant, result.outcome
    words = ("name", "method", "owner", "before", "after", "guard")
    return {
        **{name: getattr(mutant, name) for name in words},
        "change": mutant.change.value,
        "at": where(mutant.at),
        "fate": outcome.fate.value,
        "configuration": result.position,
        "killed_by": _kills(result),
        "dead_actions": list(outcome.dead_actions),
        "why": outcome.why,
        "distinct": outcome.distinct,
    }


def _kills(result: SurveyedMutant) -> list[dict[str, Any]]:
    """What killed it, at the first configuration at which each did."""
    found: dict[str, dict[str, Any]] = {}
    for position, outcome in enumerate(result.outcomes):
        for kill in outcome.kills if outcome else ():
            found.setdefault(kill.name, {**asdict(kill), "configuration": position})
    return list(found.values())
