"""Formulas as SMT-LIB text: sorts, symbols with what is true of them, and what is asserted."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from isrcheck.ir.scalar import quote
from isrcheck.proofs.relational import terms as t
from isrcheck.proofs.relational.chosen import definitions_of
from isrcheck.proofs.relational.terms import Logic, Symbol

Labelled = tuple[str, Logic]
LEMMA = "the lemma "  # begins the label of an assumed lemma


def script(asserted: Sequence[Labelled], cores: bool = False) -> str:
    """A text that is satisfiable if all of these can be true together. It depends on what they say alone.

    With `cores` a solver may say which lemmas refute it: those are named by their labels.
    Bound variables and chosen numbers are numbered as they stand in the text, whatever was read before it.
    """
    known = _population_atoms(asserted)
    asserted = [(label, t.simplify(term, known)) for label, term in asserted]
    asserted += [("known", t.and_(*(atom if holds else t.not_(atom) for atom, holds in known.items())))]
    symbols = list(t.symbols_of([term for _, term in asserted]))
    said = [(symbol, t.simplify(term, known)) for symbol in symbols for term in laws(symbol)]
    write = _ScriptNames(symbols)
    lines = [*(["(set-option :produce-unsat-cores true)"] if cores else []), "(set-logic ALL)"]
    lines += [f"(declare-sort {quote(sort)} 0)" for sort in _sorts(symbols, (term for _, term in asserted))]
    lines += [write.declaration(symbol) for symbol in symbols]
    lines += [f"(assert {write.term(term)})  ; of {write.name(of)}" for of, term in said if term is not t.TRUE]
    for label, term in asserted:
        if term is not t.TRUE:
            is_named = cores and label.startswith(LEMMA)
            formula = f"(! {write.term(term)} :named |{label}|)" if is_named else write.term(term)
            lines += [f"; {label}", f"(assert {formula})"]
    return "\n".join([*lines, "(check-sat)", *(["(get-unsat-core)"] if cores else []), ""])


def _population_atoms(asserted: Sequence[Labelled]) -> dict[Logic, bool]:
    """Whether a sort has a member, where that alone is asserted: so a sort that has one leaves no guard in the text."""
    conjuncts = [each for _, term in asserted for each in (term.args if term.op == "and" else (term,))]
    atoms = ((each, True) if each.op == "app" else (each.args[0], False) for each in conjuncts if each.op in _LITERALS)
    return {atom: holds for atom, holds in atoms if atom.op == "app" and atom.value.role == "inhabited"}


_LITERALS = ("app", "not")


def laws(symbol: Symbol) -> Iterator[Logic]:
    """Yield the laws of a symbol, true wherever it stands."""
    if symbol.role in ("chosen", "count"):
        yield from definitions_of(symbol)
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
    sorts = {sort for symbol in symbols for sort in (*symbol.domain, symbol.sort)}
    waiting, visited = list(terms), set[Logic]()
    while waiting:
        term = waiting.pop()
        if term not in visited:
            visited.add(term)
            waiting.extend(term.args)
            if term.op in ("forall", "exists"):
                sorts |= {variable.sort for variable in term.value}
    return sorted(sorts - {t.BOOL, t.INT})


def _sort(name: str) -> str:
    return name if name in (t.BOOL, t.INT) else quote(name)


class _ScriptNames:
    """Names of symbols and variables in one text."""

    def __init__(self, symbols: Iterable[Symbol]) -> None:
        self._variables: dict[Logic, str] = {}
        numbers = count(1)
        self._numbered = {s: f"{s.name.partition('#')[0]}#{next(numbers)}" for s in symbols if s.body is not None}

    def name(self, symbol: Symbol) -> str:
        return quote(self._numbered.get(symbol, symbol.name))

    def _variable(self, term: Logic) -> str:
        if term not in self._variables:
            self._variables[term] = quote(f"{t.hint(term)}!{len(self._variables) + 1}")
        return self._variables[term]

    def declaration(self, symbol: Symbol) -> str:
        return f"(declare-fun {self.name(symbol)} ({' '.join(map(_sort, symbol.domain))}) {_sort(symbol.sort)})"

    def term(self, term: Logic) -> str:
        match term.op:
            case "const":
                return str(term.value).lower() if term.sort == t.BOOL else str(term.value)
            case "var":
                return self._variable(term)
            case "forall" | "exists":
                bound = " ".join(f"({self._variable(v)} {_sort(v.sort)})" for v in term.value)
                return f"({term.op} ({bound}) {self.term(term.args[0])})"
        head = self.name(term.value) if term.op == "app" else term.op
        return f"({head} {' '.join(map(self.term, term.args))})" if term.args else head
