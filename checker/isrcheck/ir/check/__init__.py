"""The domain checker: every expression has a domain, and what meets must match.

It says more than mypy: an Epoch is not an Offset, a history variable steers nothing.
"""

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

from isrcheck.errors import ModelError, refuse_recursion
from isrcheck.ir.check.statements import StatementChecker, refuse_state
from isrcheck.ir.model import ModelIR


def check_domains(ir: ModelIR) -> None:
    """Require that all domains fit, and that no helper calls itself. Raises ModelError."""
    for error in domain_errors(ir):
        raise error


def domain_errors(ir: ModelIR) -> Iterator[ModelError]:
    """Yield the first error of each method; if there is none, the errors between methods."""
    checker = StatementChecker(ir)
    is_wrong = False
    for method in (*ir.initials, *ir.helpers.values(), *ir.methods):
        try:
            with refuse_recursion(method.at):
                checker.method(method)
        except ModelError as error:
            is_wrong = True
            yield error
    if not is_wrong:
        yield from _errors_between(ir)


def _errors_between(ir: ModelIR) -> Iterator[ModelError]:
    try:
        refuse_state(ir)
        TopologicalSorter({name: helper.calls for name, helper in ir.helpers.items()}).prepare()
    except ModelError as error:
        yield error
    except CycleError as error:
        name = next(name for name in ir.helpers if name in error.args[1])
        sentence = f"{name}() calls itself."
        yield ModelError(ir.helpers[name].at, sentence, "Say what holds with all(), any() or max().")
