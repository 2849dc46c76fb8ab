"""Changes of a network, a bag or channels: each method as assignments to counts or messages."""

import ast
from collections.abc import Callable

from isrcheck.ir import nodes as ir
from isrcheck.ir.nodes import Expression, Operator, Statement
from isrcheck.lang.expressions import read_each, read_generator, read_source, read_value
from isrcheck.lang.names import Names, bag_of, count_of
from isrcheck.lang.network import METHODS
from isrcheck.place import Place

__all__ = ["read_change", "read_received"]


def read_change(node: ast.Call, names: Names) -> list[Statement]:
    """The statements of a call on a line of its own."""
    method, name, kind = _method_and_container(node, names)
    at = names.at(node)
    if kind == "Channels":
        return _on_channels(method, node, name, names)
    network = ir.ReadVariable(name, False, at)
    if method in ("send_all", "add_all"):
        return [_for_each(node.args[0], names, lambda each: _count(network, each, 1, at))]
    message = read_value(node.args[0], names)
    there = ir.Require(ir.Operation(Operator.IN, message, network, at), at)
    if method in ("send", "add"):
        return [_count(network, message, 1, at)]
    return [there, _count(network, message, 1 if method == "duplicate" else -1, at)]


def read_received(node: ast.Call, names: Names) -> tuple[ir.Require, ir.VariableTarget, Expression, Expression]:
    """The pieces of `m = self.links.receive(link)`: its guard, the queue, the queue's next value, and m's value."""
    method, name, kind = _method_and_container(node, names)
    if kind != "Channels" or method != "receive":
        raise names.refuse(node, f"{method}() returns nothing.", "Write it on a line of its own.")
    at = names.at(node)
    channel = read_value(node.args[0], names)
    queue, first = ir.Item(ir.ReadVariable(name, False, at), channel, at), ir.Literal(0, at)
    target = ir.VariableTarget(name, (channel,), at)
    return _has(queue, first, at), target, ir.Slice(queue, ir.Literal(1, at), None, at), ir.Item(queue, first, at)


def _method_and_container(node: ast.Call, names: Names) -> tuple[str, str, str]:
    """The method that is called, and its variable with the kind of container."""
    assert isinstance(node.func, ast.Attribute)
    assert isinstance(node.func.value, ast.Attribute)
    method, name, kind = node.func.attr, node.func.value.attr, bag_of(node.func.value, names)
    takes = METHODS[kind].get(method)
    if takes is None:
        one = {"Network": "a network has", "Bag": "a bag has", "Channels": "channels have"}[kind]
        raise names.unknown(
            node, f"{one} no {method}() that changes {'them' if kind == 'Channels' else 'it'}.", method, METHODS[kind]
        )
    remedy = f"Write self.{name}.{method}({', '.join(takes)})."
    owner = node.func.value.value
    if isinstance(owner, ast.Name) and owner.id == names.before:
        raise names.refuse(node, "the state before a step does not change.", remedy)
    fewest = len(takes) - (takes[-1] == "place")
    starred = any(isinstance(given, ast.Starred) for given in node.args)
    if not fewest <= len(node.args) <= len(takes) or node.keywords or starred:
        counted = "one argument" if fewest == 1 else "two arguments"
        raise names.refuse(node, f"{method}() takes {counted}.", remedy)
    return method, name, kind


def _on_channels(method: str, node: ast.Call, name: str, names: Names) -> list[Statement]:
    at, links = names.at(node), ir.ReadVariable(name, False, names.at(node))
    if method == "receive":
        guard, target, rest, _ = read_received(node, names)
        return [guard, ir.Assign((target,), (rest,), at)]
    if method == "send_all":
        message = read_value(node.args[1], names)
        return [_for_each(node.args[0], names, lambda each: _append(links, each, message, at))]
    channel, *rest_of = read_each(node.args, names)
    queue = ir.Item(links, channel, at)
    if method == "send":
        return [_append(links, channel, rest_of[0], at)]
    target = ir.VariableTarget(name, (channel,), at)
    if method == "clear":
        return [ir.Assign((target,), (ir.MakeSequence((), at),), at)]
    place: Expression = rest_of[0] if rest_of else ir.Literal(0, at)
    behind: Expression = ir.Operation(Operator.ADD, place, ir.Literal(1, at), at)
    to, since = (place, behind) if method == "drop" else (behind, place)
    kept = ir.Operation(Operator.ADD, ir.Slice(queue, None, to, at), ir.Slice(queue, since, None, at), at)
    return [_has(queue, place, at), ir.Assign((target,), (kept,), at)]


def _has(queue: Expression, place: Expression, at: Place) -> ir.Require:
    return ir.Require(ir.Operation(Operator.LT, place, ir.Length(queue, at), at), at)


def _for_each(node: ast.expr, names: Names, change: Callable[[Expression], Statement]) -> Statement:
    at = names.at(node)
    if isinstance(node, ast.GeneratorExp):
        clauses, element = read_generator(node, names)
    else:
        clauses = (ir.Clause("(message)", read_source(node, names), (), at),)
        element = ir.ReadLocal("(message)", at)
    every = ir.Comprehension(ir.Gathering.SET, element, clauses, at)
    return ir.Repeat("(sent)", every, (change(ir.ReadLocal("(sent)", at)),), at)


def _append(links: ir.ReadVariable, channel: Expression, message: Expression, at: Place) -> Statement:
    longer = ir.Operation(Operator.ADD, ir.Item(links, channel, at), ir.MakeSequence((message,), at), at)
    return ir.Assign((ir.VariableTarget(links.name, (channel,), at),), (longer,), at)


def _count(network: ir.ReadVariable, message: Expression, by: int, at: Place) -> Statement:
    now = count_of(network, message, at)
    more = ir.Operation(Operator.ADD if by > 0 else Operator.SUB, now, ir.Literal(1, at), at)
    return ir.Assign((ir.VariableTarget(network.name, (message,), at),), (more,), at)
