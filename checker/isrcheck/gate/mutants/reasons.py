"""Guards that nothing needs, and why: a file that must stay true.

[[guard]]
models = ["async-isr"]
guard = "leader_requests_expand: require(follower not in self.leader.isr)"
because = "harmless"
reason = "Asking for an ISR that has the follower already changes nothing but the version."
"""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isrcheck.errors import UsageError, nearest
from isrcheck.gate.mutants.make import mutants_of
from isrcheck.gate.mutants.mutant import Mutation
from isrcheck.gate.mutants.survey import Survey, SurveyedMutant

BECAUSE = {
    "implied": "other guards, a type or the parameters say the same",
    "bound": "the step it forbids would leave a bound, and is pruned",
    "harmless": "the step it forbids changes nothing, or nothing that any promise speaks of",
    "choice": "it compares constants only: it takes an action away that these runs do not ask for",
    "scope": "it keeps the model small or close to its source, which no promise speaks of",
    "missing": "a property is missing that would notice",
}
_FIELDS = {"models", "guard", "because", "reason"}


@dataclass(frozen=True)
class Reason:
    """Why nothing notices that a guard is removed; `because` is one of BECAUSE."""

    models: tuple[str, ...]
    guard: str
    because: str
    reason: str


def read_reasons(file: Path) -> tuple[Reason, ...]:
    """The reasons in a file. Raises UsageError for one that is not as above, or for a guard that is listed twice."""
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror or error}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} is not TOML: {error}.") from None
    tables = data.get("guard")
    if set(data) != {"guard"} or not isinstance(tables, list):
        raise UsageError(f"{file} holds something else than [[guard]] tables: write one for each guard.")
    found = tuple(_reason(file, number, table) for number, table in enumerate(tables, 1))
    seen: set[tuple[str, str]] = set()
    for model, guard in ((model, each.guard) for each in found for model in each.models):
        if (model, guard) in seen:
            raise UsageError(f"{file} lists {guard!r} of {model} twice: leave one out.")
        seen.add((model, guard))
    return found


def _reason(file: Path, number: int, table: Any) -> Reason:
    where = f"{file}: guard {number}"
    if not isinstance(table, dict):
        raise UsageError(f"{where} is not a table: write [[guard]].")
    for name in table:
        if name not in _FIELDS:
            raise UsageError(f"{where} has an unknown field {name}.{nearest(name, _FIELDS)}")
    models = table.get("models")
    if not isinstance(models, list) or not models or not all(isinstance(m, str) for m in models):
        raise UsageError(f'{where} names no models: write models = ["..."].')
    for name in ("guard", "because", "reason"):
        if not isinstance(table.get(name), str) or not table[name].strip():
            raise UsageError(f'{where} has no {name}: write {name} = "...".')
    if table["because"] not in BECAUSE:
        raise UsageError(f"{where}: there is no because = {table['because']!r}.{nearest(table['because'], BECAUSE)}")
    return Reason(tuple(models), table["guard"], table["because"], " ".join(table["reason"].split()))


@dataclass(frozen=True)
class ReasonCheck:
    """The guards of a survey against the reasons given."""

    unneeded: tuple[tuple[str, Reason | None], ...]  # that nothing notices, each with the reason where one is written
    wrong: tuple[str, ...]  # what is listed and is not so, as sentences
    expected: bool = True  # whether there was a list at all

    @property
    def is_as_listed(self) -> bool:
        """Whether every guard that nothing notices has its reason, and every reason its guard."""
        return not self.expected or (not self.wrong and all(reason is not None for _, reason in self.unneeded))


def judged(made: Survey, reasons: Iterable[Reason] | None) -> ReasonCheck:
    """The guards that nothing notices, and the reasons that are not true of this survey; None: none were given."""
    own = {each.guard: each for each in reasons or () if made.model in each.models}
    guards = {r.mutant.guard: r for r in made.results if r.mutant.change is Mutation.GUARD}
    unneeded = tuple((name, own.get(name)) for name, result in guards.items() if not _is_needed(result))
    return ReasonCheck(unneeded, tuple(_lies(made, own, guards)), reasons is not None)


def _is_needed(result: SurveyedMutant) -> bool:
    """Whether it is seen, or not known, that removing a guard makes a difference to somebody."""
    return result.finding.fate.is_seen or result.finding.fate.is_open


def _lies(made: Survey, reasons: dict[str, Reason], guards: dict[str, SurveyedMutant]) -> Iterable[str]:
    known = {mutant.guard for mutant in mutants_of(made.ir) if mutant.guard}
    for name in reasons:
        if name not in known:
            yield f"the list of unneeded guards has {name!r}, which {made.model} does not have.{nearest(name, known)}"
        elif name in guards and guards[name].finding.fate.is_seen:
            finding = guards[name].finding
            who = ", ".join(n.name for n in finding.notices) or finding.fate.value
            yield f"the list of unneeded guards has {name!r} of {made.model}, whose removal is noticed: {who}."
