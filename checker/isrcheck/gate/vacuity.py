"""Vacuity in a gate: over all runs of a model together, not in one of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from isrcheck.gate.cells import GateCell
from isrcheck.gate.checkout import is_own_text
from isrcheck.gate.worker import Ended, Ran, Result
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import Verdict
from isrcheck.place import NOWHERE, Place
from isrcheck.run.parts import CaseStatus, VacuityCandidate

Tried = tuple[GateCell, Result]


@dataclass(frozen=True)
class VacuityFinding:
    """An action, guard or property that no run of a model exercised."""

    model: str
    kind: str  # action, model or a part's
    what: str
    sentence: str
    written: str
    place: str = ""
    known: bool = True  # if all ended
    spec: Place = NOWHERE  # of the first run
    is_asked: bool = True  # by a spec, or the user's own text; the rest is a library's


def vacuities(tried: Sequence[Tried]) -> tuple[VacuityFinding, ...]:
    """Find the vacuity that every run of a model has, unless a run is expected to have it."""
    by_model: dict[str, list[Tried]] = {}
    for cell, result in tried:
        if not (cell.terms.error is not None and isinstance(result, Ended)):
            by_model.setdefault(cell.model, []).append((cell, result))
    return tuple(
        replace(vacuous, spec=_first_line(runs))
        for model, runs in by_model.items()
        for vacuous in _vacuous(model, runs)
    )


def _first_line(runs: Sequence[Tried]) -> Place:
    terms = runs[0][0].terms
    return Place(str(terms.spec), terms.line)


def _vacuous(model: str, runs: Sequence[Tried]) -> Iterator[VacuityFinding]:
    looked = [result for cell, result in runs if cell.terms.strict is not False]
    if looked and not any(saw_all(result) for result in looked):
        said = f"no run of {model} saw its whole graph: what is vacuous in it"
        yield VacuityFinding(model, "model", model, said, model, known=False)
    yield from _never_taken(model, runs)
    yield from _without_a_case(model, runs)


def saw_all(result: Result) -> bool:
    return isinstance(result, Ran) and result.complete is not None and result.complete.parts is not None


def _never_taken(model: str, runs: Sequence[Tried]) -> Iterator[VacuityFinding]:
    ran = [result for _, result in runs if isinstance(result, Ran)]
    complete = [result.complete for result in ran if result.complete is not None]
    taken = {action.name for result in ran for o in result.outcomes for action in o.actions if action.generated}
    expected = {name for cell, _ in runs for name in cell.terms.never}
    for name in dict.fromkeys(name for outcome in complete for name in outcome.dead_actions):
        if name not in taken | expected:
            said = f"the action {name} can never happen in any run of {model}"
            yield VacuityFinding(model, "action", name, said, name, known=len(complete) == len(runs))


def _without_a_case(model: str, runs: Sequence[Tried]) -> Iterator[VacuityFinding]:
    """The guards and properties of which no run has a case, and one might have had."""
    looked = [(cell, result) for cell, result in runs if cell.terms.strict is not False or cell.terms.vacuous]
    outcomes = [outcome for _, ran in looked if isinstance(ran, Ran) for outcome in ran.outcomes]
    reached = {p.name for outcome in outcomes for p in outcome.properties if p.verdict is Verdict.HOLDS}
    expected = {written for cell, _ in runs for written in (*cell.terms.vacuous, *cell.expect)}
    by_key: dict[tuple[str, str, str], list[VacuityCandidate]] = {}
    for candidate in (each for outcome in outcomes for each in outcome.parts or ()):
        by_key.setdefault(candidate.key, []).append(candidate)
    for same in by_key.values():
        candidate, statuses = same[0], {each.status for each in same}
        met = CaseStatus.CASE in statuses or (candidate.kind == "claim" and candidate.owner in reached)
        if met or statuses == {CaseStatus.CONSTANT} or candidate.written in expected:
            continue
        known = CaseStatus.CUT not in statuses and all(saw_all(result) for _, result in looked)
        place = f"{candidate.place}  {candidate.source}"
        said = f"{model}: {candidate.sentence}"
        is_asked = _is_asked(candidate, [cell for cell, _ in runs])
        yield VacuityFinding(
            model=model,
            kind=candidate.kind,
            what=candidate.owner,
            sentence=said,
            written=candidate.written,
            place=place,
            known=known,
            is_asked=is_asked,
        )


def _is_asked(candidate: VacuityCandidate, cells: Sequence[GateCell]) -> bool:
    """Whether a spec asks whether this is vacuous: by a property it expects, by `strict`, or by the user's own text.

    The fairness that temporal properties assume is part of each of them.
    """
    if candidate.kind in ("fairness", "closure") or is_own_text(candidate.file):
        return True
    return any(candidate.owner in cell.expect or cell.terms.strict for cell in cells)
