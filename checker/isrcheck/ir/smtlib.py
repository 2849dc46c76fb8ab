"""Scalars in SMT-LIB text. A sort is Bool, Int or (_ BitVec n)."""

_KEPT = {chr(code) for code in range(0x20, 0x7F)} - set("|\\{")


def quote(name: str) -> str:
    """A character that a symbol cannot hold stands as its number in braces."""
    return f"|{''.join(c if c in _KEPT else f'{{{ord(c):X}}}' for c in name)}|"
