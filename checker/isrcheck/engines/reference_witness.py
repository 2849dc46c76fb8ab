"""For whom a property is false: the values of its `for` variables with which its text says so."""

import ast
from collections.abc import Callable
from copy import deepcopy
from types import FunctionType
from typing import Any

from isrcheck.engines.reference import ReferenceStepper, State
from isrcheck.lang.instance import running
from isrcheck.lang.source import function_tree

Witness = dict[str, Any]  # values by variable


class WitnessStepper(ReferenceStepper):
    """The reference, which also says of a property that is false for which values it is."""

    def witness(self, name: str, before: State | None, instance: int | None, after: State) -> Witness:
        """The first values in the order of the text; none if the property is true, or false without a `for`.

        Raises ModelError if its text is not what runs.
        """
        ask = _asking(getattr(self.model.ir.cls, name))
        with running(self.model.sizes):
            self._load(self._own, after)
            if not self.roles[name].kind.is_of_steps or before is None or instance is None:
                return dict(ask(self._own))
            self._load(self._other, before)
            taken = (self.taken(instance),) if self.roles[name].taken else ()
            return dict(ask(self._own, self._other, *taken))


def _asking(method: FunctionType) -> Callable[..., Witness]:
    """The method with its answer replaced by a witness that the answer is false. Raises ModelError."""
    file, found = function_tree(method)
    function = deepcopy(found)
    function.decorator_list, function.returns = [], None
    for argument in function.args.args:
        argument.annotation = None
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is not None:
            node.value = _why_not(node.value)
    module = ast.fix_missing_locations(ast.Module([function], []))
    names = dict(method.__globals__)
    exec(compile(module, file, "exec", dont_inherit=True), names)
    asking: Callable[..., Witness] = names[method.__name__]
    return asking


def _why_not(node: ast.expr) -> ast.expr:
    """An expression for a witness that this one is false."""
    match node:
        case ast.UnaryOp(ast.Not(), ast.Call(ast.Name("any"), [ast.GeneratorExp() as made])):
            return _first(made, made.elt, ast.Dict([], []))
        case ast.Call(ast.Name("all"), [ast.GeneratorExp() as made]):
            return _first(made, ast.UnaryOp(ast.Not(), made.elt), _why_not(made.elt))
        case ast.BoolOp(ast.Or(), values):
            return _together([_why_not(value) for value in values])
        case ast.BoolOp(ast.And(), [*rest, last]):
            found = _why_not(last)
            for value in reversed(rest):
                found = ast.IfExp(value, found, _why_not(value))
            return found
    return ast.Dict([], [])


def _first(made: ast.GeneratorExp, wanted: ast.expr, inner: ast.expr) -> ast.expr:
    """The variables of a `for`, and what is found within, the first time that something is true; else nothing."""
    names = [part.target.id for part in made.generators if isinstance(part.target, ast.Name)]
    own = ast.Dict([ast.Constant(name) for name in names], [ast.Name(name, ast.Load()) for name in names])
    last = made.generators[-1]
    only = [*made.generators[:-1], ast.comprehension(last.target, last.iter, [*last.ifs, wanted], last.is_async)]
    return ast.Call(
        ast.Name("next", ast.Load()), [ast.GeneratorExp(_together([own, inner]), only), ast.Dict([], [])], []
    )


def _together(parts: list[ast.expr]) -> ast.expr:
    return ast.Dict([None] * len(parts), parts)
