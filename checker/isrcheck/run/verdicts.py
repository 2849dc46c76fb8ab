"""The outcome of a run: its findings replayed, each property's verdict, and what constraints may have hidden."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from isrcheck.engines.contract import DEADLOCK, Bounded, Request, RunResult, Sampled, Searched
from isrcheck.ir import property_kinds as kinds
from isrcheck.ir.frozen import replace
from isrcheck.ir.interval import ValueRange
from isrcheck.ir.model import Method
from isrcheck.ir.nodes import ReadVariable, walk
from isrcheck.ir.property_kinds import PropertyKind, Verdict
from isrcheck.lang.read import read_model
from isrcheck.passes.bind import BoundModel, layout_of
from isrcheck.process.budget import SHARE_FOR_REPLAYS, OutOfBudget, overtime, phase, poll_by_timer
from isrcheck.run.invocation import Invocation
from isrcheck.run.outcome import ActionCount, Outcome, PropertyOutcome
from isrcheck.run.trace import Trace, encode

if TYPE_CHECKING:
    from isrcheck.passes.inline import Inliner


def outcome_of(
    bound: BoundModel,
    invocation: Invocation,
    request: Request,
    result: RunResult,
    startup: float,
    traces: dict[str, Trace] | None = None,
) -> Outcome:
    """The outcome of a run; `traces` are given where its findings were replayed."""
    if traces is None:
        traces, result = _replay(bound, invocation, result)
    decided = tuple(_property_outcome(n, kind, traces.get(n), result) for n, kind in _kinds(bound, request).items())
    without_trace = {p.name for p in decided if p.trace is None and p.verdict is not Verdict.UNDETERMINED}
    actions = _action_counts(bound, result)
    names = _names_in_line(bound, invocation, request)
    return Outcome(
        invocation=replace(invocation, constants=bound.constants, properties=names),
        result=result,
        constants={n: str(v) if isinstance(v, ValueRange) else encode(v) for n, v in bound.constants.items()},
        properties=decided,
        actions=actions,
        startup_seconds=startup,
        state_bits=sum(s.bits for s in layout_of(bound)),
        not_asked=_not_applicable(bound, with_actions=bool(actions)),
        notes=bound.notes,
        constraints=tuple(each.name for each in bound.ir.constraints),
        warnings=(*traps(bound, result, without_trace), *_untold(result)),
    )


def _untold(result: RunResult) -> Iterator[str]:
    """Yield a warning where traces are not the least stories."""
    if result.untold:
        names = " and ".join(result.untold)
        yield f"of the shortest traces to {names} the first in order is shown: to find the best takes too long."


def _kinds(bound: BoundModel, request: Request) -> dict[str, PropertyKind]:
    """The kinds of what a search of states decides, by name."""
    known = {p.name: p.kind for p in bound.ir.properties}
    deadlock = {DEADLOCK: kinds.DEADLOCK} if request.deadlock else {}
    return {**{name: known[name] for name in request.properties}, **deadlock}


def _action_counts(bound: BoundModel, result: RunResult) -> tuple[ActionCount, ...]:
    if not isinstance(result, Searched):
        return ()
    counts = zip(bound.ir.actions, result.action_generated, result.action_distinct, strict=True)
    return tuple(ActionCount(action.name, generated, distinct) for action, generated, distinct in counts)


def _names_in_line(bound: BoundModel, invocation: Invocation, request: Request) -> tuple[str, ...] | None:
    """The properties that the command line names; None if it decides all that apply and names none."""
    model = read_model(bound.ir.cls)
    applicable = (*bound.properties, *bound.temporal)
    everything = tuple(p.name for p in (*model.properties, *model.temporal) if p in applicable)
    names = (*request.properties, *request.temporal)
    return None if names == everything and invocation.properties != () else names


def _not_applicable(bound: BoundModel, with_actions: bool) -> dict[str, str]:
    """The reasons why properties do not apply, by name; actions are among them where a search counted them."""
    properties = {p.name for p in (*bound.ir.properties, *bound.ir.temporal)}
    return {name: why for name, why in bound.not_asked.items() if with_actions or name in properties}


def _replay(bound: BoundModel, invocation: Invocation, result: RunResult) -> tuple[dict[str, Trace], RunResult]:
    """Replay every path: the traces, and the result, cut off if not all were replayed."""
    traces: dict[str, Trace] = {}
    if not result.paths:
        return traces, result
    try:
        from isrcheck.run.replay import replay  # here: it needs the reference
        from isrcheck.run.shrink import WalkShrinker

        with overtime(SHARE_FOR_REPLAYS, result.interrupted), poll_by_timer():
            phase("replaying what was found")
            for name, path in result.paths.items():
                traces[name] = replay(bound, name, path, invocation.model, invocation.engine)
            for name, path in result.paths.items() if isinstance(result, Sampled) else ():
                shorter = WalkShrinker(bound, name).shorten(path)
                traces[name] = replay(bound, name, shorter, invocation.model, invocation.engine)
    except OutOfBudget as over:
        result = _cut(result, str(over))
    except KeyboardInterrupt:
        result = replace(_cut(result, "by the user"), interrupted=True)
    return traces, result


def _cut(result: RunResult, reason: str) -> RunResult:
    result = replace(result, cut=result.cut or reason)
    return replace(result, digest=None) if isinstance(result, Searched) else result


def _property_outcome(name: str, kind: PropertyKind, trace: Trace | None, result: RunResult) -> PropertyOutcome:
    """The outcome of one property; undetermined if its path was not replayed."""
    if trace is None and name in result.paths:
        steps = max(len(result.paths[name]) - 1, 0)
        return PropertyOutcome(name, kind, Verdict.UNDETERMINED, f"bounded({steps})")
    known = (trace is not None, result.complete)
    steps = max(result.depth - 1, 0) if isinstance(result, Searched | Bounded) else 0
    assurance = kind.assurance(*known, steps=steps)
    if isinstance(result, Sampled) and not any(known):
        assurance = f"sampled({result.walks})"
    return PropertyOutcome(name, kind, kind.verdict(*known), assurance, trace)


def traps(model: BoundModel, result: RunResult, without_trace: Collection[str]) -> Iterator[str]:
    """Yield the warnings; `without_trace`: the properties that a complete search decided without a trace."""
    if not isinstance(result, Searched) or not result.outside:
        return
    from isrcheck.passes.inline import Inliner  # here: few models have constraints

    inliner = Inliner(model.ir)
    names = " and ".join(each.name for each in model.ir.constraints)
    if not result.distinct:
        yield f"the initial state is outside {names}: nothing else was looked at."
        return
    do = f"do the constraints {names}" if len(model.ir.constraints) > 1 else f"does the constraint {names}"
    bounded = set[str]().union(*(_variables(inliner, each) for each in model.ir.constraints))
    for each in model.properties:
        if each.name not in without_trace:
            continue
        if each.kind.holds_by_target:
            yield f"{each.name} may be reached beyond {names}, where nothing was looked for."
        elif shared := sorted(_variables(inliner, each) & bounded):
            read = " and ".join(shared)
            yield f"{each.name} reads {read}, and so {do}: a violation further beyond was not looked for."


def _variables(inliner: "Inliner", method: Method) -> set[str]:
    """The variables that a condition reads."""
    return {node.name for node in walk(inliner.condition(method)) if isinstance(node, ReadVariable)}
