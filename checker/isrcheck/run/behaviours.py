"""The temporal properties of a run, decided after the others: their verdicts are known by then and stay."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from isrcheck.engines.common.behaviours import FairnessCondition
from isrcheck.engines.common.targets import AT_FIRST
from isrcheck.engines.contract import Request
from isrcheck.engines.registry import Capability, Engine
from isrcheck.errors import UsageError, quantity
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import TEMPORAL, Verdict
from isrcheck.passes.bind import BoundModel
from isrcheck.place import Place
from isrcheck.process.budget import SHARE_FOR_REPLAYS, OutOfBudget, overtime, phase, poll_by_timer
from isrcheck.run.outcome import Outcome, PropertyOutcome
from isrcheck.run.parts import CaseStatus, VacuityCandidate, candidate_of

if TYPE_CHECKING:  # what most runs do without
    from isrcheck.liveness.deciding import BehaviourFindings
    from isrcheck.run.lassos import LassoReplay

_MOST_CHOICES = 1 << 32  # a step's instance is of 32 bits in a graph of behaviours


def fairness_to_assume(model: BoundModel, request: Request) -> tuple[FairnessCondition, ...]:
    """The fairness that temporal properties assume. Raises UsageError or ModelError, before a search in vain."""
    if not (request.temporal or request.fairness):
        return ()
    from isrcheck.liveness.deciding import environment, fairness_conditions

    for name in request.fairness:
        environment(model, name)
    if not request.temporal:
        return ()
    from isrcheck.passes.choices import Ground  # here: most runs ask of states alone

    name = request.temporal[0]
    if (choices := len(Ground(model))) > _MOST_CHOICES:
        most = f"{name}, a temporal property, is asked of at most {_MOST_CHOICES:,} choices of parameters"
        other = "use smaller constants, or ask for other properties with --property"
        raise UsageError(f"{most}, and the actions of {model.ir.name} have {choices:,}: {other}.")
    return fairness_conditions(model, request.fairness)


def before_behaviours(outcome: Outcome, request: Request) -> Outcome:
    """Add the temporal properties, undetermined until the search for cycles is done."""
    reason = "the search for cycles is not done"
    open_ = (PropertyOutcome(n, TEMPORAL, Verdict.UNDETERMINED, "bounded(0)", reason=reason) for n in request.temporal)
    return replace(outcome, properties=(*outcome.properties, *open_))


def with_behaviours(
    outcome: Outcome, model: BoundModel, request: Request, engine: Engine, conditions: Sequence[FairnessCondition]
) -> Outcome:
    """Decide the temporal properties and add them to the outcome. Raises ModelError, FoundFault or Disagreement."""
    if not request.temporal:
        unused = f"no temporal property is asked, and no other assumes {' and '.join(request.fairness)}."
        return replace(outcome, warnings=(*outcome.warnings, unused)) if request.fairness else outcome
    if request.stop_at_first and outcome.verdict is Verdict.VIOLATED:
        return without_search(outcome, request, AT_FIRST)
    from isrcheck.liveness.deciding import BehaviourFindings
    from isrcheck.run.lassos import LassoReplay

    try:
        findings = _search_behaviours(model, request, engine, conditions)
    except OutOfBudget as over:
        findings = BehaviourFindings(cut=str(over))
    except KeyboardInterrupt:
        findings = BehaviourFindings(cut="by the user", interrupted=True)
    replay = LassoReplay(model, conditions, outcome.model, outcome.engine)
    outcome = replace(outcome, fairness_parts=tuple(_fairness_candidates(model, request, findings)))
    if findings.none_is_fair:
        empty = "no behaviour is fair within the bounds: what holds of all of them holds of none."
        outcome = replace(outcome, warnings=(*outcome.warnings, empty))
    return _add_properties(outcome, request, findings, replay)


def _search_behaviours(
    model: BoundModel, request: Request, engine: Engine, conditions: Sequence[FairnessCondition]
) -> "BehaviourFindings":
    from isrcheck.liveness.deciding import decide
    from isrcheck.liveness.naive import find_lasso, steps_to_stranded

    explored = engine.behaviours(model, request)
    phase("looking for cycles")
    with poll_by_timer():
        if engine.offers(Capability.GRAPH):
            return decide(explored, conditions, engine.find_lasso, engine.steps_to_stranded)
        return decide(explored, conditions, find_lasso, steps_to_stranded)


def without_search(outcome: Outcome, request: Request, cut: str) -> Outcome:
    """Add the temporal properties, undetermined, to the outcome of a run that did not search for cycles."""
    from isrcheck.liveness.deciding import BehaviourFindings

    return _add_properties(outcome, request, BehaviourFindings(cut=cut), None) if request.temporal else outcome


def _add_properties(
    outcome: Outcome, request: Request, findings: "BehaviourFindings", replay: "LassoReplay | None"
) -> Outcome:
    decided = tuple(_property_outcome(name, findings, replay) for name in request.temporal)
    result = replace(outcome.result, interrupted=outcome.interrupted or findings.interrupted)
    return replace(outcome, result=result, properties=(*outcome.properties, *decided))


def _fairness_candidates(
    model: BoundModel, request: Request, findings: "BehaviourFindings"
) -> Iterator[VacuityCandidate]:
    """Tell whether the fairness assumed is ever asked, and met by some behaviour; nothing if the search was cut."""
    from isrcheck.liveness.deciding import conditions_of, fair_methods

    if findings.cut is not None:
        return
    for method in fair_methods(model, request.fairness):
        if method.name not in model.not_asked:
            never = all(each.name in findings.never_enabled for each in conditions_of(model, method))
            yield _candidate("fairness", method.name, method.at, never)
    yield _candidate("closure", model.ir.name, model.ir.at, findings.none_is_fair)


def _candidate(kind: str, owner: str, at: Place, is_vacuous: bool) -> VacuityCandidate:
    return replace(candidate_of(kind, owner, at), status=CaseStatus.VACUOUS if is_vacuous else CaseStatus.CASE)


def _property_outcome(name: str, findings: "BehaviourFindings", replay: "LassoReplay | None") -> PropertyOutcome:
    cut = findings.cut or "at a constraint"
    try:
        with overtime(SHARE_FOR_REPLAYS, findings.interrupted), poll_by_timer():
            if replay and name in findings.violated:
                trace = replay.trace(name, findings.violated[name])
                return PropertyOutcome(name, TEMPORAL, Verdict.VIOLATED, "replayed", trace)
            if replay and name in findings.stopped:
                reason = replay.name_bound(name, findings.stopped[name])
                return PropertyOutcome(name, TEMPORAL, Verdict.UNDETERMINED, "bounded(0)", reason=reason)
    except OutOfBudget as over:
        cut = str(over)
    except KeyboardInterrupt:
        cut = "by the user"
    if name in findings.decided:
        return PropertyOutcome(name, TEMPORAL, Verdict.HOLDS, "exhaustive")
    reason = _bounds_reason(findings) if name in findings.unseen else f"the search for cycles ended {cut}"
    return PropertyOutcome(name, TEMPORAL, Verdict.UNDETERMINED, "bounded(0)", reason=reason)


def _bounds_reason(findings: "BehaviourFindings") -> str:
    place = f"a state after {quantity(findings.unseen_after, 'step')}" if findings.unseen_after else "an initial state"
    return "the bounds stop every fair behaviour" + ("" if findings.none_is_fair else f" from {place}")
