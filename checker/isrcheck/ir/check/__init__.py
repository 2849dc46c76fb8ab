"""The domain checker: every expression has a domain, and what meets must match.

It says more than mypy: an Epoch is not an Offset, a history variable steers nothing.
"""

from graphlib import CycleError, TopologicalSorter

from isrcheck.errors import ModelError, refusing_recursion
from isrcheck.ir.check.behaviours import refuse_state
from isrcheck.ir.check.statements import StatementChecker
from isrcheck.ir.model import ModelIR


def check_domains(ir: ModelIR) -> None:
    """Raises ModelError where parts do not match, or a helper calls itself."""
    checker = StatementChecker(ir)
    conditions = (*ir.assumptions, *ir.applicability, *ir.initials)
    for method in (
        *conditions,
        *ir.helpers.values(),
        *ir.actions,
        *ir.properties,
        *ir.lemmas,
        *ir.initials,
        *ir.constraints,
        *ir.temporal,
        *ir.environments,
        *filter(None, [ir.view, ir.canonical]),
    ):
        with refusing_recursion(method.at):
            checker.method(method)
    refuse_state(ir)
    try:
        TopologicalSorter({name: helper.calls for name, helper in ir.helpers.items()}).prepare()
    except CycleError as error:
        name = next(name for name in ir.helpers if name in error.args[1])
        sentence = f"{name}() calls itself."
        raise ModelError(ir.helpers[name].at, sentence, "Say what holds with all(), any() or max().") from None
