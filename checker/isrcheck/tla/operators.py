"""Operators between terms, simplified where an operand is a number or empty."""

from isrcheck.ir.nodes import Operator
from isrcheck.tla.terms import EMPTY, Apply, Infix, Listing, Term, Word, both, number, sequence, subterms

SIGNS = {Operator.LE: "<=", Operator.GE: ">=", Operator.DIV: "\\div"}


def is_name(term: Term) -> bool:
    """Whether a term is a plain name or number."""
    return isinstance(term, Word)


def is_short(term: Term) -> bool:
    """Whether a term may be written where a parameter stands, however often."""
    return len(subterms(term)) <= 4


def plus(term: Term, by: int) -> Term:
    """term + by, with numbers added up."""
    match term:
        case Word(text) if text.isdigit():
            return number(int(text) + by)
        case Infix("+" | "-" as sign, left, Word(text)) if text.isdigit():
            return plus(left, by + (int(text) if sign == "+" else -int(text)))
    if by == 0:
        return term
    return Infix("+" if by > 0 else "-", term, Word(str(abs(by))))


def interval(start: Term, stop: Term) -> Term:
    """range(start, stop)."""
    return Infix("..", start, plus(stop, -1))


def concatenated(left: Term, right: Term) -> Term:
    """Two sequences behind each other."""
    match left, right:
        case Listing("<<", one), Listing("<<", two):
            return sequence(one + two)
        case _, Listing("<<", (element,)):
            return Apply("Append", (left, element))
    return right if left == EMPTY else left if right == EMPTY else Infix("\\o", left, right)


def set_operation(operator: Operator, left: Term, right: Term) -> Term:
    match operator:
        case Operator.UNION | Operator.INTERSECTION | Operator.SUB:
            signs = {Operator.UNION: "\\cup", Operator.INTERSECTION: "\\cap", Operator.SUB: "\\"}
            return Infix(signs[operator], left, right)
        case Operator.LE | Operator.LT:
            within = Infix("\\subseteq", left, right)
        case Operator.GE | Operator.GT:
            within = Infix("\\subseteq", right, left)
        case _:
            raise AssertionError(f"{operator} between sets")
    is_strict = operator in (Operator.LT, Operator.GT)
    return both(within, Infix("#", within.left, within.right)) if is_strict else within
