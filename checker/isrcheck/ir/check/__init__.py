"""The domain checker: every expression has a domain, and what meets must match.

Python's own types are checked by mypy where an author uses it; this says the same without it, and more: that an Epoch
is not an Offset, that a total map is given whole, that a history variable steers nothing.
"""

from isrcheck.errors import refusing_recursion
from isrcheck.ir.check.calls import refuse_recursion
from isrcheck.ir.check.statements import StatementChecker
from isrcheck.ir.model import ModelIR


def check_domains(ir: ModelIR) -> None:
    """Raises ModelError at the first expression whose parts do not match."""
    checker = StatementChecker(ir)
    conditions = (*ir.assumptions, *ir.applicability)
    for method in (*conditions, *ir.helpers.values(), *ir.actions, *ir.properties, *ir.lemmas):
        with refusing_recursion(method.at):
            checker.method(method)
    refuse_recursion(ir)
