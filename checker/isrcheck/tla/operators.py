"""Operators between terms, with what is idle left out."""

from isrcheck.ir.nodes import Operator
from isrcheck.tla.terms import EMPTY, Apply, Infix, Term, Tuple, Word, both, number, parts

SIGNS = {Operator.LE: "<=", Operator.GE: ">=", Operator.DIV: "\\div"}


def is_name(term: Term) -> bool:
    """Whether a term is a plain name or number."""
    return isinstance(term, Word)


def is_short(term: Term) -> bool:
    """Whether a term may be written where a parameter stands, however often."""
    return len(parts(term)) <= 4


def plus(term: Term, by: int) -> Term:
    """term + by, with numbers added up."""
    match term:
        case Word(text=text) if text.isdigit():
            return number(int(text) + by)
        case Infix(sign="+" | "-" as sign, left=left, right=Word(text=text)) if text.isdigit():
            by += int(text) if sign == "+" else -int(text)
            return plus(left, by)
    if by == 0:
        return term
    return Infix("+" if by > 0 else "-", term, Word(str(abs(by))))


def interval(start: Term, stop: Term) -> Term:
    """range(start, stop)."""
    return Infix("..", start, plus(stop, -1))


def joined(left: Term, right: Term) -> Term:
    """Two sequences behind each other."""
    match left, right:
        case Tuple(elements=one), Tuple(elements=two):
            return Tuple(one + two)
        case _, Tuple(elements=(element,)):
            return Apply("Append", (left, element))
    return right if left == EMPTY else left if right == EMPTY else Infix("\\o", left, right)


def set_operation(operator: Operator, left: Term, right: Term) -> Term:
    match operator:
        case Operator.UNION:
            return Infix("\\cup", left, right)
        case Operator.INTERSECTION:
            return Infix("\\cap", left, right)
        case Operator.SUB:
            return Infix("\\", left, right)
        case Operator.LE:
            return Infix("\\subseteq", left, right)
        case Operator.GE:
            return Infix("\\subseteq", right, left)
        case Operator.LT:
            return both(Infix("\\subseteq", left, right), Infix("#", left, right))
        case Operator.GT:
            return both(Infix("\\subseteq", right, left), Infix("#", right, left))
    raise AssertionError(f"{operator} between sets")
