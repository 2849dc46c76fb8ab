"""Ranges of temporal properties and fair steps: they are known before the search, no state decides them."""

from collections.abc import Iterator

from isrcheck.errors import ModelError
from isrcheck.ir.model import ModelIR
from isrcheck.ir.nodes import Call, Everything, IntegerRange, Perform, ReadVariable
from isrcheck.ir.traversal import walk


def refuse_state(model: ModelIR) -> None:
    """Refuse one that reads a variable, or ranges over something else than members or numbers. Raises ModelError."""
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


def _variables(model: ModelIR, nodes: object) -> Iterator[str]:
    waiting, called = [nodes], set[str]()
    while waiting:
        for node in walk(waiting.pop()):
            if isinstance(node, ReadVariable):
                yield node.name
            elif isinstance(node, Call | Perform) and node.helper not in called:
                called.add(node.helper)
                waiting.append(model.helpers[node.helper].body)
