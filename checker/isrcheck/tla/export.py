"""A model's modules and TLC's configuration, and the folder that they are written to.

The bounds of a run stand in a module of their own, apart from the protocol.
"""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from isrcheck.errors import UsageError
from isrcheck.files import write_aside
from isrcheck.ir import domains
from isrcheck.ir.codec import codec
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import Property
from isrcheck.ir.property_kinds import REFINEMENT, TEMPORAL
from isrcheck.ir.show import show
from isrcheck.passes.bind import BoundModel, bind_domain
from isrcheck.passes.canonical import CheckedForm, FormUse, with_form_in_steps
from isrcheck.passes.lowering import Lowering, without_idle_form
from isrcheck.tla import terms as tla
from isrcheck.tla.layout import written
from isrcheck.tla.library import from_library
from isrcheck.tla.modules import Module, Writer, never
from isrcheck.tla.page import comment, declared, module_text, paragraph
from isrcheck.tla.refined import Refined, refined, refinements
from isrcheck.tla.skeleton import INDUCTIVE, skeleton
from isrcheck.tla.terms import TRUE, Apply, Definition, Infix, Prefix, Term, Word, both, implies, words
from isrcheck.tla.vocabulary import NONE, Vocabulary, field, value_term


class Exported(NamedTuple):
    """Modules, those extended first."""

    writer: Writer
    modules: tuple[Module, ...]
    configuration: str

    @property
    def main(self) -> str:
        return self.modules[-1].name

    @property
    def files(self) -> dict[str, str]:
        found = {f"{module.name}.tla": module.text for module in self.modules}
        return {**found, f"{self.main}.cfg": self.configuration}


def to_tla(model: BoundModel, environments: Collection[str] = (), with_lemmas: bool = False) -> Exported:
    """A model with its constants, in these environments; with the skeleton of a proof from its lemmas.

    Raises UsageError or ModelError without a form of it.
    """
    lemmas = [lemma.name for lemma in model.ir.lemmas] if with_lemmas else []
    if with_lemmas and not lemmas:
        raise UsageError(f"{model.ir.name} has no lemmas: leave --lemmas out.")
    model = _renumbering(replace(model, ir=model.ir.asking(lemmas)))
    asked = [p for p in refinements(model.ir) if p in model.properties]
    rest = tuple(p for p in model.ir.properties if p.kind != REFINEMENT)
    whole, model = model, replace(model, ir=replace(model.ir, properties=rest))
    writer = Writer(model.ir, [p.abstract for p in asked])
    own = writer.modules()
    found = [refined(writer, whole, method, own) for method in asked]
    if lemmas:
        own = (*own, skeleton(writer, own, model.ir, lemmas))
    modules = (*own, bounds_module(writer, own, found, environments))
    abstract = {module.name: module for each in found for module in each.modules if module not in own}
    return Exported(writer, (*abstract.values(), *modules), configuration(writer, model, modules, found))


def _renumbering(model: BoundModel) -> BoundModel:
    """Its canonical form as the end of each step. Raises UsageError where the initial state is not its own form."""
    applied = without_idle_form(replace(model, form=CheckedForm(FormUse.APPLIED)))
    form = applied.ir.canonical
    if form is None:
        return applied
    scalarizer = Lowering(applied).scalarizer
    if not model.ir.initials and scalarizer.initials() != (scalarizer.flat(model.initial),):
        sentence = f"{model.ir.name} begins in a state that {form.name}() rewrites, which a module cannot say"
        raise UsageError(f"{sentence}: let it begin in the canonical form of that state.")
    return replace(applied, ir=with_form_in_steps(applied.ir))


def write_folder(texts: Mapping[str, str], folder: Path) -> list[Path]:
    for name, text in texts.items():
        write_aside(folder / name, text)
    return [folder / name for name in texts]


SAID = "The bounds of a run. A step that would leave them does not happen; isrcheck counts it as pruned."


def bounds_module(
    writer: Writer, modules: tuple[Module, ...], found: list[Refined], environments: Collection[str]
) -> Module:
    """Module MC: its bounds, conjoined in the next state to every step; and fairness, of steps without bounds."""
    vocabulary = writer.names
    named = ((v.domain, Word(vocabulary.variables[v.name])) for v in writer.ir.variables)
    within = both(*(bounds(domain, name, vocabulary, frozenset()) for domain, name in named))
    given, used = modules[-1].names, words(within)
    called = {vocabulary.constants[c.name]: c.sentence for c in writer.ir.constants}
    rows = [(name, sentence) for name, sentence in called.items() if name in used - given]
    alone = {name: f"of {each.model.ir.name}" for each in found for name in each.alone}
    rows += alone.items()
    following: Term = Word("Next")
    lines = [*comment(SAID), "", *declared("CONSTANT", rows), *from_library(used, given)]
    if within != TRUE:
        lines += paragraph(Definition("WithinBounds", (), within))
        following = both(following, tla.Prime(Word("WithinBounds")))
    lines += paragraph(Definition("MCNext", (), following))
    fair = [Word(name) for name in ("Fairness",) if name in given]
    fair += [Word(vocabulary.methods[name]) for name in environments]
    lines += paragraph(Definition("MCSpec", (), both(Word("Init"), tla.Box(Word("MCNext"), "vars"), *fair)))
    lines += [line for each in found for line in each.lines]
    name = f"MC{writer.name}"
    own = tuple(name for name, _ in rows)
    return Module(name, module_text(name, modules[-1].name, lines), declared=own)


def bounds(domain: domains.Domain, term: Term, names: Vocabulary, used: frozenset[str]) -> Term:
    """That no number in a value is above its bound, and no sequence too long."""
    match domain:
        case domains.IntDomain(high) if high is not None:
            return Infix("<=", term, names.bound(high))
        case domains.OptionalDomain(of) if of is not None:
            return implies(Infix("#", term, NONE), bounds(of, term, names, used))
        case domains.RecordDomain(_, fields):
            return both(*(bounds(of, tla.Dot(term, field(name)), names, used) for name, of in fields))
        case domains.SumDomain(members):
            within = ((m, bounds(m, term, names, used)) for m in members)
            return both(*(implies(names.is_member(term, m, domain), inner) for m, inner in within if inner != TRUE))
        case domains.MapDomain(key, total=total) if total is not None:
            name = names.letter(key, used)
            inside = bounds(key, Word(name), names, used | {name})
            most = Infix("<=", Apply("BagCardinality", (term,)), names.bound(total))
            return both(most, _all(name, Apply("BagToSet", (term,)), inside))
        case domains.MapDomain(key, value):
            name = names.letter(key, used)
            inner = bounds(value, tla.Index(term, Word(name)), names, used | {name})
            return _all(name, names.set_of(key, True), inner)
        case domains.SequenceDomain(of, high):
            name = names.letter(domains.IntDomain(name="i"), used)
            each = bounds(of, tla.Index(term, Word(name)), names, used | {name}) if of is not None else TRUE
            length = Infix("<=", Apply("Len", (term,)), names.bound(high)) if high is not None else TRUE
            return both(length, _all(name, Prefix("DOMAIN", term), each))
        case domains.SetDomain(of, high=high) if of is not None:
            name = names.letter(of, used)
            size = Infix("<=", Apply("Cardinality", (term,)), names.bound(high)) if high is not None else TRUE
            return both(size, _all(name, term, bounds(of, Word(name), names, used | {name})))
    return TRUE


def _all(name: str, of: Term, body: Term) -> Term:
    return TRUE if body == TRUE else tla.Binder("\\A", (tla.Bind((name,), of),), body)


def configuration(writer: Writer, model: BoundModel, modules: tuple[Module, ...], found: list[Refined]) -> str:
    asked = [(p, *asked_as(writer, p)) for p in model.properties]
    invariants = [name for p, _, name in asked if not (p.kind.is_of_steps or p.kind.holds_by_target)]
    steps = [name for p, _, name in asked if p.kind.is_of_steps] + [each.name for each in found]
    steps += [writer.names.methods[p.name] for p in model.ir.temporal if p.name not in model.not_asked]
    reachability = [f"\\* {word} {name}" for p, word, name in asked if p.kind.holds_by_target]
    lines = ["SPECIFICATION MCSpec", "", "CONSTANTS"]
    values = dict(constant_values(writer, model, modules))
    for each in found:
        theirs = constant_values(each.writer, each.model, each.modules)
        values |= {name: value for name, value in theirs if name in each.alone}
    lines += [f"    {name} = {value}" for name, value in values.items()]
    for word, of_steps in (("CONSTRAINTS", False), ("ACTION_CONSTRAINTS", True)):
        named = [writer.names.methods[c.name] for c in writer.ir.constraints if bool(c.before) is of_steps]
        lines += ["", word, *(f"    {name}" for name in named)] if named else []
    inductive = [INDUCTIVE for module in modules if INDUCTIVE in module.names]
    lines += ["", "INVARIANTS", *(f"    {name}" for name in ("TypeOk", *invariants, *inductive))]
    lines += ["", "PROPERTIES", *(f"    {name}" for name in steps)] if steps else []
    lines += ["", "VIEW", f"    {writer.names.methods[writer.ir.view.name]}"] if writer.ir.view else []
    if reachability:
        lines += ["", "\\* What can happen: each of these is violated where it does. Ask one at a time."]
        lines += reachability
    lines += ["", "\\* A state from which only steps beyond the bounds lead is not a deadlock.", "CHECK_DEADLOCK FALSE"]
    return "\n".join(lines) + "\n"


def asked_as(writer: Writer, method: Property) -> tuple[str, str]:
    """The word of a configuration, and the name, under which a property is asked."""
    name = writer.names.methods[method.name]
    if method.kind.is_of_steps or method.kind is TEMPORAL:
        return "PROPERTY", name
    return "INVARIANT", never(name) if method.kind.holds_by_target else name


def constant_values(writer: Writer, model: BoundModel, modules: tuple[Module, ...]) -> Iterator[tuple[str, str]]:
    asked = {name for module in modules for name in module.declared}
    for sort in writer.ir.sorts:
        name = writer.names.types[sort.name]
        if name in asked:
            members = codec(bind_domain(sort, model.constants, model.ir.at)).values()
            yield name, "{" + ", ".join(map(show, members)) + "}"
    for constant in writer.ir.constants:
        name = writer.names.constants[constant.name]
        if name in asked:
            yield name, written(value_term(model.constants[constant.name]))
    for member in ("None", *map(show, writer.names.members)):
        if member in asked:
            yield member, member
