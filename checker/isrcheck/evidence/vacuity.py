"""What a complete graph never used: guards that held in no state or in every one, antecedents that were never true."""

from collections.abc import Iterator
from dataclasses import replace

from isrcheck.engines.contract import Exploration, FoundFault, Limits, Request
from isrcheck.engines.registry import engine
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


def _guards_of_state(model: BoundModel, action: Method) -> list[Place]:
    """The same without those that constants alone decide: a policy's switch is no guard that a run could test."""
    reads = (g for g in _requires(model, action) if any(isinstance(p, ReadVariable) for p in pieces(g.condition)))
    return list(dict.fromkeys(guard.at for guard in reads))


def _requires(model: BoundModel, action: Method) -> list[Require]:
    return [p for p in pieces(Inliner(model.text).method(action)) if isinstance(p, Require)]


def unused(model: BoundModel, exploration: Exploration, limits: Limits) -> tuple[str, ...]:
    """What a complete graph never put to the test, a sentence each, with its place and text.

    These are guards of actions that happened which held wherever they were asked, so that they forbid nothing, and
    antecedents of properties that were true in no state, so that these hold of nothing. Runs a second search; if that
    cannot be completed within the limits, this is what is said.
    """
    if not exploration.complete:
        return ()
    counts = zip(model.text.actions, exploration.action_generated, strict=True)
    taken = [action for action, times in counts if times]
    guards = {
        claim(REFUSED, a.name, p): (f"{a.name}() has a guard that is never false", p)
        for a in taken
        for p in _guards_of_state(model, a)
    }
    claims = {p.name: p for method in model.properties for p in _antecedents(model, method)}
    watched = replace(
        model,
        text=replace(model.text, properties=(*model.text.properties, *claims.values())),
        watched=frozenset(action.name for action in taken),
    )
    try:
        seen = engine("native")(watched, Request(properties=(*claims, *guards), limits=limits))
    except FoundFault:
        return ("what is idle is not known: a part of a property is an error where the whole is none",)
    if not seen.complete and len(seen.found) < len(claims) + len(guards):
        return (f"what is idle is not known: the search for it ended {seen.cut}",)
    idle = [guards[name] for name in guards if name not in seen.found]
    idle += [
        (f"{c.owner} speaks of something that never happens", c.at) for n, c in claims.items() if n not in seen.found
    ]
    return tuple(f"{sentence}: {place}  {source_line(place.file, place.line).strip()}" for sentence, place in idle)


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
