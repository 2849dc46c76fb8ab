"""What a complete graph never used: guards that held in no state or in every one, antecedents that were never true."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from isrcheck.engines.contract import Exploration, FoundFault, Limits, Request
from isrcheck.engines.registry import engine
from isrcheck.errors import ModelError
from isrcheck.evidence.parts import Part, Standing
from isrcheck.evidence.settled import settled
from isrcheck.ir.nodes import (
    Assign,
    Comprehension,
    Expression,
    Gathering,
    Let,
    Method,
    Not,
    Operation,
    Operator,
    ReadLocal,
    ReadVariable,
    Require,
    Return,
    Statement,
    pieces,
)
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.guards import ASKED, HELD, REFUSED, claim
from isrcheck.passes.inline import Inliner
from isrcheck.place import Place, source_line


def guards_that_never_held(model: BoundModel, exploration: Exploration, limits: Limits) -> tuple[str, ...]:
    """The guards of actions that were expected and never happened in a complete graph, each with its place and text.

    Runs a second search, for these claims alone; none is named if the limits end it.
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
    try:
        seen = engine("native")(watched, Request(properties=names, limits=limits))
    except ModelError:  # what this engine cannot compute, another has
        return ()
    if not seen.complete and len(seen.found) < len(names):
        return ()
    asleep = (
        (a, p) for a, p in guards if claim(ASKED, a.name, p) in seen.found and claim(HELD, a.name, p) not in seen.found
    )
    return tuple(f"{place}  {source_line(place.file, place.line).strip()}" for _, place in asleep)


def _guards(model: BoundModel, action: Method) -> list[Place]:
    """The places of an action's guards, those of the helpers with effects that it performs included."""
    return list(dict.fromkeys(guard.at for guard in _requires(model, action)))


def guards_of_state(model: BoundModel, action: Method) -> list[Place]:
    """The same without those that constants and parameters alone decide: such a guard is none that a run could test."""
    body = Inliner(model.text).method(action)
    of_state = _names_of_state(body)
    reads = (p for p in pieces(body) if isinstance(p, Require) and _reads_state(p.condition, of_state))
    return list(dict.fromkeys(guard.at for guard in reads))


def _names_of_state(body: tuple[Statement, ...]) -> frozenset[str]:
    """The local names whose values may depend on the state."""
    assigned = [p for p in pieces(body) if isinstance(p, Assign)]
    found: frozenset[str] = frozenset()
    while True:
        more = found.union(
            target
            for each in assigned
            if _reads_state(each.values, found)
            for target in each.targets
            if isinstance(target, str)
        )
        if more == found:
            return found
        found = more


def _reads_state(text: object, of_state: frozenset[str]) -> bool:
    return any(isinstance(p, ReadVariable) or (isinstance(p, ReadLocal) and p.name in of_state) for p in pieces(text))


def _requires(model: BoundModel, action: Method) -> list[Require]:
    return [p for p in pieces(Inliner(model.text).method(action)) if isinstance(p, Require)]


def parts(
    model: BoundModel, exploration: Exploration, limits: Limits, asked: Collection[str]
) -> tuple[tuple[Part, ...] | None, bool]:
    """How the parts of a model stand in a complete graph (None if it is not), and whether the user ended the look.

    These are guards of actions that happened, which forbid nothing if they held wherever they were asked, antecedents
    of properties, which hold of nothing if these were true in no state, and claims of reachability not `asked` already.
    Runs a second search; what is still open where `limits` end it is not known, and never costs the first its verdict.
    """
    if not exploration.complete:
        return None, False
    counts = zip(model.text.actions, exploration.action_generated, strict=True)
    taken = [action for action, times in counts if times]
    antecedents = {p.name: p for method in model.properties for p in _antecedents(model, method)}
    found = _candidates(model, taken, antecedents.values(), asked)
    watched = replace(
        model,
        text=replace(model.text, properties=(*model.text.properties, *antecedents.values())),
        watched=frozenset(action.name for action in taken),
    )
    standing, interrupted = _looked(watched, found, limits)
    return tuple(replace(part, standing=standing.get(name, part.standing)) for name, part in found.items()), interrupted


def _candidates(
    model: BoundModel, taken: Sequence[Method], antecedents: Iterable[Method], asked: Collection[str]
) -> dict[str, Part]:
    """The parts by the names of the claims that show a case of them."""
    decided = {(a.name, p) for a in taken for p in _settled(model, a)}
    guards = {claim(REFUSED, a.name, p): (a.name, p) for a in taken for p in guards_of_state(model, a)}
    claims = (p for p in model.properties if p.role == "reachable" and p.name not in asked)
    return {
        **{name: _part("guard", *about, about in decided) for name, about in guards.items()},
        **{p.name: _part("antecedent", p.owner, p.at) for p in antecedents},
        **{p.name: _part("claim", p.name, p.at) for p in claims},
    }


def _part(kind: str, owner: str, place: Place, is_settled: bool = False) -> Part:
    text = source_line(place.file, place.line).strip()
    return Part(kind, owner, str(place), text, Standing.SETTLED if is_settled else Standing.IDLE)


def _looked(watched: BoundModel, found: dict[str, Part], limits: Limits) -> tuple[dict[str, Standing], bool]:
    """How those parts stand of which the constants leave a case, and whether the user ended the search.

    An antecedent may have no value where its property has one, and a claim that was not asked may have none at all:
    then what is left of the others is looked at without them, and they are not known.
    """
    asking = {name: part for name, part in found.items() if part.standing is not Standing.SETTLED}
    standing = dict.fromkeys(asking, Standing.CUT)
    for kinds in (("guard", "claim", "antecedent"), ("guard", "claim"), ("guard",)):
        names = tuple(name for name, part in asking.items() if part.kind in kinds)
        if not names:
            break
        try:
            seen = engine("native")(watched, Request(properties=names, limits=limits))
        except (FoundFault, ModelError):
            continue
        except (MemoryError, KeyboardInterrupt) as end:
            return standing, isinstance(end, KeyboardInterrupt)
        left = Standing.IDLE if seen.complete else Standing.CUT
        shown = {name: Standing.CASE if name in seen.found else left for name in names}
        return {**standing, **shown}, seen.interrupted
    return standing, False


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
    """That there is an element at all: the last condition becomes what is asked of it, and no clause comes after."""
    at = max(n for n, clause in enumerate(text.clauses) if clause.conditions)
    *kept, asked = text.clauses[at].conditions
    clauses = (*text.clauses[:at], replace(text.clauses[at], conditions=tuple(kept)))
    return replace(text, gathering=Gathering.ANY, element=asked, clauses=clauses)
