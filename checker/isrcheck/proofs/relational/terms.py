"""Many-sorted first-order terms with integers. Equal terms are one object."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import count
from typing import Any

BOOL, INT = "Bool", "Int"


class Logic:
    """A term: `op` is const, var, app (of Symbol `value`), forall or exists (of variables `value`), or an operator."""

    __slots__ = ("args", "free", "op", "sort", "value")

    def __init__(self, op: str, sort: str, value: Any, args: "tuple[Logic, ...]") -> None:
        self.op, self.sort, self.value, self.args = op, sort, value, args
        free = frozenset[Logic]().union(*(a.free for a in args)) if args else frozenset()
        if op == "var":
            free = frozenset((self,))
        elif op in ("forall", "exists"):
            free -= frozenset(value)
        self.free: frozenset[Logic] = free

    def __repr__(self) -> str:
        return f"({self.op} {self.value} {self.args})" if self.args else str(self.value)


@dataclass(eq=False)
class Symbol:
    """A function; a predicate if `sort` is Bool.

    `role`: state, constant, argument, member (of a set that is an element), inhabited (whether a sort is), chosen
    (what `body` says of `result`, for all `parameters`), count (0 where `body` is false).
    """

    name: str
    domain: tuple[str, ...]
    sort: str
    role: str
    low: int | None = None  # the least integer that it can be, where that is known
    high: int | None = None
    parameters: tuple[Logic, ...] = ()
    body: Logic | None = None
    result: Logic | None = None
    path: Any = field(default=None, repr=False)  # of a state's, where it is found there; of a count, what is counted

    def __call__(self, *args: Logic) -> Logic:
        assert tuple(a.sort for a in args) == self.domain, (self.name, self.domain, [a.sort for a in args])
        return make("app", self.sort, self, args)

    def __str__(self) -> str:
        return self.name


_numbers = count(1)


@lru_cache(maxsize=None, typed=True)  # a truth value is not the number that it equals
def make(op: str, sort: str, value: Any, args: "tuple[Logic, ...]") -> Logic:
    return Logic(op, sort, value, args)


TRUE, FALSE = make("const", BOOL, True, ()), make("const", BOOL, False, ())


def variable(hint: str, sort: str) -> Logic:
    """Return a new variable of a sort, unlike every other; `hint` begins its name."""
    return make("var", sort, f"{hint.split(chr(39))[0]}!{next(_numbers)}", ())


def hint(variable: Logic) -> str:
    """The name of a variable, without its number."""
    return str(variable.value).partition("!")[0]


def age(variable: Logic) -> int:
    """The number of a variable: later ones have greater numbers."""
    return int(variable.value.rpartition("!")[2])


def number(value: int) -> Logic:
    return make("const", INT, int(value), ())


def truth(value: bool) -> Logic:
    return TRUE if value else FALSE


def not_(term: Logic) -> Logic:
    if term.op == "const":
        return truth(not term.value)
    return term.args[0] if term.op == "not" else make("not", BOOL, None, (term,))


def and_(*terms: Logic) -> Logic:
    return _join("and", TRUE, FALSE, terms)


def or_(*terms: Logic) -> Logic:
    return _join("or", FALSE, TRUE, terms)


def _join(op: str, unit: Logic, zero: Logic, terms: Sequence[Logic]) -> Logic:
    kept: dict[Logic, None] = {}
    for term in terms:
        for operand in term.args if term.op == op else (term,):
            if operand is zero or not_(operand) in kept:
                return zero
            if operand is not unit:
                kept[operand] = None
    operands = tuple(kept)
    return unit if not operands else operands[0] if len(operands) == 1 else make(op, BOOL, None, operands)


def implies(one: Logic, other: Logic) -> Logic:
    if one is TRUE or other is TRUE:
        return other
    if one is FALSE or one is other:
        return TRUE
    return not_(one) if other is FALSE else make("=>", BOOL, None, (one, other))


def ite(test: Logic, then: Logic, other: Logic) -> Logic:
    if test.op == "const":
        return then if test.value else other
    if then is other:
        return then
    if then.sort == BOOL:
        if then is TRUE:
            return or_(test, other)
        if then is FALSE:
            return and_(not_(test), other)
        if other is TRUE:
            return implies(test, then)
        if other is FALSE:
            return and_(test, then)
    return make("ite", then.sort, None, (test, then, other))


def eq(one: Logic, other: Logic) -> Logic:
    assert one.sort == other.sort, (one.sort, other.sort)
    if one is other:
        return TRUE
    if one.op == other.op == "const":
        return FALSE
    if one.sort == BOOL:
        for a, b in ((one, other), (other, one)):
            if a.op == "const":
                return b if a.value else not_(b)
    return make("=", BOOL, None, (one, other))


def compare(op: str, one: Logic, other: Logic) -> Logic:
    """Return `one` < or <= `other`, as `op` says."""
    if one.op == other.op == "const":
        return truth(one.value < other.value if op == "<" else one.value <= other.value)
    if one is other:
        return truth(op == "<=")
    return make(op, BOOL, None, (one, other))


def arithmetic(op: str, one: Logic, other: Logic) -> Logic:
    """Return `one` +, -, *, div or mod `other`, as `op` says; the divisor is positive."""
    if one.op == other.op == "const" and (op not in ("div", "mod") or other.value > 0):
        a, b = one.value, other.value
        return number({"+": a + b, "-": a - b, "*": a * b}[op] if op in "+-*" else a // b if op == "div" else a % b)
    if other.op == "const" and other.value == 0 and op in "+-":
        return one
    if one.op == "const" and one.value == 0 and op == "+":
        return other
    if other.op == "const" and one.op in "+-" and one.args and one.args[1].op == "const" and op in "+-":
        added = (1 if one.op == "+" else -1) * one.args[1].value + (1 if op == "+" else -1) * other.value
        return arithmetic("+" if added >= 0 else "-", one.args[0], number(abs(added)))
    return make(op, INT, None, (one, other))


def forall(variables: Iterable[Logic], body: Logic) -> Logic:
    return _quantify("forall", variables, body)


def exists(variables: Iterable[Logic], body: Logic) -> Logic:
    return _quantify("exists", variables, body)


def _quantify(op: str, variables: Iterable[Logic], body: Logic) -> Logic:
    """Sorts have a member, so a variable that is not read is left out."""
    kept = tuple(v for v in variables if v in body.free)
    if not kept:
        return body
    if body.op == op:
        return make(op, BOOL, (*kept, *body.value), body.args)
    return make(op, BOOL, kept, (body,))


def least(term: Logic) -> int | None:
    """An integer that it is never below, if one is seen; the symbols' own bounds hold."""
    match term.op:
        case "const":
            return int(term.value)
        case "app":
            return term.value.low  # type: ignore[no-any-return] # the value of an app is a Symbol
    match term.op, [least(a) for a in (term.args[1:] if term.op == "ite" else term.args)]:
        case "ite", [int(a), int(b)]:
            return min(a, b)
        case "+", [int(a), int(b)]:
            return a + b
        case "*", [int(a), int(b)] if min(a, b) >= 0:
            return a * b
        case "mod" | "div", [int(a), _] if a >= 0:
            return 0
    return None


def symbols_of(terms: Iterable[Logic]) -> Iterator[Symbol]:
    """The symbols of these terms, each once, after those that its body reads."""
    visited: set[Logic | Symbol] = set()
    listed: dict[Symbol, None] = {}

    def visit(term: Logic) -> None:
        if term in visited:
            return
        visited.add(term)
        for argument in term.args:
            visit(argument)
        if term.op == "app" and term.value not in listed:
            if term.value.body is not None and term.value not in visited:
                visited.add(term.value)
                visit(term.value.body)
            listed.setdefault(term.value)

    for term in terms:
        visit(term)
    yield from listed


def alpha_key(term: Logic) -> str:
    """A text that is the same for terms that differ in the names of bound variables only."""
    names: dict[Logic, str] = {}

    def write(inner: Logic) -> str:
        if inner.op == "var":
            return names.get(inner, str(inner.value))
        if inner.op in ("forall", "exists"):
            for v in inner.value:
                names[v] = f"${len(names)}:{v.sort}"
            return f"({inner.op} {' '.join(names[v] for v in inner.value)} {write(inner.args[0])})"
        head = f"f{id(inner.value)}" if inner.op == "app" else str(inner.value) if inner.op == "const" else inner.op
        return f"({head} {' '.join(map(write, inner.args))})" if inner.args else head

    return write(term)


def substitute(term: Logic, by: dict[Logic, Logic]) -> Logic:
    """Replace free variables by terms; none of them is bound inside."""
    if not (term.free & by.keys()):
        return term
    if term.op == "var":
        return by[term]
    args = tuple(substitute(a, by) for a in term.args)
    return make(term.op, term.sort, term.value, args)


def simplify(term: Logic, known: Mapping[Logic, bool]) -> Logic:
    """Simplify a term in which the truth of these atoms without variables is known."""

    @cache
    def visit(inner: Logic) -> Logic:
        return truth(known[inner]) if inner in known else _rebuild(inner, [*map(visit, inner.args)])

    return visit(term) if known else term


def _rebuild(term: Logic, args: list[Logic]) -> Logic:
    if all(one is other for one, other in zip(term.args, args, strict=True)):
        return term
    if term.op in ("forall", "exists"):
        return _quantify(term.op, term.value, *args)
    build = _BUILDERS.get(term.op)
    return make(term.op, term.sort, term.value, tuple(args)) if build is None else build(*args)


_BUILDERS: dict[str, Callable[..., Logic]] = {"not": not_, "and": and_, "or": or_, "=>": implies, "ite": ite, "=": eq}
