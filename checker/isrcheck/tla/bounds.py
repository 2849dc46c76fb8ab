"""The module with a run's bounds, apart from the protocol, and TLC's configuration for it."""

from collections.abc import Iterator
from typing import Any

from isrcheck.ir.codec import codec
from isrcheck.ir.domains import (
    Domain,
    IntDomain,
    MapDomain,
    OptionalDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from isrcheck.ir.nodes import Property
from isrcheck.ir.show import show
from isrcheck.passes.bind import BoundModel, bind_domain
from isrcheck.tla.layout import definition, written
from isrcheck.tla.library import LIBRARY, needed
from isrcheck.tla.modules import Module, Writer, never
from isrcheck.tla.names import field
from isrcheck.tla.page import comment, declared, title
from isrcheck.tla.terms import (
    TRUE,
    Apply,
    Bind,
    Box,
    Definition,
    Dot,
    Index,
    Infix,
    Prefix,
    Prime,
    Quantified,
    Term,
    Word,
    both,
    implies,
    words,
)
from isrcheck.tla.vocabulary import NONE, Vocabulary, value_term

SAID = "The bounds of a run. A step that would leave them does not happen; isrcheck counts it as pruned."


def bounds_module(writer: Writer, modules: tuple[Module, ...]) -> Module:
    """MC and the model's name: its bounds, conjoined in the next state to every step."""
    within = tuple(_bounded(writer))
    given = {name for module in modules for name in module.constants}
    used = {w for part in within for w in words(part)}
    rows = [
        (name, constant.sentence)
        for constant in writer.ir.constants
        if (name := writer.vocabulary.constants[constant.name]) in used - given
    ]
    name = f"MC{writer.name}"
    lines = [title(name), f"EXTENDS {writer.name}", "", *comment(SAID), "", *declared("CONSTANT", rows)]
    for operator in needed(used, frozenset(given)):
        lines += [*LIBRARY[operator], ""]
    lines += [*definition(Definition("WithinBounds", (), both(*within))), ""] if within else []
    following = both(Word("Next"), Prime(Word("WithinBounds"))) if within else Word("Next")
    lines += [*definition(Definition("MCNext", (), following)), ""]
    lines += [*definition(Definition("MCSpec", (), both(Word("Init"), Box(Word("MCNext"), "vars")))), ""]
    lines.append("=" * 78)
    own = tuple(row for row, _ in rows)
    return Module(name, "\n".join(lines) + "\n", own, own)


def _bounded(writer: Writer) -> Iterator[Term]:
    for variable in writer.ir.variables:
        name = Word(writer.vocabulary.variables[variable.name])
        found = within(variable.domain, name, writer.vocabulary, frozenset())
        if found != TRUE:
            yield found


def within(domain: Domain, term: Term, vocabulary: Vocabulary, used: frozenset[str]) -> Term:
    """That no number in a value is above its bound, and no sequence too long."""
    match domain:
        case IntDomain(high=high) if high is not None:
            return Infix("<=", term, vocabulary.bound(high))
        case OptionalDomain(of=of) if of is not None:
            return implies(Infix("#", term, NONE), within(of, term, vocabulary, used))
        case RecordDomain(fields=fields):
            return both(*(within(of, Dot(term, field(name)), vocabulary, used) for name, of in fields))
        case MapDomain(key=key, value=value):
            name = vocabulary.letter(key, used)
            inner = within(value, Index(term, Word(name)), vocabulary, used | {name})
            return _all(name, vocabulary.set_of(key, True), inner)
        case SequenceDomain(of=of, high=high):
            name = vocabulary.letter(IntDomain(name="i"), used)
            each = within(of, Index(term, Word(name)), vocabulary, used | {name}) if of is not None else TRUE
            whole = Infix("<=", Apply("Len", (term,)), vocabulary.bound(high)) if high is not None else TRUE
            return both(whole, _all(name, Prefix("DOMAIN", term), each))
        case SetDomain(of=of) if of is not None:
            name = vocabulary.letter(of, used)
            return _all(name, term, within(of, Word(name), vocabulary, used | {name}))
    return TRUE


def _all(name: str, of: Term, body: Term) -> Term:
    return TRUE if body == TRUE else Quantified("\\A", (Bind((name,), of),), body)


# The configuration


def configuration(writer: Writer, model: BoundModel, modules: tuple[Module, ...]) -> str:
    """What TLC is to check, with the constants of a run: all promises at once, and of claims none.

    A claim of reachability is an invariant that a run which meets it violates, so each is asked by itself.
    """
    lines = ["SPECIFICATION MCSpec", "", "CONSTANTS"]
    lines += [f"    {name} = {value}" for name, value in constant_values(writer, model, modules)]
    names = writer.vocabulary.methods
    invariants = [
        "TypeOk",
        *(names[p.name] for p in model.properties if p.kind.is_violation and not p.kind.is_of_steps),
    ]
    lines += ["", "INVARIANTS", *(f"    {name}" for name in invariants)]
    steps = [names[p.name] for p in model.properties if p.kind.is_of_steps]
    lines += ["", "PROPERTIES", *(f"    {name}" for name in steps)] if steps else []
    claims = [never(names[p.name]) for p in model.properties if p.kind.holds_by_target]
    if claims:
        lines += ["", "\\* What can happen: each of these is violated where it does. Ask one at a time."]
        lines += [f"\\* INVARIANT {name}" for name in claims]
    lines += ["", "\\* A state from which only steps beyond the bounds lead is no deadlock.", "CHECK_DEADLOCK FALSE"]
    return "\n".join(lines) + "\n"


def asked_as(writer: Writer, method: Property) -> tuple[str, str]:
    """The word of a configuration, and the name, under which a property is asked."""
    name = writer.vocabulary.methods[method.name]
    if method.kind.is_of_steps:
        return "PROPERTY", name
    return "INVARIANT", never(name) if method.kind.holds_by_target else name


def constant_values(writer: Writer, model: BoundModel, modules: tuple[Module, ...]) -> Iterator[tuple[str, str]]:
    """Every constant that the modules declare, and its value as a configuration has it."""
    declared_ = {name for module in modules for name in module.declared}
    for sort in writer.ir.sorts:
        name = writer.vocabulary.types[sort.name]
        if name in declared_:
            yield name, "{" + ", ".join(map(show, _members(model, sort))) + "}"
    for constant in writer.ir.constants:
        name = writer.vocabulary.constants[constant.name]
        if name in declared_:
            yield name, written(value_term(model.constants[constant.name]))
    if "None" in declared_:
        yield "None", "None"


def _members(model: BoundModel, sort: Any) -> list[Any]:
    return list(codec(bind_domain(sort, model.constants, model.ir.at)).values())
