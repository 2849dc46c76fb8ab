"""A survey as one JSON object, schema `isrcheck.mutants/2`; and of it a document."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from itertools import groupby
from typing import Any

from isrcheck.errors import quantity
from isrcheck.evidence import document as doc
from isrcheck.gate.mutants.judge import Baseline
from isrcheck.gate.mutants.make import Fate, where
from isrcheck.gate.mutants.survey import ReasonCheck, Survey, SurveyedMutant
from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.nodes import Enabled, ReadVariable, TakenAction, TakenArgument, walk

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
        "properties": _facts_of_properties(survey),
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


def _facts_of_properties(survey: Survey) -> list[dict[str, Any]]:
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
    bodies = [method.body, *(ir.helpers[name].body for name in ir.helpers_reached(method.calls))]
    variables = {node.name for body in bodies for node in walk(body) if isinstance(node, ReadVariable)}
    others = any(isinstance(node, TakenAction | TakenArgument | Enabled) for node in walk(method.body))
    return bool(variables) and variables <= histories and not others


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


DETECTED = ("killed", "error", "invalid", "dead-action")
_FATES = {
    "killed": ("killed by a property", doc.Tone.GOOD),
    "error": ("stopped by an error in the model's text, on the way", doc.Tone.GOOD),
    "invalid": ("invalid: not a model any more", doc.Tone.GOOD),
    "dead-action": ("with an action that never happens any more (--strict)", doc.Tone.GOOD),
    "survived": ("survived: another graph, and no property is violated", doc.Tone.BAD),
    "undecided": ("undecided: cut off", doc.Tone.UNSURE),
    "lost": ("undecided: the process died", doc.Tone.UNSURE),
    "equivalent": ("equivalent: the same graph within these bounds", doc.Tone.QUIET),
    "trivially-equivalent": ("trivially equivalent: the same text for these constants", doc.Tone.QUIET),
}
_ABOUT_STEPS = (
    "A number is that of the steps after which a property that held is violated; never reached: a reachability "
    "property is not met any more."
)


def survey_document(facts: dict[str, Any], by_property: bool = False) -> doc.Document:
    """The whole survey; `by_property` gives each property that kills a column."""
    fates = [f"{count} {_FATES[fate][0]}" for fate, count in facts["fates"].items() if count]
    return [
        doc.Heading(f"Mutants of {facts['model']}", 1),
        doc.Verbatim(facts["command"]),
        doc.Paragraph(
            *(
                f"[{number}] {constants_of(each)}: {each['distinct']:,} states, depth {each['depth']}"
                for number, each in enumerate(facts["configurations"])
            )
        ),
        doc.Paragraph(f"{len(facts['mutants'])} mutants: {'; '.join(fates)}.", tone=doc.Tone.STRONG),
        *([doc.Paragraph(_ABOUT_STEPS)] if by_property else []),
        *_mutants(facts, by_property),
        *_properties(facts),
        *_guards(facts),
    ]


def constants_of(configuration: dict[str, Any]) -> str:
    return " ".join(f"{n}={v}" for n, v in configuration["constants"].items()) or "defaults"


def kill(fact: dict[str, Any]) -> str:
    length = fact["length"]
    return f"{fact['name']} " + ("never reached" if length is None else f"in {quantity(length - 1, 'step')}")


def _steps(mutant: dict[str, Any], properties: list[str]) -> list[str]:
    lengths = {fact["name"]: fact["length"] for fact in mutant["killed_by"]}
    steps = {name: "never reached" if length is None else f"{length - 1}" for name, length in lengths.items()}
    return [steps.get(name, "") for name in properties]


def _mutants(facts: dict[str, Any], by_property: bool) -> Iterator[doc.Block]:
    names = [p["name"] for p in facts["properties"] if p["kills"]] if by_property else []
    columns: list[doc.Column | str] = [doc.Column("place", fixed=True, tone=doc.Tone.QUIET), "change", "outcome"]
    columns += [doc.Column(name, is_number=True) for name in names]
    numbered = len(facts["configurations"]) > 1
    for (method, owner), group in groupby(facts["mutants"], key=lambda m: (m["method"], m["owner"])):
        yield doc.Heading((method, doc.quiet(f"  {owner}")), 2)
        yield doc.Table(columns, [_row(mutant, names, numbered) for mutant in group], keys=3 if names else 0)


def _row(mutant: dict[str, Any], names: list[str], numbered: bool) -> list[doc.Line | doc.Lines]:
    fate = mutant["fate"]
    at = f" [{mutant['configuration']}]" if numbered and fate in DETECTED else ""
    outcome = doc.Piece((fate if names else _fate_phrase(mutant)) + at, _FATES[fate][1])
    line = mutant["at"].rpartition("/")[2].partition(":")[2]
    change = doc.code(f"{mutant['before']} → {mutant['after'] or '(gone)'}")
    return [line, change, outcome, *_steps(mutant, names)]


def _fate_phrase(mutant: dict[str, Any]) -> str:
    match mutant["fate"]:
        case "killed":
            return ", ".join(map(kill, mutant["killed_by"]))
        case "dead-action":
            return f"never happens: {', '.join(mutant['dead_actions'])}"
        case "survived":
            return f"survived; {mutant['distinct']:,} states"
        case fate:
            return f"{fate}: {mutant['why']}" if mutant["why"] else _FATES[fate][0]


def _properties(facts: dict[str, Any]) -> Iterator[doc.Block]:
    rows = [
        [doc.code(p["name"]), p["kind"], *((str(p["kills"]), str(p["alone"])) if p["can_kill"] else ("-", "-"))]
        for p in facts["properties"]
        if p["asked"]
    ]
    numbers = [doc.Column(title, is_number=True) for title in ("kills", "alone")]
    yield doc.Heading("Properties")
    yield doc.Table(["property", "kind", *numbers], rows)
    notes = remarks(facts)
    if not facts["everything"]:
        notes.append("Each mutant was checked up to the first property that killed it; --all asks every property.")
    if notes:
        yield doc.Paragraph(*notes)


def remarks(facts: dict[str, Any]) -> list[str]:
    properties = facts["properties"]
    silent = [p for p in properties if p["can_kill"] and not p["kills"] and facts["everything"]]
    failing = [p for p in properties if p["asked"] and not p["can_kill"]]
    history = [p for p in properties if p["only_history"]]
    sentences = (
        ("Properties that kill no mutant", silent),
        ("Properties that cannot kill, since they are violated (or never reached) already", failing),
        ("Properties that read history variables only, so that they trust the bookkeeping", history),
    )
    return [f"{sentence}: {', '.join(p['name'] for p in named)}." for sentence, named in sentences if named]


def _guards(facts: dict[str, Any]) -> Iterator[doc.Block]:
    guards = facts["unneeded_guards"]
    if guards:
        yield doc.Heading(f"Guards whose removal nothing detects: {len(guards)}")
    if guards and not facts["reasons_given"]:
        yield doc.Bullets([doc.code(each["guard"]) for each in guards])
    elif guards:
        yield doc.Table(["guard", "why"], [[doc.code(each["guard"]), _reason(each)] for each in guards])
    if facts["wrong_reasons"]:
        yield doc.Paragraph(*facts["wrong_reasons"], tone=doc.Tone.BAD)


def _reason(guard: dict[str, Any]) -> doc.Piece:
    if guard["because"]:
        return doc.quiet(f"{guard['because']}: {guard['reason']}")
    return doc.bad("no reason is written")
