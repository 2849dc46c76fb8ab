"""A view: a method that returns what tells states apart, a variable or what one says, or several of them."""

import ast
from types import FunctionType
from typing import Any

from isrcheck.errors import ModelError
from isrcheck.ir.domains import BOOL
from isrcheck.ir.model import VIEW, Method
from isrcheck.ir.nodes import Assign, Literal, Return
from isrcheck.lang.expressions import read_value
from isrcheck.lang.names import Names, refuse_deep, refuse_private
from isrcheck.lang.source import Sources


def read_view(
    function: FunctionType,
    tree: ast.FunctionDef,
    names: Names,
    hints: dict[str, Any],
    rest: tuple[list[ast.arg], str],
    sources: Sources,
) -> Method:
    """`rest`: its parameters, and the name of its class. Raises ModelError."""
    arguments, owner = rest
    sources.add_function(function, tree)
    refuse_deep(tree, names)
    refuse_private(tree, names)
    body = [each for each in tree.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
    if arguments or hints.get("return") is not object or len(body) != 1:
        remedy = f"Write def {tree.name}(self) -> object: return self.x, self.y."
        raise names.refuse(
            tree, f"the view {tree.name}() is not one line that returns what tells states apart.", remedy
        )
    match body[0]:
        case ast.Return(value=ast.Tuple(elts=parts)):
            pass
        case ast.Return(value=ast.expr() as part):
            parts = [part]
        case other:
            raise names.refuse(other, f"the view {tree.name}() does something else than return.", "Return values.")
    at = names.at(tree)
    given = [Assign((f"{VIEW}{n}",), (read_value(part, names),), names.at(part)) for n, part in enumerate(parts)]
    doc = ast.get_docstring(tree) or ""
    return Method(tree.name, "view", doc, (), (*given, Return(Literal(True, at), at)), BOOL, owner, at)


def the_view(methods: list[Method]) -> Method | None:
    """Raises ModelError for a second one."""
    views = [method for method in methods if method.role == "view"]
    if views and any(method.role == "constraint" for method in methods):
        sentence = f"{views[0].name}() is a view, and the model has constraints: where one view ends would be chance."
        raise ModelError(views[0].at, sentence, "Keep one of the two.")
    if len(views) > 1:
        sentence = f"{views[1].name}() is a second view, after {views[0].name}()."
        raise ModelError(views[1].at, sentence, "Return the parts of both in one.")
    return views[0] if views else None
