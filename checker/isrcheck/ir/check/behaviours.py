"""What temporal properties run over and which steps are fair is known before the search: no state decides it."""

from collections.abc import Iterator

from isrcheck.errors import ModelError
from isrcheck.ir.model import ModelIR
from isrcheck.ir.nodes import Call, Everything, IntegerRange, Perform, ReadVariable
from isrcheck.ir.traversal import walk


def refuse_state(model: ModelIR) -> None:
    """Raises ModelError where one of these reads a variable, or runs over something else than members or numbers."""
    for method in model.temporal:
        for clause in method.clauses:
            if not isinstance(clause.source, Everything | IntegerRange):
                sentence = f"{method.name}() runs over something else than a sort, an enumeration or range()."
                raise ModelError(clause.source.at, sentence, f"Write `for {clause.target} in ...` with one of these.")
            for name in _variables(model, (clause.source, clause.conditions)):
                sentence = f"what {method.name}() runs over depends on the variable {name}."
                remedy = "Move the condition into the formula, such as leads_to(a and P, Q)."
                raise ModelError(clause.at, sentence, remedy)
    for environment in model.environments:
        for name in _variables(model, environment.body):
            sentence = f"the fairness {environment.name}() reads the variable {name}."
            raise ModelError(environment.at, sentence, "It may read the step taken, and constants.")


def _variables(model: ModelIR, text: object) -> Iterator[str]:
    waiting, called = [text], set[str]()
    while waiting:
        for part in walk(waiting.pop()):
            if isinstance(part, ReadVariable):
                yield part.name
            elif isinstance(part, Call | Perform) and part.helper not in called:
                called.add(part.helper)
                waiting.append(model.helpers[part.helper].body)
