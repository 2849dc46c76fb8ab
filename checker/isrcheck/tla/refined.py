"""The refinement of a model: the abstract model's modules, and an INSTANCE of them under the mapping."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from isrcheck.errors import UsageError
from isrcheck.ir import nodes as ir
from isrcheck.ir.model import ABSTRACT, ModelIR, Refinement
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.refinement import bound_abstract
from isrcheck.tla.layout import block
from isrcheck.tla.modules import Module, Writer
from isrcheck.tla.page import paragraph
from isrcheck.tla.terms import Apply, Definition, Lexeme, Term
from isrcheck.tla.vocabulary import allot, upper, value_term

Substituted = tuple[str, Term]


class Refined(NamedTuple):
    """One refinement: the abstract model with its modules, and what is written behind the bounds of a run."""

    name: str  # of the property
    writer: Writer
    model: BoundModel
    modules: tuple[Module, ...]
    alone: tuple[str, ...]  # constants that the concrete model does not have
    lines: list[str]


def refinements(ir: ModelIR) -> tuple[Refinement, ...]:
    return tuple(p for p in ir.properties if isinstance(p, Refinement))


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
