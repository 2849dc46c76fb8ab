"""The statements of the language: `STATEMENTS` is the whole list."""

import ast
from collections.abc import Callable
from typing import Any

from isrcheck.errors import ModelError
from isrcheck.ir import nodes as ir
from isrcheck.ir.model import ABSTRACT
from isrcheck.ir.nodes import Expression, Statement, walk
from isrcheck.lang.declare import require
from isrcheck.lang.expressions import method_arguments, read_each, read_index, read_value
from isrcheck.lang.matching import after_branches, read_match
from isrcheck.lang.names import Names, bag_of
from isrcheck.lang.narrowing import forget, learn, where
from isrcheck.lang.network import METHODS
from isrcheck.lang.networks import read_change, read_received
from isrcheck.lang.operators import binary_operator
from isrcheck.lang.refused import REFUSED_STATEMENTS, WHOLE_GRAMMAR, instead_of_loop, method_refusal


def read_block(nodes: list[ast.stmt], names: Names) -> tuple[Statement, ...]:
    """Read the statements of a block, adding the names that they bind to `names.locals`."""
    statements: list[Statement] = []
    for node in nodes:
        if type(node) not in STATEMENTS:
            kind = type(node).__name__
            what, remedy = REFUSED_STATEMENTS.get(kind, (f"a {kind} statement", WHOLE_GRAMMAR))
            instead = instead_of_loop(node) if isinstance(node, ast.For) else ""
            raise names.outside(node, what, instead or remedy)
        statements.extend(STATEMENTS[type(node)](node, names))
    return tuple(statements)


def _expression(node: ast.Expr, names: Names) -> list[Statement]:
    match node.value:
        case ast.Constant(value=str()):
            return []
        case ast.Call(ast.Name(name)) as call:
            if name not in names.locals and names.globals.get(name) is require:
                return [_require(call, names)]
            read_value(call, names)
        case ast.Call(ast.Attribute(ast.Name(owner), name)) as call if owner == names.self_name:
            given = method_arguments(call, name, "helper", names)
            forget(names, "self.")
            return [ir.Perform(name, given, names.at(call))]
        case ast.Call(ast.Attribute(value=owner_of)) as call if bag_of(owner_of, names):
            return read_change(call, names)
        case ast.Call(ast.Attribute() as func):
            raise method_refusal(node.value, func, names)
    remedy = "Write require(...), an assignment, or self.helper(...)."
    raise names.refuse(node, "this line computes something and drops it.", remedy)


def _require(call: ast.Call, names: Names) -> Statement:
    if len(call.args) != 1 or call.keywords:
        raise names.refuse(call, "require() takes one condition.", "Join several with `and`, or write several lines.")
    condition = read_value(call.args[0], names)
    learn(names, condition, True)
    return ir.Require(condition, names.at(call))


def _assign(node: ast.Assign, names: Names) -> list[Statement]:
    if len(node.targets) != 1:
        raise names.outside(node, "a = b = c", "Write one assignment a line.")
    match node.targets[0], node.value:
        case target, ast.Call(ast.Attribute(owner, method)) as call if method in METHODS.get(bag_of(owner, names), ()):
            return _receive(target, call, names)
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
            pass
        case ast.Tuple() as target, _:
            raise names.refuse(target, "the two sides do not match.", "Write a, b = x, y, one value for each name.")
        case target, value:
            targets, values = [target], [value]
    read = read_each(values, names)
    return [ir.Assign(tuple(_target(t, names) for t in targets), read, names.at(node))]


def _assign_with_annotation(node: ast.AnnAssign, names: Names) -> list[Statement]:
    if not isinstance(node.target, ast.Name) or node.value is None:
        raise names.refuse(node, "variables are declared in the class, not here.", "Declare it in the class body.")
    return _assign(ast.copy_location(ast.Assign([node.target], node.value), node), names)


def _receive(target: ast.expr, call: ast.Call, names: Names) -> list[Statement]:
    """m = self.links.receive(link)"""
    guard, queue, rest, first = read_received(call, names)
    if not isinstance(target, ast.Name):
        raise names.refuse(target, "what is received has no name.", f"Write m = {ast.unparse(call)}.")
    return [guard, ir.Assign((queue, _target(target, names)), (rest, first), names.at(call))]


def _target(node: ast.expr, names: Names) -> ir.VariableTarget | str:
    if isinstance(node, ast.Name):
        if node.id not in names.locals and names.has_meaning(node.id):
            raise names.refuse(node, f"{node.id} has a meaning already.", "Choose another name for the local value.")
        names.locals.add(node.id)
        forget(names, node.id)
        return node.id
    keys: list[Expression] = []
    inner: ast.expr = node
    while isinstance(inner, ast.Subscript):
        if isinstance(inner.slice, ast.Slice):
            raise names.refuse(inner, "a slice cannot be assigned to.", "Write self.log[r] = self.log[r][:n] + (x,).")
        keys.insert(0, read_index(inner.slice, names))
        inner = inner.value
    match inner:
        case ast.Attribute(ast.Name(owner), name) if owner and owner == names.abstract[0]:
            return _abstract_target(node, name, names)
        case ast.Attribute(ast.Name(owner), name) if owner == names.self_name:
            if name in names.constants:
                raise names.refuse(node, f"{name} is a constant.", "Only variables change.")
            if kind := names.bags.get(name):
                first, *others, last = METHODS[kind]
                remedy = f"Write self.{name}.{first}({', '.join(METHODS[kind][first])}), {', '.join(others)} or {last}."
                is_one = {"Network": "is a network", "Bag": "is a bag", "Channels": "are channels"}[kind]
                raise names.refuse(node, f"{name} {is_one}, which {is_one[:3].strip()} not assigned to.", remedy)
            if name not in names.variables:
                raise names.unknown(node, f"the model has no variable {name}.", name, names.variables)
            forget(names, f"self.{name}")
            return ir.VariableTarget(name, tuple(keys), names.at(node))
        case ast.Attribute(value, name):
            remedy = f"Write {ast.unparse(value)} = {ast.unparse(value)}._replace({name}=value)."
            raise names.refuse(inner, "a field of a record does not change.", remedy)
    if keys:
        raise names.refuse(inner, "a local value does not change.", "Assign to self.variable[key].")
    remedy = "Assign to self.variable, self.variable[key] or a local name."
    raise names.refuse(node, "this cannot be assigned to.", remedy)


def _abstract_target(node: ast.expr, name: str, names: Names) -> str:
    target = f"{ABSTRACT}{name}"
    if not isinstance(node, ast.Attribute):
        remedy = f"Write {ast.unparse(node).partition('[')[0]} = {{k: ... for k in ...}}, over all its keys."
        raise names.refuse(node, f"{name} is given its values one by one.", remedy)
    if name not in names.abstract[1]:
        raise names.unknown(node, f"the abstract model has no variable {name}.", name, names.abstract[1])
    if target in names.locals:
        raise names.refuse(node, f"{name} is given a value twice.", "Keep one.")
    names.locals.add(target)
    return target


def _augment(node: ast.AugAssign, names: Names) -> list[Statement]:
    value = read_value(node.value, names)
    operator = binary_operator(node, names)
    at = names.at(node)
    if isinstance(node.target, ast.Name) and node.target.id not in names.locals:
        raise names.refuse(node.target, f"{node.target.id} has no value yet.", "Assign to it first.")
    target = _target(node.target, names)
    if isinstance(target, str):
        return [ir.Assign((target,), (ir.Operation(operator, ir.ReadLocal(target, at), value, at),), at)]
    old: Expression = ir.ReadVariable(target.variable, False, target.at)
    for key in target.keys:
        old = ir.Item(old, key, target.at)
    return [ir.Assign((target,), (ir.Operation(operator, old, value, at),), at)]


def _if(node: ast.If, names: Names) -> list[Statement]:
    condition = read_value(node.test, names)
    one, two = where(names, condition, True), where(names, condition, False)
    then, other = read_block(node.body, one), read_block(node.orelse, two)
    after_branches(names, (then, one), (other, two))
    return [ir.When(condition, then, other, names.at(node))]


def _return(node: ast.Return, names: Names) -> list[Statement]:
    if node.value is None:
        raise names.outside(node, "a bare return", "Use if/else for effects, require() for guards.")
    return [ir.Return(read_value(node.value, names), names.at(node))]


STATEMENTS: dict[type[ast.stmt], Callable[[Any, Names], list[Statement]]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _assign_with_annotation,
    ast.AugAssign: _augment,
    ast.If: _if,
    ast.Match: lambda node, names: read_match(node, names, read_block),
    ast.Return: _return,
    ast.Pass: lambda node, names: [],
}


def refuse_effects(block: tuple[Statement, ...], what: str) -> None:
    """Refuse guards of steps and writes to the state."""
    for node in walk(block):
        match node:
            case ir.Require():
                fault = "guards a step"
            case ir.Perform():
                fault = "writes state"
            case ir.Assign(targets) if not all(isinstance(target, str) for target in targets):
                fault = "writes state"
            case _:
                continue
        raise ModelError(node.at, f"{what} {fault}.", "It may only read the state and return a value.")
