"""Scalars in SMT-LIB text. A sort is Bool, Int or (_ BitVec n)."""

from isrcheck.ir.interval import is_endless

_KEPT = {chr(code) for code in range(0x20, 0x7F)} - set("|\\{")


def quote(name: str) -> str:
    """A character that a symbol cannot hold stands as its number in braces."""
    return f"|{''.join(c if c in _KEPT else f'{{{ord(c):X}}}' for c in name)}|"


def apply(name: str, *rows: str) -> str:
    """The application of a symbol to arguments; without arguments, the constant."""
    terms = " ".join(filter(None, rows))
    return f"({quote(name)} {terms})" if terms else quote(name)


def literal(sort: str, value: int) -> str:
    if sort == "Bool":
        return ("false", "true")[value]
    return str(value) if sort == "Int" else f"(_ bv{value} {sort.split()[2].rstrip(')')})"


def inside(symbol: str, sort: str, size: int) -> str:
    if sort == "Bool" or (is_endless(size) and sort != "Int"):
        return "true"
    if sort != "Int":
        return f"(bvule {symbol} {literal(sort, size - 1)})"
    return f"(<= 0 {symbol})" if is_endless(size) else f"(<= 0 {symbol} {size - 1})"


def all_of(*terms: str) -> str:
    return f"(and true {' '.join(terms)})"


def any_of(*terms: str) -> str:
    return f"(or false {' '.join(terms)})"


def negate(formula: str) -> str:
    return f"(not {formula})"
