"""Why an action never happened: the guards that were asked in some state and held in none."""

from dataclasses import replace

from isrcheck.engines.contract import Exploration, Request
from isrcheck.engines.registry import engine
from isrcheck.ir.nodes import Method, Require, pieces
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.guards import ASKED, HELD, claim
from isrcheck.passes.inline import Inliner
from isrcheck.place import Place, source_line


def guards_that_never_held(model: BoundModel, exploration: Exploration) -> tuple[str, ...]:
    """The guards of actions that were expected and never happened in a complete graph, each with its place and text.

    Runs a second search, for these claims alone.
    """
    if not exploration.complete:
        return ()
    counts = zip(model.text.actions, exploration.action_generated, strict=True)
    sleeping = [action for action, taken in counts if not taken and action.name not in model.not_asked]
    if not sleeping:
        return ()
    watched = replace(model, watched=frozenset(action.name for action in sleeping))
    guards = [(action, place) for action in sleeping for place in _guards(model, action)]
    names = tuple(claim(kind, action.name, place) for action, place in guards for kind in (ASKED, HELD))
    met = engine("native")(watched, Request(properties=names)).found
    asleep = ((a, p) for a, p in guards if claim(ASKED, a.name, p) in met and claim(HELD, a.name, p) not in met)
    return tuple(f"{place}  {source_line(place.file, place.line).strip()}" for _, place in asleep)


def _guards(model: BoundModel, action: Method) -> list[Place]:
    """The places of an action's guards, those of the helpers with effects that it performs included."""
    return list(dict.fromkeys(p.at for p in pieces(Inliner(model.text).method(action)) if isinstance(p, Require)))
