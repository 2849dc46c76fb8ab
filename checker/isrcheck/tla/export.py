"""A model's modules and TLC's configuration, and the folder that they are written to.

The bounds of a run stand in a module of their own, apart from the protocol.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from isrcheck.errors import UsageError
from isrcheck.files import write_aside
from isrcheck.ir import domains
from isrcheck.ir import nodes as ir
from isrcheck.ir.codec import codec
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import ABSTRACT, Property, Refinement
from isrcheck.ir.property_kinds import REFINEMENT, TEMPORAL
from isrcheck.ir.show import show
from isrcheck.passes.bind import BoundModel, bind_domain
from isrcheck.passes.canonical import CheckedForm, FormUse, with_form_in_steps
from isrcheck.passes.lowering import Lowering, without_idle_form
from isrcheck.passes.refinement import bound_abstract
from isrcheck.tla import terms as tla
from isrcheck.tla.layout import block, on_one_line
from isrcheck.tla.modules import Module, Writer, never
from isrcheck.tla.page import comment, declare, from_library, module_text, paragraph
from isrcheck.tla.terms import TRUE, Apply, Definition, Infix, Lexeme, Prefix, Term, both, implies, words
from isrcheck.tla.vocabulary import NONE, Vocabulary, allot, field, upper, value_term

Substituted = tuple[str, Term]


class Refined(NamedTuple):
    """One refinement: the abstract model with its modules, and what is written behind the bounds of a run."""

    name: str  # of the property
    writer: Writer
    model: BoundModel
    modules: tuple[Module, ...]
    alone: tuple[str, ...]  # constants that the concrete model does not have
    lines: list[str]


def refine(writer: Writer, model: BoundModel, method: Refinement, known: tuple[Module, ...]) -> Refined:
    """Write the abstract model and its INSTANCE. Raises UsageError if both models have a module of one name."""
    abstract = bound_abstract(model, method)
    other = Writer(abstract.ir, (model.ir,))
    modules = other.modules()
    for module in modules:
        if any(module.name == own.name and module.source != own.source for own in known):
            raise UsageError(f"{model.ir.name} and {abstract.ir.name} both have a module {module.name}: rename one.")
    name, instance = allot([("", upper(method.name)), ("i", f"Abstract{other.name}")], writer.names.taken).values()
    writer.names.methods[method.name] = name
    here = {each for module in known for each in module.declared}
    missing = [each for module in modules for each in module.declared if each not in here]
    numbers = {other.names.constants[c.name]: abstract.constants[c.name] for c in abstract.ir.constants}
    given = [(each, value_term(numbers[each])) for each in missing if each in numbers]
    lines = _instance(instance, modules[-1].name, [*given, *_variables(writer, other, method)])
    lines += paragraph(Definition(name, (), Apply(f"{instance}!Spec", ())), method.doc)
    alone = tuple(each for each in missing if each not in numbers)
    return Refined(name, other, abstract, modules, alone, lines)


def _variables(writer: Writer, other: Writer, method: Refinement) -> Iterator[Substituted]:
    """Each variable of the abstract model, and what it is in the concrete one."""
    scope = writer.root
    for node in method.body:
        if isinstance(node, ir.Assign):
            kinds, values = [*map(scope.domain, node.values)], scope.terms(node.values)
            for target, kind, value in zip(node.targets, kinds, values, strict=True):
                assert isinstance(target, str)
                if target.startswith(ABSTRACT):
                    yield other.names.variables[target.removeprefix(ABSTRACT)], value
                scope = scope.with_local(target, value, kind)


def _instance(name: str, module: str, substituted: Iterable[Substituted]) -> list[str]:
    changed = [(theirs, ours) for theirs, ours in substituted if ours != Lexeme(theirs)]
    lines = [f"{name} == INSTANCE {module}" + " WITH" * bool(changed)]
    for theirs, ours in changed:
        first, *rest = block(ours, 4 + len(theirs) + 4)
        lines += [f"    {theirs} <- {first}", *(" " * (len(theirs) + 8) + line for line in rest)]
        lines[-1] += ","
    return [*lines[:-1], lines[-1].removesuffix(","), ""]


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
        texts_of_modules = {f"{module.name}.tla": module.source for module in self.modules}
        return {**texts_of_modules, f"{self.main}.cfg": self.configuration}


def to_tla(model: BoundModel, environments: Collection[str] = ()) -> Exported:
    """A model with its constants, in these environments. Raises UsageError or ModelError without a form of it."""
    model = _with_canonical_steps(model)
    asked = [p for p in model.properties if isinstance(p, Refinement)]
    rest = tuple(p for p in model.ir.properties if p.kind != REFINEMENT)
    complete, model = model, replace(model, ir=replace(model.ir, properties=rest))
    writer = Writer(model.ir, [p.abstract for p in asked])
    own = writer.modules()
    refinements_written = [refine(writer, complete, method, own) for method in asked]
    modules = (*own, bounds_module(writer, own, refinements_written, environments))
    abstract = {module.name: module for each in refinements_written for module in each.modules if module not in own}
    return Exported(writer, (*abstract.values(), *modules), configuration(writer, model, modules, refinements_written))


def _with_canonical_steps(model: BoundModel) -> BoundModel:
    """Return the model with its canonical form at the end of steps. Raises UsageError if it changes the first state."""
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
    for name, content in texts.items():
        write_aside(folder / name, content)
    return [folder / name for name in texts]


SAID = "The bounds of a run. A step that would leave them does not happen; isrcheck counts it as pruned."


def bounds_module(
    writer: Writer, modules: tuple[Module, ...], refined_models: list[Refined], environments: Collection[str]
) -> Module:
    """Module MC: its bounds, conjoined in the next state to every step; and fairness, of steps without bounds."""
    vocabulary = writer.names
    named = ((v.domain, Lexeme(vocabulary.variables[v.name])) for v in writer.ir.variables)
    within = both(*(bounds(domain, name, vocabulary, frozenset()) for domain, name in named))
    given, used = modules[-1].names, words(within)
    called = {vocabulary.constants[c.name]: c.sentence for c in writer.ir.constants}
    rows = [(name, sentence) for name, sentence in called.items() if name in used - given]
    alone = {name: f"of {each.model.ir.name}" for each in refined_models for name in each.alone}
    rows += alone.items()
    following: Term = Lexeme("Next")
    lines = [*comment(SAID), "", *declare("CONSTANT", rows), *from_library(used, given)]
    if within != TRUE:
        lines += paragraph(Definition("WithinBounds", (), within))
        following = both(following, tla.Prime(Lexeme("WithinBounds")))
    lines += paragraph(Definition("MCNext", (), following))
    fair = [Lexeme(name) for name in ("Fairness",) if name in given]
    fair += [Lexeme(vocabulary.methods[name]) for name in environments]
    lines += paragraph(Definition("MCSpec", (), both(Lexeme("Init"), tla.Box(Lexeme("MCNext"), "vars"), *fair)))
    lines += [line for each in refined_models for line in each.lines]
    name = f"MC{writer.name}"
    own = tuple(name for name, _ in rows)
    return Module(name, module_text(name, modules[-1].name, lines), declared=own)


def bounds(domain: domains.Domain, term: Term, names: Vocabulary, used: frozenset[str]) -> Term:
    """The condition that no number in a value is above its bound, and no sequence longer than its own."""
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
            inside = bounds(key, Lexeme(name), names, used | {name})
            most = Infix("<=", Apply("BagCardinality", (term,)), names.bound(total))
            return both(most, _all(name, Apply("BagToSet", (term,)), inside))
        case domains.MapDomain(key, value):
            name = names.letter(key, used)
            inner = bounds(value, tla.Index(term, Lexeme(name)), names, used | {name})
            return _all(name, names.set_of(key, True), inner)
        case domains.SequenceDomain(of, high):
            name = names.letter(domains.IntDomain(name="i"), used)
            each = bounds(of, tla.Index(term, Lexeme(name)), names, used | {name}) if of is not None else TRUE
            length = Infix("<=", Apply("Len", (term,)), names.bound(high)) if high is not None else TRUE
            return both(length, _all(name, Prefix("DOMAIN", term), each))
        case domains.SetDomain(of, high=high) if of is not None:
            name = names.letter(of, used)
            size = Infix("<=", Apply("Cardinality", (term,)), names.bound(high)) if high is not None else TRUE
            return both(size, _all(name, term, bounds(of, Lexeme(name), names, used | {name})))
    return TRUE


def _all(name: str, of: Term, body: Term) -> Term:
    return TRUE if body == TRUE else tla.Binder("\\A", (tla.Bind((name,), of),), body)


def configuration(writer: Writer, model: BoundModel, modules: tuple[Module, ...], refined_models: list[Refined]) -> str:
    asked = [(p, *keyword_and_name(writer, p)) for p in model.properties]
    invariants = [name for p, _, name in asked if not (p.kind.is_of_steps or p.kind.holds_by_target)]
    steps = [name for p, _, name in asked if p.kind.is_of_steps] + [each.name for each in refined_models]
    steps += [writer.names.methods[p.name] for p in model.ir.temporal if p.name not in model.not_asked]
    reachability = [f"\\* {keyword} {name}" for p, keyword, name in asked if p.kind.holds_by_target]
    lines = ["SPECIFICATION MCSpec", "", "CONSTANTS"]
    values = dict(constant_values(writer, model, modules))
    for each in refined_models:
        theirs = constant_values(each.writer, each.model, each.modules)
        values |= {name: value for name, value in theirs if name in each.alone}
    lines += [f"    {name} = {value}" for name, value in values.items()]
    for section, of_steps in (("CONSTRAINTS", False), ("ACTION_CONSTRAINTS", True)):
        named = [writer.names.methods[c.name] for c in writer.ir.constraints if bool(c.before) is of_steps]
        lines += ["", section, *(f"    {name}" for name in named)] if named else []
    lines += ["", "INVARIANTS", *(f"    {name}" for name in ("TypeOk", *invariants))]
    lines += ["", "PROPERTIES", *(f"    {name}" for name in steps)] if steps else []
    if reachability:
        lines += ["", "\\* What can happen: each of these is violated where it does. Ask one at a time."]
        lines += reachability
    lines += ["", "\\* A state from which only steps beyond the bounds lead is not a deadlock.", "CHECK_DEADLOCK FALSE"]
    return "\n".join(lines) + "\n"


def keyword_and_name(writer: Writer, method: Property) -> tuple[str, str]:
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
            yield name, on_one_line(value_term(model.constants[constant.name]))
    for member in ("None", *map(show, writer.names.members)):
        if member in asked:
            yield member, member
