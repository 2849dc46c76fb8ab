"""Refutations, by searches of small instances, of properties and lemmas that are to be proved for any size."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from isrcheck.engines.contract import FoundFault, Limits, Request
from isrcheck.engines.registry import engine
from isrcheck.errors import AssumptionFalse, ModelError
from isrcheck.ir.model import ModelIR
from isrcheck.passes import bind
from isrcheck.passes.constants import literal
from isrcheck.process.budget import phase
from isrcheck.run.replay import replay, replay_fault
from isrcheck.run.trace import Trace

AT_ONCE = Limits(states=2_000)  # before a proof: half a second with KIP-320's thirty lemmas
FIRST = Limits(states=200_000, seconds=20.0)  # once no solver refutes an obligation at once
THOROUGH = Limits(states=200_000, seconds=10.0)  # of each instance, where a proof does not go through


def violations(
    ir: ModelIR, names: Sequence[str], choices: Iterable[Mapping[str, Any]], limits: Limits, model_name: str
) -> dict[str, Trace]:
    """The violations by name, shortest first, in the first instance that has any. Raises OutOfBudget."""
    engine_name = _engine_for(limits)
    for constants in choices:
        phase("searching small instances")
        with suppress(FoundFault, ModelError):  # that a text goes wrong is an obligation of its own
            model = bind(ir.with_lemmas(names), dict(constants), slots=False)
            asked = tuple(p.name for p in model.properties if p.name in names)
            search = engine(engine_name).search(model, Request(properties=asked, limits=limits))
            if search.interrupted:
                raise KeyboardInterrupt
            paths = sorted(search.paths.items(), key=lambda pair: len(pair[1]))
            if paths:
                return {name: replay(model, name, path, model_name, engine_name) for name, path in paths}
    return {}


def refuse_reached_fault(ir: ModelIR, names: Sequence[str], constants: Mapping[str, Any], limits: Limits) -> None:
    """Refuse a model of which a search with these constants meets an error, as `check` does. Raises ModelError.

    Constants with which the model cannot be searched refuse nothing: others are proved of.
    """
    phase("searching small instances")
    engine_name = _engine_for(limits)
    try:
        model = bind(ir, dict(constants), slots=False)
    except (AssumptionFalse, ModelError):
        return
    request = Request(properties=tuple(p.name for p in model.properties if p.name in names), limits=limits)
    try:
        searched = engine(engine_name).search(model, request)
    except FoundFault as fault:
        raise replay_fault(model, fault, engine_name) from None
    except ModelError:
        engine("reference").search(model, request)  # raises in the words of the author's text
        raise
    if searched.interrupted:
        raise KeyboardInterrupt


def _engine_for(limits: Limits) -> str:
    return "evaluator" if limits is AT_ONCE else "native"


def refutation(trace: Trace, is_lemma: bool) -> str:
    """Say which obligation the last step of a trace shows to be false."""
    action, name = trace.steps[-1].action, trace.name
    if is_lemma:
        obligation = f"keep {name} by {action}" if action else f"start {name}"
    else:
        obligation = f"{name} by {action}" if action else f"{name} initially"
    sizes = ", ".join(f"{constant}={literal(value)}" for constant, value in trace.constants.items())
    count = len(trace.steps) - 1
    after = f"after {count} step{'s' if count > 1 else ''}" if count else "in the initial state"
    return f"the obligation {obligation!r} is false: search finds that {name} is violated {after} with {sizes}"
