"""Warnings of what a constraint may have hidden from a run."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from isrcheck.engines.contract import RunResult, Searched
from isrcheck.ir.model import Method
from isrcheck.ir.nodes import ReadVariable, walk
from isrcheck.passes.bind import BoundModel

if TYPE_CHECKING:
    from isrcheck.passes.inline import Inliner


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
