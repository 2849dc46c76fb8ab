"""The domains of operations, from those of their sides."""

from isrcheck.errors import ModelError
from isrcheck.ir.check.fit import an, comparable, join
from isrcheck.ir.domains import BOOL, Domain, MapDomain, SequenceDomain, SetDomain, describe
from isrcheck.ir.nodes import Operation, Operator

ORDER = (Operator.LT, Operator.LE, Operator.GT, Operator.GE)


def membership(node: Operation, element: Domain | None, container: Domain | None) -> Domain:
    """Of `element in container`. Raises ModelError if nothing is ever in it, or never this."""
    if isinstance(container, SetDomain | SequenceDomain):
        of = container.of
    elif isinstance(container, MapDomain):
        raise ModelError(node.at, "a total map has every key.", "Ask for its value: self.x[key] == ...")
    elif container is None:
        return BOOL
    else:
        raise ModelError(node.at, f"nothing is in {an(container)}.", "Ask whether it is in a set or a sequence.")
    if of is not None and element is not None and not comparable(of, element):
        raise ModelError(node.at, f"{an(element)} is never in {describe(container)}.", "Compare like with like.")
    return BOOL


def equality(node: Operation, left: Domain | None, right: Domain | None) -> Domain:
    """Of `left == right`. Raises ModelError if the two are never equal, or whole maps."""
    if isinstance(left, MapDomain) or isinstance(right, MapDomain):
        raise ModelError(node.at, "whole maps are not compared.", "Write all(self.x[k] == ... for k in ...).")
    if left is not None and right is not None and not comparable(left, right):
        raise ModelError(node.at, f"{an(left)} never equals {an(right)}.", "Compare like with like.")
    return BOOL


def set_operation(node: Operation, left: SetDomain, right: Domain | None) -> Domain | None:
    """Of an operator between sets. Raises ModelError if it is none, or the sets are of two kinds."""
    if node.operator in (Operator.ADD, Operator.MUL, Operator.DIV, Operator.MOD):
        raise ModelError(node.at, f"`{node.operator.value}` does not join sets.", "Use | & or -.")
    if right is None:
        return None
    if not isinstance(right, SetDomain) or not comparable(left, right):
        raise ModelError(node.at, f"{an(left)} and {an(right)} do not go together.", "Use two sets of one kind.")
    if node.operator in ORDER:
        return BOOL
    return SetDomain(join(left.of, right.of) or left.of or right.of, left.frozen)


def concatenation(node: Operation, left: SequenceDomain, right: Domain | None) -> Domain | None:
    """Of `left + right` between sequences. Raises ModelError if their elements are of two kinds."""
    if right is None:
        return None
    if not isinstance(right, SequenceDomain) or not comparable(left, right):
        raise ModelError(node.at, f"{an(left)} and {an(right)} do not go together.", "Add a sequence: log + (record,).")
    return SequenceDomain(join(left.of, right.of) or left.of or right.of)
