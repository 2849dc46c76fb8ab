"""z3 terms as SMT-LIB text in which what is shared is written once (z3's own printer lays out large terms for minutes)."""

from collections import Counter
from collections.abc import Iterator

import z3

_NAMES = {"if": "ite"}  # where z3's name of a function is not SMT-LIB's
_SHORT = 24  # characters; a shared term that is shorter is written wherever it stands


def written(term: z3.ExprRef) -> str:
    """The term, with a `let` for every longer part that stands in it more than once."""
    order = list(_parts(term))
    uses = Counter(child.get_id() for part in order for child in part.children())
    texts: dict[int, str] = {}
    bound: list[tuple[str, str]] = []
    for part in order:
        text = _applied(part, [texts[child.get_id()] for child in part.children()])
        if uses[part.get_id()] > 1 and len(text) > _SHORT:
            bound.append((f"?{len(bound) + 1}", text))
            text = bound[-1][0]
        texts[part.get_id()] = text
    lets = "".join(f"(let (({name} {text}))\n  " for name, text in bound)
    return f"{lets}{texts[term.get_id()]}{')' * len(bound)}"


def _parts(term: z3.ExprRef) -> Iterator[z3.ExprRef]:
    """Every distinct part, arguments before what is made of them."""
    seen: set[int] = set()
    waiting = [(term, False)]
    while waiting:
        part, opened = waiting.pop()
        if opened:
            yield part
        elif part.get_id() not in seen:
            seen.add(part.get_id())
            waiting.append((part, True))
            waiting += [(child, False) for child in reversed(part.children())]


def _applied(term: z3.ExprRef, arguments: list[str]) -> str:
    if not arguments:
        return str(term.sexpr())
    function = term.decl()
    name = _NAMES.get(function.name(), function.name())
    if parameters := function.params():
        name = f"(_ {name} {' '.join(map(str, parameters))})"
    return f"({name} {' '.join(arguments)})"
