"""The published test of an engine: an engine is accepted by passing `run_conformance`.

It is held to the reference on the whole graph of every toy, and to the toys' known answers.
"""

from collections.abc import Callable
from dataclasses import replace

from isrcheck.engines.contract import Exploration, Request
from isrcheck.engines.reference import search as reference
from isrcheck.lang.read import read_model
from isrcheck.passes.bind import BoundModel, bind
from isrcheck.toys import TOYS
from isrcheck.toys.known import KNOWN

Search = Callable[[BoundModel, Request], Exploration]


class NotConformant(AssertionError):
    """An engine answers differently from the reference; the text says on which toy and how."""


def run_conformance(search: Search) -> int:
    """The number of toys on which an engine was compared. Raises NotConformant at the first difference.

    Compared are distinct and generated states, depth, states by depth, pruned steps, digest, counts by action, and the
    path found for every property and for deadlock; and, with no property asked for, the whole graph.
    """
    for name, toy in TOYS.items():
        model = bind(read_model(toy), KNOWN[name].constants)
        names = tuple(p.name for p in model.properties)
        for request in (Request(), Request(properties=names), Request(properties=names, deadlock=True)):
            _compare(name, search(model, request), reference(model, request))
        _compare_with_known(name, search(model, Request(properties=names)), search(model, Request()))
    return len(TOYS)


def _compare(name: str, found: Exploration, expected: Exploration) -> None:
    """Raises NotConformant unless two explorations say the same; how long they took does not matter."""
    same = replace(found, seconds=expected.seconds)
    if same != expected:
        raise NotConformant(f"{name}: the reference says {expected}, and this engine {same}")


def _compare_with_known(name: str, found: Exploration, whole: Exploration) -> None:
    known = KNOWN[name]
    counts = (whole.distinct, whole.generated, whole.depth, whole.pruned)
    if counts != (known.distinct, known.generated, known.depth, known.pruned):
        raise NotConformant(f"{name}: its states, generated, depth and pruned are known, and this engine says {counts}")
    for asked, (_, length) in known.properties.items():
        path = found.found.get(asked)
        if length is not None and (path is None or len(path) + 1 != length):
            raise NotConformant(f"{name}: {asked} is known to take a trace of {length} states, not {path}")
