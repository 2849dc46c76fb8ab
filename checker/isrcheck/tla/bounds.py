"""The module with a run's bounds, apart from the protocol, and TLC's configuration for it."""

from collections.abc import Iterator

from isrcheck.ir import domains
from isrcheck.ir.codec import codec
from isrcheck.ir.model import Property
from isrcheck.ir.show import show
from isrcheck.passes.bind import BoundModel, bind_domain
from isrcheck.tla.layout import written
from isrcheck.tla.library import needed
from isrcheck.tla.modules import Module, Writer, never
from isrcheck.tla.names import field
from isrcheck.tla.page import comment, declared, from_library, module_text, paragraph
from isrcheck.tla.terms import (
    TRUE,
    Apply,
    Bind,
    Binder,
    Box,
    Definition,
    Dot,
    Index,
    Infix,
    Prefix,
    Prime,
    Term,
    Word,
    both,
    implies,
    words,
)  # fmt: skip
from isrcheck.tla.vocabulary import NONE, Vocabulary, value_term

SAID = "The bounds of a run. A step that would leave them does not happen; isrcheck counts it as pruned."


def bounds_module(writer: Writer, modules: tuple[Module, ...]) -> Module:
    """MC and the model's name: its bounds, conjoined in the next state to every step."""
    within = both(*_bounded(writer))
    given = {name for module in modules for name in module.constants}
    used = words(within)
    called = {writer.vocabulary.constants[c.name]: c for c in writer.ir.constants}
    rows = [(name, constant.sentence) for name, constant in called.items() if name in used - given]
    following: Term = Word("Next")
    lines = [*comment(SAID), "", *declared("CONSTANT", rows), *from_library(needed(used, frozenset(given)))]
    if within != TRUE:
        lines += paragraph(Definition("WithinBounds", (), within))
        following = both(following, Prime(Word("WithinBounds")))
    lines += paragraph(Definition("MCNext", (), following))
    lines += paragraph(Definition("MCSpec", (), both(Word("Init"), Box(Word("MCNext"), "vars"))))
    own = tuple(name for name, _ in rows)
    return Module(f"MC{writer.name}", module_text(f"MC{writer.name}", writer.name, lines), own, own)


def _bounded(writer: Writer) -> Iterator[Term]:
    for variable in writer.ir.variables:
        name = Word(writer.vocabulary.variables[variable.name])
        yield within(variable.domain, name, writer.vocabulary, frozenset())


def within(domain: domains.Domain, term: Term, vocabulary: Vocabulary, used: frozenset[str]) -> Term:
    """That no number in a value is above its bound, and no sequence too long."""
    match domain:
        case domains.IntDomain(high=high) if high is not None:
            return Infix("<=", term, vocabulary.bound(high))
        case domains.OptionalDomain(of=of) if of is not None:
            return implies(Infix("#", term, NONE), within(of, term, vocabulary, used))
        case domains.RecordDomain(fields=fields):
            return both(*(within(of, Dot(term, field(name)), vocabulary, used) for name, of in fields))
        case domains.MapDomain(key=key, value=value):
            name = vocabulary.letter(key, used)
            inner = within(value, Index(term, Word(name)), vocabulary, used | {name})
            return _all(name, vocabulary.set_of(key, True), inner)
        case domains.SequenceDomain(of=of, high=high):
            name = vocabulary.letter(domains.IntDomain(name="i"), used)
            each = within(of, Index(term, Word(name)), vocabulary, used | {name}) if of is not None else TRUE
            length = Infix("<=", Apply("Len", (term,)), vocabulary.bound(high)) if high is not None else TRUE
            return both(length, _all(name, Prefix("DOMAIN", term), each))
        case domains.SetDomain(of=of) if of is not None:
            name = vocabulary.letter(of, used)
            return _all(name, term, within(of, Word(name), vocabulary, used | {name}))
    return TRUE


def _all(name: str, of: Term, body: Term) -> Term:
    return TRUE if body == TRUE else Binder("\\A", (Bind((name,), of),), body)


# The configuration


def configuration(writer: Writer, model: BoundModel, modules: tuple[Module, ...]) -> str:
    """What TLC is to check, with the constants of a run: all properties at once but those of reachability.

    Such a one is an invariant that a run which meets it violates, so each is asked by itself.
    """
    asked = [(p, *asked_as(writer, p)) for p in model.properties]
    invariants = [name for p, _, name in asked if not (p.kind.is_of_steps or p.kind.holds_by_target)]
    steps = [name for p, _, name in asked if p.kind.is_of_steps]
    reachability = [f"\\* {word} {name}" for p, word, name in asked if p.kind.holds_by_target]
    lines = ["SPECIFICATION MCSpec", "", "CONSTANTS"]
    lines += [f"    {name} = {value}" for name, value in constant_values(writer, model, modules)]
    lines += ["", "INVARIANTS", *(f"    {name}" for name in ("TypeOk", *invariants))]
    lines += ["", "PROPERTIES", *(f"    {name}" for name in steps)] if steps else []
    if reachability:
        lines += ["", "\\* What can happen: each of these is violated where it does. Ask one at a time."]
        lines += reachability
    lines += ["", "\\* A state from which only steps beyond the bounds lead is not a deadlock.", "CHECK_DEADLOCK FALSE"]
    return "\n".join(lines) + "\n"


def asked_as(writer: Writer, method: Property) -> tuple[str, str]:
    """The word of a configuration, and the name, under which a property is asked."""
    name = writer.vocabulary.methods[method.name]
    if method.kind.is_of_steps:
        return "PROPERTY", name
    return "INVARIANT", never(name) if method.kind.holds_by_target else name


def constant_values(writer: Writer, model: BoundModel, modules: tuple[Module, ...]) -> Iterator[tuple[str, str]]:
    """Every constant that the modules declare, and its value as a configuration has it."""
    asked = {name for module in modules for name in module.declared}
    for sort in writer.ir.sorts:
        name = writer.vocabulary.types[sort.name]
        if name in asked:
            members = codec(bind_domain(sort, model.constants, model.ir.at)).values()
            yield name, "{" + ", ".join(map(show, members)) + "}"
    for constant in writer.ir.constants:
        name = writer.vocabulary.constants[constant.name]
        if name in asked:
            yield name, written(value_term(model.constants[constant.name]))
    if "None" in asked:
        yield "None", "None"
