"""Guards that nothing needs, and why: a file that must stay true.

[[guard]]
models = ["async-isr"]
guard = "leader_requests_expand: require(follower not in self.leader.isr)"
because = "harmless"
reason = "Asking for an ISR that has the follower already changes nothing but the version."
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from isrcheck.errors import UsageError, nearest
from isrcheck.gate.mutants.make import mutants_of
from isrcheck.gate.mutants.mutant import Mutation
from isrcheck.gate.mutants.survey import Survey, SurveyedMutant
from isrcheck.grid.toml_table import TablePlace, Texts, TomlString, parse_toml, read_toml, tables_of

BECAUSE = {
    "implied": "other guards, a type or the parameters say the same",
    "bound": "the step it forbids would leave a bound, and is pruned",
    "harmless": "the step it forbids changes nothing, or nothing that any property speaks of",
    "choice": "it compares constants only: it takes an action away that these runs do not ask for",
    "scope": "it keeps the model small or close to its source, which no property speaks of",
    "missing": "a property is missing that would kill the mutant",
}


class Reason(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why nothing kills the mutant without a guard; `because` is one of BECAUSE."""

    models: Texts = ()
    guard: TomlString = ""
    because: TomlString = ""
    reason: TomlString = ""


def read_reasons(file: Path) -> tuple[Reason, ...]:
    """The reasons in a file. Raises UsageError for one that is not as above, or listed twice."""
    source = read_toml(file, "[[guard]]")
    tables = tables_of(parse_toml(source, str(file), ["guard"]), "guard", str(file))
    reasons = tuple(
        _reason(table, TablePlace(source, str(file), "guard", number)) for number, table in enumerate(tables)
    )
    listed: set[tuple[str, str]] = set()
    for model, guard in ((model, each.guard) for each in reasons for model in each.models):
        if (model, guard) in listed:
            raise UsageError(f"{file} lists {guard!r} of {model} twice: leave one out.")
        listed.add((model, guard))
    return reasons


def _reason(keys: Mapping[str, Any], at: TablePlace) -> Reason:
    table = at.read(keys, Reason)
    if not table.models:
        raise at.refusal('the guard names no models: write models = ["..."]')
    for name in ("guard", "because", "reason"):
        if not getattr(table, name).strip():
            raise at.refusal(f'the guard has no {name}: write {name} = "..."', name)
    if table.because not in BECAUSE:
        remedy = nearest(table.because, BECAUSE)
        raise UsageError(f"{at.place('because')}: there is no because = {table.because!r}.{remedy}")
    return msgspec.structs.replace(table, reason=" ".join(table.reason.split()))


@dataclass(frozen=True)
class ReasonCheck:
    unneeded: tuple[tuple[str, Reason | None], ...]  # removed undetected; with its reason
    wrong: tuple[str, ...]  # listed, not so
    expected: bool = True  # was one given

    @property
    def is_as_listed(self) -> bool:
        return not self.expected or (not self.wrong and all(reason is not None for _, reason in self.unneeded))


def check_reasons(survey: Survey, reasons: Iterable[Reason] | None) -> ReasonCheck:
    """Find the guards that nothing needs, and the reasons that are not true; None: no list was given."""
    own = {each.guard: each for each in reasons or () if survey.model in each.models}
    guards = {r.mutant.guard: r for r in survey.results if r.mutant.change is Mutation.GUARD}
    fates = {name: result.outcome.fate for name, result in guards.items()}
    unneeded = tuple((n, own.get(n)) for n, f in fates.items() if not (f.is_detected or f.is_undecided))
    return ReasonCheck(unneeded, tuple(_lies(survey, own, guards)), reasons is not None)


def _lies(survey: Survey, reasons: dict[str, Reason], guards: dict[str, SurveyedMutant]) -> Iterable[str]:
    known = {mutant.guard for mutant in mutants_of(survey.ir) if mutant.guard}
    for name in reasons:
        if name not in known:
            yield f"the list of unneeded guards has {name!r}, which {survey.model} does not have.{nearest(name, known)}"
        elif name in guards and guards[name].outcome.fate.is_detected:
            outcome = guards[name].outcome
            who = ", ".join(kill.name for kill in outcome.kills) or outcome.fate.value
            yield f"the list of unneeded guards has {name!r} of {survey.model}, whose removal is detected: {who}."
