"""Warnings of what a constraint may have hidden from a run."""

from collections.abc import Iterator

from isrcheck.engines.contract import RunResult, Searched
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.passes.bind import BoundModel


def traps(model: BoundModel, result: RunResult, found_nothing: dict[str, PropertyKind]) -> Iterator[str]:
    """Yield the warnings; `found_nothing`: the properties that a complete search decided without a trace."""
    if not isinstance(result, Searched) or not result.outside:
        return
    from isrcheck.passes.cone import method_reads  # here: few models have constraints
    from isrcheck.passes.inline import Inliner

    inliner = Inliner(model.ir)
    names = " and ".join(each.name for each in model.ir.constraints)
    if not result.distinct:
        yield f"the initial state is outside {names}: nothing else was looked at."
        return
    do = f"do the constraints {names}" if len(model.ir.constraints) > 1 else f"does the constraint {names}"
    bounded = set[str]().union(*(method_reads(inliner, each) for each in model.ir.constraints))
    for each in model.properties:
        if each.name not in found_nothing:
            continue
        if each.kind.holds_by_target:
            yield f"{each.name} may be reached beyond {names}, where nothing was looked for."
        elif shared := sorted(method_reads(inliner, each) & bounded):
            read = " and ".join(shared)
            yield f"{each.name} reads {read}, and so {do}: a violation further beyond was not looked for."
