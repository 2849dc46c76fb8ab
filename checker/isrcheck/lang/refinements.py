"""Methods that map states.

A refinement gives each variable of an abstract model its value in a concrete state; a canonical form rewrites a state
to the one that stands for it.
"""

import ast
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import structs

from isrcheck.errors import ModelError
from isrcheck.ir.domains import BOOL
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import ABSTRACT, Method, ModelIR, Property, Refinement
from isrcheck.ir.nodes import Assign, Literal, ReadVariable, Require, Return, Statement, When, close_under, walk
from isrcheck.ir.property_kinds import REFINEMENT
from isrcheck.lang.declarations import Declarations
from isrcheck.lang.declare import Model, mark_of
from isrcheck.lang.names import Names


def names_of_refinement(
    tree: ast.FunctionDef, names: Names, other: type[Model], hints: dict[str, Any], rest: list[ast.arg]
) -> Names:
    """The names in a refinement, with that of the abstract state. Raises ModelError."""
    name = names.method
    if not isinstance(other, type) or not issubclass(other, Model) or other is Model:
        sentence = f"@refines of {name}() is not given a model."
        raise names.refuse(tree, sentence, "Write @refines(Other), with its class.")
    if len(rest) != 1 or hints.get(rest[0].arg) is not other:
        remedy = f"Write def {name}(self, abstract: {other.__name__}) -> None."
        raise names.refuse(tree, f"the refinement {name}() does not see the state of {other.__name__}.", remedy)
    variables: Any = Declarations(other).variables
    return replace(names, abstract=(rest[0].arg, frozenset(variables)))


def refuse_branches(body: tuple[Statement, ...], name: str) -> None:
    for statement in body:
        if isinstance(statement, When):
            remedy = "Write abstract.x = a if condition else b, or call a helper."
            raise ModelError(statement.at, f"the refinement {name}() has an if statement.", remedy)


def complete(method: Property, declared: Declarations, read: Callable[[type[Model]], ModelIR]) -> Property:
    """A refinement with the model that it names, and with variables of the same name where it is silent."""
    if method.kind != REFINEMENT:
        return method
    abstract = read(mark_of(declared.methods[method.name][1]).other)
    given = {target for each in method.body if isinstance(each, Assign) for target in each.targets}
    body = list(method.body)
    for variable in abstract.variables:
        name = variable.name
        if f"{ABSTRACT}{name}" not in given:
            if name not in declared.variables:
                sentence = f"{method.name}() gives {name} of {abstract.name} no value, and no variable has that name."
                raise ModelError(method.at, sentence, f"Write abstract.{name} = ...")
            body.append(Assign((f"{ABSTRACT}{name}",), (ReadVariable(name, False, method.at),), method.at))
    body.append(Return(Literal(True, method.at), method.at))
    return Refinement(**{**structs.asdict(method), "body": tuple(body), "returns": BOOL}, abstract=abstract)


def the_canonical(methods: list[Method], helpers: Mapping[str, Method]) -> Method | None:
    """The canonical form of a model. Raises ModelError for a second one, for a guard in it, and beside a constraint."""
    forms = [method for method in methods if method.role == "canonical"]
    if not forms:
        return None
    form, *more = forms
    if more:
        sentence = f"{more[0].name}() is a second canonical form, after {form.name}()."
        raise ModelError(more[0].at, sentence, "Do the work of both in one.")
    called = close_under(form.calls, lambda name: helpers[name].calls)
    for node in walk((form.body, *(helpers[name].body for name in sorted(called)))):
        if isinstance(node, Require):
            sentence = f"the canonical form {form.name}() has a guard, and every state has one."
            raise ModelError(node.at, sentence, "Write if.")
    for method in methods:
        if method.role == "constraint":
            sentence = f"{form.name}() is a canonical form, and the model has the constraint {method.name}()."
            raise ModelError(form.at, sentence, "Keep one of the two.")
    return form
