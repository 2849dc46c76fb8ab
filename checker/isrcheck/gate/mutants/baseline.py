"""What is true of a model before it is changed: what a mutant is compared with."""

from dataclasses import dataclass, replace
from typing import Any

from isrcheck.budget import OutOfBudget, budget
from isrcheck.engines.contract import DEADLOCK, FoundFault, Limits, Request, Searched
from isrcheck.engines.registry import engine
from isrcheck.errors import UsageError
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.lowering import Original
from isrcheck.run.replay import replay_fault


@dataclass(frozen=True)
class Baseline:
    """A model's graph and verdicts at one choice of constants. Every field can be sent to another process."""

    constants: dict[str, Any]  # as given
    asked: tuple[str, ...]  # the properties that can kill: those that hold
    failing: tuple[str, ...]  # violated already
    kinds: dict[str, PropertyKind]  # by property
    graph: tuple[Any, ...]  # what is compared: see `graph_of`
    taken: tuple[str, ...]  # actions that happen
    deadlocks: bool
    distinct: int
    generated: int
    depth: int
    pruned: int


def graph_of(seen: Searched) -> tuple[Any, ...]:
    """What must agree for two graphs to be taken for equivalent."""
    return seen.digest, list(seen.levels), seen.generated, seen.pruned, list(seen.action_generated)


def _cut_off(reason: str) -> UsageError:
    return UsageError(
        f"the model itself is cut off {reason} with these constants, so that no mutant can be compared with it: "
        f"choose smaller constants, or larger limits."
    )


def baseline(original: Original, given: dict[str, Any], chosen: tuple[str, ...] | None, limits: Limits) -> Baseline:
    """Searches a model to its end. Raises UsageError if limits cut it off, and KeyboardInterrupt if the user did."""
    model = original.model
    names = chosen if chosen is not None else tuple(p.name for p in model.properties)
    try:
        with budget(limits.seconds, limits.memory):
            seen = _searched(original, names, limits)
    except OutOfBudget as over:
        raise _cut_off(str(over)) from None
    if seen.interrupted:
        raise KeyboardInterrupt
    if seen.cut is not None:
        raise _cut_off(seen.cut)
    kinds = {p.name: p.kind for p in model.properties}
    asked = tuple(n for n in names if (n in seen.found) == kinds[n].holds_by_target)
    taken = (a.name for a, count in zip(model.ir.actions, seen.action_generated, strict=True) if count)
    return Baseline(
        constants=given,
        asked=asked,
        failing=tuple(n for n in names if n not in asked),
        kinds=kinds,
        graph=graph_of(seen),
        taken=tuple(taken),
        deadlocks=DEADLOCK in seen.found,
        distinct=seen.distinct,
        generated=seen.generated,
        depth=seen.depth,
        pruned=seen.pruned,
    )


def _searched(original: Original, names: tuple[str, ...], limits: Limits) -> Searched:
    model: BoundModel = original.model
    request = Request(properties=names, deadlock=True, limits=limits)
    prepared = engine("native").prepare(original.system, names)
    try:
        seen = prepared.search(request)
        if seen.complete or len(seen.found) < len(names) + 1:
            return seen
        whole = prepared.search(replace(request, properties=(), deadlock=False))
    except FoundFault as fault:
        raise replay_fault(model, fault, "native") from None
    return replace(whole, found=seen.found)
