"""Formulas as SMT-LIB text: sorts, symbols with what is true of them, and what is asserted."""

from collections.abc import Iterable, Iterator, Sequence

from isrcheck.ir.smtlib import quoted
from isrcheck.passes.relational import terms as t
from isrcheck.passes.relational.chosen import said_of
from isrcheck.passes.relational.terms import Logic, Symbol

Labelled = tuple[str, Logic]


def script(asserted: Sequence[Labelled]) -> str:
    """A text that is satisfiable if all of these can be true together."""
    symbols = list(t.symbols_of([term for _, term in asserted]))
    said = [(symbol.name, term) for symbol in symbols for term in laws(symbol)]
    lines = ["(set-logic ALL)"]
    lines += [f"(declare-sort {quoted(sort)} 0)" for sort in _sorts(symbols, (term for _, term in asserted))]
    lines += [_declared(symbol) for symbol in symbols]
    lines += [f"(assert {written(term)})  ; of {quoted(name)}" for name, term in said if term is not t.TRUE]
    for label, term in asserted:
        if term is not t.TRUE:
            lines += [f"; {label}", f"(assert {written(term)})"]
    return "\n".join([*lines, "(check-sat)", ""])


def laws(symbol: Symbol) -> Iterator[Logic]:
    """What is true of a symbol wherever it stands."""
    if symbol.role in ("chosen", "count"):
        yield from said_of(symbol)
    elif symbol.role == "member":
        yield _extensionality(symbol)
    elif symbol.low is not None or symbol.high is not None:
        variables = tuple(t.variable("x", sort) for sort in symbol.domain)
        value = symbol(*variables)
        if symbol.low is not None:
            yield t.forall(variables, t.make("<=", t.BOOL, None, (t.number(symbol.low), value)))
        if symbol.high is not None:
            yield t.forall(variables, t.make("<=", t.BOOL, None, (value, t.number(symbol.high))))


def _extensionality(member: Symbol) -> Logic:
    """Sets with the same members are one."""
    one, other = (t.variable(hint, member.domain[1]) for hint in ("s", "t"))
    somebody = t.variable("x", member.domain[0])
    same = t.forall((somebody,), t.eq(member(somebody, one), member(somebody, other)))
    return t.forall((one, other), t.implies(same, t.eq(one, other)))


def _sorts(symbols: Iterable[Symbol], terms: Iterable[Logic]) -> list[str]:
    found = {sort for symbol in symbols for sort in (*symbol.domain, symbol.sort)}
    waiting, seen = list(terms), set[Logic]()
    while waiting:
        term = waiting.pop()
        if term not in seen:
            seen.add(term)
            waiting.extend(term.args)
            if term.op in ("forall", "exists"):
                found |= {variable.sort for variable in term.value}
    return sorted(found - {t.BOOL, t.INT})


def _declared(symbol: Symbol) -> str:
    return f"(declare-fun {quoted(symbol.name)} ({' '.join(map(_sort, symbol.domain))}) {_sort(symbol.sort)})"


def _sort(name: str) -> str:
    return name if name in (t.BOOL, t.INT) else quoted(name)


def written(term: Logic) -> str:
    match term.op:
        case "const":
            return str(term.value).lower() if term.sort == t.BOOL else str(term.value)
        case "var":
            return quoted(str(term.value))
        case "forall" | "exists":
            bound = " ".join(f"({quoted(str(v.value))} {_sort(v.sort)})" for v in term.value)
            return f"({term.op} ({bound}) {written(term.args[0])})"
    head = quoted(term.value.name) if term.op == "app" else term.op
    return f"({head} {' '.join(map(written, term.args))})" if term.args else head
