"""The outcome of a run: its findings replayed, and each property's verdict."""

from isrcheck.engines.contract import DEADLOCK, Bounded, Request, RunResult, Sampled, Searched
from isrcheck.ir import property_kinds as kinds
from isrcheck.ir.frozen import replace
from isrcheck.ir.interval import ValueRange
from isrcheck.ir.property_kinds import PropertyKind, Verdict
from isrcheck.lang.read import read_model
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.layout import layout_of
from isrcheck.process.budget import SHARE_FOR_REPLAYS, OutOfBudget, overtime, phase, poll_by_timer
from isrcheck.run.invocation import Invocation
from isrcheck.run.outcome import ActionCount, Outcome, PropertyOutcome
from isrcheck.run.trace import Trace, encode
from isrcheck.run.traps import traps


def outcome_of(
    bound: BoundModel,
    invocation: Invocation,
    request: Request,
    result: RunResult,
    startup: float,
    traces: dict[str, Trace] | None = None,
) -> Outcome:
    """The outcome of a run; `traces` are given where its findings were replayed."""
    of = {p.name: p.kind for p in bound.ir.properties}
    behaviours = {p.name for p in bound.ir.temporal}
    asked = [(p, of[p]) for p in request.properties]
    if request.deadlock:
        asked.append((DEADLOCK, kinds.DEADLOCK))
    if traces is None:
        traces, result = _replay(bound, invocation, result)
    actions: tuple[ActionCount, ...] = ()
    if isinstance(result, Searched):
        counts = zip(bound.ir.actions, result.action_generated, result.action_distinct, strict=True)
        actions = tuple(ActionCount(action.name, generated, distinct) for action, generated, distinct in counts)
    written = read_model(bound.ir.cls)
    all_written = (*written.properties, *written.temporal)
    everything = tuple(p.name for p in all_written if p in (*bound.properties, *bound.temporal))
    names = (*request.properties, *request.temporal)
    asked_names = None if names == everything and invocation.properties != () else names
    decided = tuple(_property_outcome(p, k, traces.get(p), result) for p, k in asked)
    nothing = {p.name: p.kind for p in decided if p.trace is None and p.verdict is not Verdict.UNDETERMINED}
    return Outcome(
        invocation=replace(invocation, constants=bound.constants, properties=asked_names),
        result=result,
        constants={n: str(v) if isinstance(v, ValueRange) else encode(v) for n, v in bound.constants.items()},
        properties=decided,
        actions=actions,
        startup_seconds=startup,
        state_bits=sum(s.bits for s in layout_of(bound)),
        not_asked={n: why for n, why in bound.not_asked.items() if actions or n in of or n in behaviours},
        notes=bound.notes,
        constraints=tuple(each.name for each in bound.ir.constraints),
        warnings=tuple(traps(bound, result, nothing)),
    )


def _replay(bound: BoundModel, invocation: Invocation, result: RunResult) -> tuple[dict[str, Trace], RunResult]:
    """Replay every path: the traces, and the result, cut off if not all were replayed."""
    traces: dict[str, Trace] = {}
    if not result.paths:
        return traces, result
    try:
        from isrcheck.run.replay import replay  # here: it needs the reference

        with overtime(SHARE_FOR_REPLAYS, result.interrupted), poll_by_timer():
            phase("replaying what was found")
            for name, path in result.paths.items():
                traces[name] = replay(bound, name, path, invocation.model, invocation.engine)
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
