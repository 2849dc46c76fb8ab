"""What to group a graph by that is too large to be drawn: expressions of this model, with the groups they make."""

import math
from collections.abc import Iterator

from isrcheck.errors import counted
from isrcheck.evidence.graph.explored import Explored
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import MapDomain, RecordDomain
from isrcheck.ir.show import show

LIMIT = 150  # nodes that can be drawn and still be read
_BEST = 12  # groups that are read at a glance


def advice(found: Explored) -> str:
    """Which --by to try, with the number of groups of each; empty for a graph that is small, or has none to offer.

    These are two expressions, of different variables, whose number of groups is nearest to one that is easily read.
    """
    if len(found.states) <= LIMIT:
        return ""
    known = [(name, text, values, len(set(values))) for name, text, values in _candidates(found)]
    best: dict[str, tuple[str, list[object], int]] = {}
    for name, text, values, groups in sorted(known, key=lambda one: abs(math.log(one[3] / _BEST))):
        if 2 <= groups <= LIMIT:
            best.setdefault(name, (f"--by {text}", values, groups))
    singles = list(best.values())[:2]
    options = [(words, groups) for words, _, groups in singles]
    both = len(set(zip(*(values for _, values, _ in singles), strict=True)))
    if len(singles) == 2 and both <= LIMIT:
        options.append((" ".join(words for words, _ in options), both))
    return ", or ".join(f"{words} ({counted(groups, 'group')})" for words, groups in options)


def _candidates(found: Explored) -> Iterator[tuple[str, str, list[object]]]:
    """Every variable, every field of a record, and the first entry of a map: variable, expression, values by state."""
    for place, (name, domain) in enumerate(found.stepper.model.domains.items()):
        first = next(codec(domain.key).values(), None) if isinstance(domain, MapDomain) else None
        if first is not None:
            yield name, f"'{name}[{show(first)}]'", [state[place][0] for state in found.states]
        if not isinstance(domain, MapDomain):
            yield name, name, [state[place] for state in found.states]
        for at, (part, _) in enumerate(domain.fields if isinstance(domain, RecordDomain) else ()):
            yield name, f"{name}.{part}", [state[place][at] for state in found.states]
