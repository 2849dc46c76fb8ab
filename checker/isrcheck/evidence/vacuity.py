"""What a complete graph never used: guards that held in no state or in every one, antecedents that were never true."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from isrcheck.engines.contract import Exploration, FoundFault, Limits, Request
from isrcheck.engines.registry import engine
from isrcheck.evidence.settled import settled
from isrcheck.evidence.untested import Because, Untested
from isrcheck.ir.nodes import (
    Comprehension,
    Expression,
    Gathering,
    Let,
    Method,
    Not,
    Operation,
    Operator,
    ReadVariable,
    Require,
    Return,
    pieces,
)
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.guards import ASKED, HELD, REFUSED, claim
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
    return list(dict.fromkeys(guard.at for guard in _requires(model, action)))


def guards_of_state(model: BoundModel, action: Method) -> list[Place]:
    """The same without those that constants alone decide: a policy's switch is no guard that a run could test."""
    reads = (g for g in _requires(model, action) if any(isinstance(p, ReadVariable) for p in pieces(g.condition)))
    return list(dict.fromkeys(guard.at for guard in reads))


def _requires(model: BoundModel, action: Method) -> list[Require]:
    return [p for p in pieces(Inliner(model.text).method(action)) if isinstance(p, Require)]


def unused(model: BoundModel, exploration: Exploration, limits: Limits, asked: Collection[str]) -> tuple[Untested, ...]:
    """What a complete graph never put to the test.

    These are guards of actions that happened which held wherever they were asked, so that they forbid nothing,
    antecedents of properties that were true in no state, so that these hold of nothing, and claims of reachability not
    `asked` already that no state met. Runs a second search; what is still open where `limits` end it is not known.
    """
    if not exploration.complete:
        return ()
    counts = zip(model.text.actions, exploration.action_generated, strict=True)
    taken = [action for action, times in counts if times]
    decided = {(a.name, p) for a in taken for p in _settled(model, a)}
    antecedents = {p.name: p for method in model.properties for p in _antecedents(model, method)}
    candidates = {
        **{
            claim(REFUSED, a.name, p): _untested("guard", a.name, p, (a.name, p) in decided)
            for a in taken
            for p in guards_of_state(model, a)
        },
        **{name: _untested("antecedent", p.owner, p.at) for name, p in antecedents.items()},
        **{
            p.name: _untested("claim", p.name, p.at)
            for p in model.properties
            if p.role == "reachable" and p.name not in asked
        },
    }
    watched = replace(
        model,
        text=replace(model.text, properties=(*model.text.properties, *antecedents.values())),
        watched=frozenset(action.name for action in taken),
    )
    try:
        asking = tuple(name for name, each in candidates.items() if each.because is Because.IDLE)
        seen = engine("native")(watched, Request(properties=asking, limits=limits))
    except FoundFault:  # a part of a property may have no value where the whole has one
        return tuple(_cut(each) for each in candidates.values())
    left = (each for name, each in candidates.items() if name not in seen.found)
    return tuple(left) if seen.complete else tuple(map(_cut, left))


def _untested(kind: str, owner: str, place: Place, is_settled: bool = False) -> Untested:
    text = source_line(place.file, place.line).strip()
    return Untested(kind, owner, str(place), text, Because.SETTLED if is_settled else Because.IDLE)


def _cut(untested: Untested) -> Untested:
    return untested if untested.because is Because.SETTLED else replace(untested, because=Because.CUT)


def _settled(model: BoundModel, action: Method) -> set[Place]:
    """The places of guards that the constants of this run make true: with others they might be false."""
    decided = {(g.at, settled(g.condition, model.constants) is True) for g in _requires(model, action)}
    return {place for place, is_true in decided if is_true and (place, False) not in decided}


# Antecedents


def _antecedents(model: BoundModel, method: Method) -> Iterator[Method]:
    """Properties of the same kind which break as soon as an antecedent of this one is true; `owner` is its name."""
    if method.role not in ("invariant", "step"):
        return
    for number, found in enumerate(antecedents(Inliner(model.text).condition(method))):
        body = (Return(Not(found, found.at), found.at),)
        yield replace(method, name=f"antecedent {number} of {method.name}", owner=method.name, body=body, at=found.at)


def antecedents(text: Expression) -> Iterator[Expression]:
    """What must be true for a condition to say anything: `a` of `not a or b`, an element with `c` of `all(b if c)`."""
    match text:
        case Operation(operator=Operator.OR, left=left):
            yield left.operand if isinstance(left, Not) else Not(left, left.at)
        case Operation(operator=Operator.AND, left=left, right=right, at=at):
            yield from antecedents(left)
            for each in antecedents(right):
                yield Operation(Operator.AND, left, each, at)
        case Let(body=body):
            for each in antecedents(body):
                yield replace(text, body=each)
        case Comprehension(gathering=Gathering.ALL, element=element, clauses=clauses):
            inner = list(antecedents(element))
            for each in inner:
                yield replace(text, gathering=Gathering.ANY, element=each)
            if not inner and any(clause.conditions for clause in clauses):
                yield _some(text)


def _some(text: Comprehension) -> Expression:
    """That there is an element at all: the last condition becomes what is asked of it."""
    last = [c for c in text.clauses if c.conditions][-1]
    *kept, asked = last.conditions
    clauses = tuple(replace(c, conditions=tuple(kept)) if c is last else c for c in text.clauses)
    return replace(text, gathering=Gathering.ANY, element=asked, clauses=clauses)
