"""What is true of a model before it is changed: what a mutant is compared with."""

from dataclasses import dataclass, replace
from typing import Any

from isrcheck.budget import OutOfBudget, budget
from isrcheck.engines.contract import FoundFault, Limits, Request, Searched
from isrcheck.engines.registry import engine
from isrcheck.errors import UsageError
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.passes.lowering import Original
from isrcheck.run.replay import replay_fault


@dataclass(frozen=True)
class Baseline:
    """A model's graph and verdicts at one choice of constants."""

    constants: dict[str, Any]  # as given
    asked: tuple[str, ...]  # the properties that can kill: those that hold
    failing: tuple[str, ...]  # violated already
    kinds: dict[str, PropertyKind]  # by property
    seen: Searched  # in no seconds: part of a key


def graph_of(seen: Searched) -> tuple[Any, ...]:
    """What must agree for two graphs to be taken for equivalent."""
    return seen.digest, list(seen.levels), seen.generated, seen.pruned, list(seen.action_generated)


def baseline(original: Original, given: dict[str, Any], chosen: tuple[str, ...] | None, limits: Limits) -> Baseline:
    """Searches a model to its end. Raises UsageError if limits cut it off, and KeyboardInterrupt if the user did."""
    kinds = {p.name: p.kind for p in original.model.properties}
    names = tuple(kinds) if chosen is None else chosen
    try:
        with budget(limits.seconds, limits.memory):
            seen = _searched(original, names, limits)
            if seen.interrupted:
                raise KeyboardInterrupt
            if seen.cut is not None:
                raise OutOfBudget(seen.cut)
    except OutOfBudget as over:
        raise UsageError(
            f"the model itself is cut off {over} with these constants, so that no mutant can be compared with it: "
            f"choose smaller constants, or larger limits."
        ) from None
    asked = tuple(n for n in names if (n in seen.found) == kinds[n].holds_by_target)
    failing = tuple(n for n in names if n not in asked)
    return Baseline(given, asked, failing, kinds, replace(seen, seconds=0.0))


def _searched(original: Original, names: tuple[str, ...], limits: Limits) -> Searched:
    request = Request(properties=names, deadlock=True, limits=limits)
    prepared = engine("native").prepare(original.system, names)
    try:
        seen = prepared.search(request)
        if seen.complete or len(seen.found) < len(names) + 1:
            return seen
        whole = prepared.search(replace(request, properties=(), deadlock=False))
    except FoundFault as fault:
        raise replay_fault(original.model, fault, "native") from None
    return replace(whole, found=seen.found)
