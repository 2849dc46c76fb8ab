"""Numbers that are known by what is said of them: the least of some, the greatest, how many.

Sorts are finite in every instance of a model, and so is what a comprehension runs over: the least, the greatest and the
count exist there. What is said of them is true there; a count is said to be 0 only of nothing, and no more.
"""

from collections.abc import Iterator
from itertools import count

from isrcheck.proofs.relational import terms as t
from isrcheck.proofs.relational.terms import Logic, Symbol


class Chosen:
    def __init__(self) -> None:
        self._known: dict[str, Symbol] = {}
        self._numbers = count(1)

    def extreme(
        self, is_least: bool, of: tuple[Logic, ...], such: Logic, element: Logic, default: Logic | None
    ) -> Logic:
        """The least or greatest `element` for variables `of` such that; the default if there are none."""
        result = t.variable("result", t.INT)
        some = t.exists(of, t.and_(such, t.eq(element, result)))
        bound = t.compare("<=", *((result, element) if is_least else (element, result)))
        every = t.forall(of, t.implies(such, bound))
        nothing = t.not_(t.exists(of, such))
        if default is not None:
            nothing = t.and_(nothing, t.eq(result, default))
        body = t.and_(t.or_(some, nothing), every)
        ends = t.least(element), None if default is None else t.least(default)
        low = None if ends[0] is None or ends[1] is None else min(ends[0], ends[1])
        return self._symbol("least" if is_least else "greatest", "chosen", body, result, low)

    def count(self, of: tuple[Logic, ...], such: Logic) -> Logic:
        counted = self._symbol("count", "count", t.exists(of, such), None, 0)
        counted.value.path = of, such
        return counted

    def _symbol(self, hint: str, role: str, body: Logic, result: Logic | None, low: int | None) -> Logic:
        key = f"{role} {t.alpha_key(body if result is None else t.forall((result,), body))}"
        free = tuple(sorted(body.free - {result}, key=t.age))
        symbol = self._known.get(key)
        if symbol is None:
            name = f"{hint}#{next(self._numbers)}"
            sorts = tuple(v.sort for v in free)
            symbol = Symbol(name, sorts, t.INT, role, low, parameters=free, body=body, result=result)
            self._known[key] = symbol
        return symbol(*symbol.parameters)


def definitions_of(symbol: Symbol) -> Iterator[Logic]:
    """Yield the laws of a chosen number or a count, for all parameters."""
    assert symbol.body is not None
    itself = symbol(*symbol.parameters)
    if symbol.role == "count":
        none = t.eq(t.eq(itself, t.number(0)), t.not_(symbol.body))
        yield t.forall(symbol.parameters, none)
    else:
        assert symbol.result is not None
        yield t.forall(symbol.parameters, t.substitute(symbol.body, {symbol.result: itself}))
    if symbol.low is not None:
        yield t.forall(symbol.parameters, t.compare("<=", t.number(symbol.low), itself))
