"""TLA+ terms: what an expression is made of. `layout.py` writes them."""

from collections.abc import Callable, Iterable
from typing import Any

from isrcheck.ir.frozen import Frozen, replace
from isrcheck.ir.nodes import Operator


class TlaNode(Frozen):
    """A term, or a part of one."""


class Lexeme(TlaNode):  # a name, a number, a string, TRUE, FALSE or @
    spelling: str


class Infix(TlaNode):  # left = right
    sign: str
    left: "Term"
    right: "Term"


class Prefix(TlaNode):  # ~, SUBSET, UNION, DOMAIN or UNCHANGED
    sign: str
    operand: "Term"


class Prime(TlaNode):  # the operand's value in the next state
    operand: "Term"


class Apply(TlaNode):  # without arguments its name alone
    name: str
    arguments: "tuple[Term, ...]"


class Index(TlaNode):  # function[argument]
    function: "Term"
    argument: "Term"


class Dot(TlaNode):  # record.field
    record: "Term"
    field: str


class Junction(TlaNode):  # /\ or \/ of any number of operands
    sign: str
    operands: "tuple[Term, ...]"


class If(TlaNode):
    condition: "Term"
    then: "Term"
    other: "Term"


class Definition(TlaNode):  # name(parameters) == value
    name: str
    parameters: tuple[str, ...]
    value: "Term"


class LetIn(TlaNode):
    definitions: tuple[Definition, ...]
    body: "Term"


class Bind(TlaNode):  # names \in a set
    names: tuple[str, ...]
    of: "Term"


class Binder(TlaNode):
    r"""A term with bound names: \A x \in S : body, \E, {x \in S : body}, [x \in S |-> body] or LAMBDA x : body.

    `head` is what it begins with; that of a LAMBDA has the name, which is in no set.
    """

    head: str
    binds: tuple[Bind, ...]
    body: "Term"


class Mapped(TlaNode):  # {value : x \in S}
    value: "Term"
    bind: Bind


CLOSING = {"{": "}", "[": "]", "<<": ">>"}


class Listing(TlaNode):  # {a, b}, <<a, b>> or [S -> T], by what it begins with
    opening: str
    elements: "tuple[Term, ...]"


class Fields(TlaNode):  # [name |-> value, ...], or a set of records [name: set, ...], by the sign
    sign: str
    fields: "tuple[tuple[str, Term], ...]"


class Update(TlaNode):  # ![key][key].field = value, of an EXCEPT
    keys: "tuple[Term, ...]"
    field: str
    value: "Term"


class Except(TlaNode):
    function: "Term"
    updates: tuple[Update, ...]


class Box(TlaNode):  # [][action]_vars
    action: "Term"
    subscript: str


Term = (
    Lexeme | Infix | Prefix | Prime | Apply | Index | Dot | Junction | If | LetIn | Binder | Mapped | Listing | Fields
    | Except | Box
)  # fmt: skip


def braces(terms: Iterable[Term]) -> Term:
    """Return the set {a, b}."""
    return Listing("{", tuple(terms))


def sequence(terms: Iterable[Term]) -> Term:
    """Return the sequence <<a, b>>."""
    return Listing("<<", tuple(terms))


def function(name: str, of: Term, value: Term) -> Term:
    r"""Return the function [name \in of |-> value]."""
    return Binder("[", (Bind((name,), of),), value)


TRUE, FALSE, AT, EMPTY_SET, EMPTY = Lexeme("TRUE"), Lexeme("FALSE"), Lexeme("@"), braces(()), sequence(())


def number(value: int) -> Term:
    """Return an integer as a term; TLA+ has no negative literals."""
    return Lexeme(str(value)) if value >= 0 else Prefix("-", Lexeme(str(-value)))


def both(*operands: Term) -> Term:
    """The conjunction of these; nested ones are joined, TRUE is left out."""
    return _junction("/\\", operands, TRUE, FALSE)


def either(*operands: Term) -> Term:
    """The disjunction of these; nested ones are joined, FALSE is left out."""
    return _junction("\\/", operands, FALSE, TRUE)


def _junction(sign: str, operands: tuple[Term, ...], neutral: Term, deciding: Term) -> Term:
    flat: list[Term] = []
    for term in operands:
        flat.extend(term.operands if isinstance(term, Junction) and term.sign == sign else (term,))
    kept = [term for term in flat if term != neutral]
    if kept and kept[0] == deciding:
        return deciding
    if not kept:
        return neutral
    return kept[0] if len(kept) == 1 else Junction(sign, tuple(kept))


_OPPOSITE = {"=": "#", "#": "=", "\\in": "\\notin", "\\notin": "\\in", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def negate(term: Term) -> Term:
    match term:
        case Infix(sign, left, right) if sign in _OPPOSITE:
            return Infix(_OPPOSITE[sign], left, right)
        case Prefix("~", operand):
            return operand
        case Lexeme("TRUE"):
            return FALSE
        case Lexeme("FALSE"):
            return TRUE
        case Infix("=>", one, two):
            return both(one, negate(two))
        case Binder("\\E", binds, Junction("/\\", (*most, last))):  # if all but the last is so, that one is not
            return Binder("\\A", binds, implies(both(*most), negate(last)))
        case Binder("\\E", binds, body):
            return Binder("\\A", binds, negate(body))
    return Prefix("~", term)


def implies(condition: Term, then: Term) -> Term:
    """An implication, or less where one side is TRUE or FALSE."""
    if condition == TRUE or then == TRUE:
        return then
    return TRUE if condition == FALSE else Infix("=>", condition, then)


def choose(condition: Term, then: Term, other: Term) -> Term:
    """An IF, unless it is decided."""
    if condition == TRUE or then == other:
        return then
    return other if condition == FALSE else If(condition, then, other)


def let(definitions: Iterable[Definition], body: Term) -> Term:
    defined = tuple(definitions)
    return LetIn(defined, body) if defined else body


def subterms(term: Any) -> list[Any]:
    terms, waiting = [], [term]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, tuple):
            waiting += inner
        elif isinstance(inner, TlaNode):
            terms.append(inner)
            waiting += vars(inner).values()
    return terms


def words(term: Any) -> set[str]:
    inner = subterms(term)
    words = {t.spelling for t in inner if isinstance(t, Lexeme)}
    return words.union(t.name for t in inner if isinstance(t, Apply))


def bound_names(term: Any) -> set[str]:
    """The names that mean something inside a term alone."""
    every = [*subterms(term)]
    binds = {name for t in every if isinstance(t, Bind) for name in t.names}
    return binds.union(t.name for t in every if isinstance(t, Definition))


def rewritten(term: Any, rule: Callable[[Any], Any]) -> Any:
    """The term with the rule applied from the outside in, ending where it changes."""
    new = rule(term)
    if new is not term:
        return new
    if isinstance(term, tuple):
        return tuple(rewritten(inner, rule) for inner in term)
    if isinstance(term, TlaNode):
        parts = {n: rewritten(of, rule) for n, of in vars(term).items()}
        return replace(term, **parts)
    return term


# Operators, simplified where an operand is a number or empty

SIGNS = {Operator.LE: "<=", Operator.GE: ">=", Operator.DIV: "\\div", Operator.IN: "\\in", Operator.NOT_IN: "\\notin"}


def is_short(term: Term) -> bool:
    return len(subterms(term)) <= 4


def plus(term: Term, by: int) -> Term:
    """term + by, with numbers added up."""
    match term:
        case Lexeme(digits) if digits.isdigit():
            return number(int(digits) + by)
        case Infix("+" | "-" as sign, left, Lexeme(digits)) if digits.isdigit():
            return plus(left, by + (int(digits) if sign == "+" else -int(digits)))
    if by == 0:
        return term
    return Infix("+" if by > 0 else "-", term, Lexeme(str(abs(by))))


def concatenate(left: Term, right: Term) -> Term:
    match left, right:
        case Listing("<<", one), Listing("<<", two):
            return sequence(one + two)
        case _, Listing("<<", (element,)):
            return Apply("Append", (left, element))
    return right if left == EMPTY else left if right == EMPTY else Infix("\\o", left, right)


_OF_SETS = {
    Operator.UNION: "\\cup",
    Operator.INTERSECTION: "\\cap",
    Operator.SUB: "\\",
    **dict.fromkeys((Operator.LE, Operator.LT, Operator.GE, Operator.GT), "\\subseteq"),
}


def set_operation(operator: Operator, left: Term, right: Term) -> Term:
    if operator in (Operator.GE, Operator.GT):
        left, right = right, left
    term = Infix(_OF_SETS[operator], left, right)
    return both(term, Infix("#", left, right)) if operator in (Operator.LT, Operator.GT) else term
