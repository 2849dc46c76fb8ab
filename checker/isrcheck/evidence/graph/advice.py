"""What to group a graph by that is too large to be drawn: expressions of this model, with the groups they make."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import itemgetter

from isrcheck.engines.reference import State
from isrcheck.errors import counted
from isrcheck.evidence.graph.explored import Explored
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import MapDomain, RecordDomain
from isrcheck.ir.show import show

LIMIT = 150  # nodes that can be drawn and still be read
_BEST = 12  # groups that are read at a glance


@dataclass(frozen=True)
class _Candidate:
    """An expression of one variable, and its value in a state as the search keeps it."""

    text: str
    variable: str
    value: Callable[[State], object]


def advice(found: Explored) -> str:
    """Which --by to try, with the number of groups of each; empty for a graph that is small, or has none to offer."""
    if len(found.states) <= LIMIT:
        return ""
    singles = _best(found)
    options = [(f"--by {c.text}", groups) for c, groups in singles]
    if len(singles) == 2:
        (one, _), (two, _) = singles
        both = len({(one.value(s), two.value(s)) for s in found.states})
        if both <= LIMIT:
            options.append((f"--by {one.text} --by {two.text}", both))
    return ", or ".join(f"{words} ({counted(groups, 'group')})" for words, groups in options)


def _best(found: Explored) -> list[tuple[_Candidate, int]]:
    """The two expressions, of different variables, whose number of groups is nearest to one that is easily read."""
    sized = [(c, len({c.value(s) for s in found.states})) for c in _candidates(found)]
    fit = sorted((p for p in sized if 2 <= p[1] <= LIMIT), key=lambda p: abs(math.log(p[1] / _BEST)))
    chosen: dict[str, tuple[_Candidate, int]] = {}
    for candidate, groups in fit:
        chosen.setdefault(candidate.variable, (candidate, groups))
    return list(chosen.values())[:2]


def _candidates(found: Explored) -> Iterator[_Candidate]:
    """Every variable, every field of a record, and the first entry of a map."""
    for place, (name, domain) in enumerate(found.stepper.model.domains.items()):
        if isinstance(domain, MapDomain):
            first = next(codec(domain.key).values(), None)
            if first is not None:
                yield _Candidate(f"'{name}[{show(first)}]'", name, _part(place, 0))
        else:
            yield _Candidate(name, name, itemgetter(place))
        if isinstance(domain, RecordDomain):
            for at, (part, _) in enumerate(domain.fields):
                yield _Candidate(f"{name}.{part}", name, _part(place, at))


def _part(place: int, at: int) -> Callable[[State], object]:
    """A part of the variable at this place: a map's entry or a record's field, by its position."""
    return lambda state: state[place][at]
