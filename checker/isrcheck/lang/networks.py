"""What changes a network: each method as assignments to the counts that it keeps."""

import ast

from isrcheck.ir import nodes as ir
from isrcheck.ir.nodes import Expression, Operator, Statement
from isrcheck.lang.expressions import read_generator, read_source, read_value
from isrcheck.lang.names import Names, count_of, is_network
from isrcheck.lang.network import METHODS
from isrcheck.place import Place

__all__ = ["is_network", "read_change"]


def read_change(node: ast.Call, names: Names) -> list[Statement]:
    assert isinstance(node.func, ast.Attribute)
    method, network, at = node.func.attr, read_value(node.func.value, names), names.at(node)
    assert isinstance(network, ir.ReadVariable)
    if network.before:
        raise names.refuse(node, "the state before a step does not change.", f"Write self.{network.name}.{method}(m).")
    if method not in METHODS:
        raise names.unknown(node, f"a network has no {method}() that changes it.", method, METHODS)
    if len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
        raise names.refuse(node, f"{method}() takes one argument.", f"Write self.{network.name}.{method}(m).")
    if method == "send_all":
        clauses, element = _each(node.args[0], names)
        every = ir.Comprehension(ir.Gathering.SET, element, clauses, at)
        target = ir.ReadLocal("(sent)", at)
        return [ir.Repeat(target.name, every, (_counted(network, target, 1, at),), at)]
    message = read_value(node.args[0], names)
    there = ir.Require(ir.Operation(Operator.IN, message, network, at), at)
    if method == "send":
        return [_counted(network, message, 1, at)]
    return [there, _counted(network, message, 1 if method == "duplicate" else -1, at)]


def _each(node: ast.expr, names: Names) -> tuple[tuple[ir.Clause, ...], Expression]:
    if isinstance(node, ast.GeneratorExp):
        return read_generator(node, names)
    at = names.at(node)
    return (ir.Clause("(message)", read_source(node, names), (), at),), ir.ReadLocal("(message)", at)


def _counted(network: ir.ReadVariable, message: Expression, by: int, at: Place) -> Statement:
    now = count_of(network, message, at)
    more = ir.Operation(Operator.ADD if by > 0 else Operator.SUB, now, ir.Literal(1, at), at)
    return ir.Assign((ir.VariableTarget(network.name, (message,), at),), (more,), at)
