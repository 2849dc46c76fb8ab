"""Why a step cannot be taken, and for whom a property is false: the reference stepper, asked more."""

import ast
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FunctionType, TracebackType
from typing import Any

from isrcheck.engines.frozen_values import State
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import ModelError
from isrcheck.ir.codec import Above, Outside, codec
from isrcheck.ir.show import show
from isrcheck.lang.declare import Model, NotEnabled
from isrcheck.lang.instance import Map, WroteAbove, undo, with_sort_sizes
from isrcheck.lang.source import function_tree
from isrcheck.place import Place, source_lines


@dataclass(frozen=True)
class Guard:
    """The `require` that said no: its condition as written, and its first false part."""

    at: Place
    condition: str
    conjunct: str
    reached: int  # the line of the action's own text: a step refused further down has come nearer
    values: tuple[tuple[str, str], ...] = ()  # that the false part reads


@dataclass(frozen=True)
class Bound:
    """The bound that the pruned step would exceed."""

    variable: str


Answer = State | Guard | Bound | ModelError  # the successor, why there is none, or the text's mistake


class AskingStepper(ReferenceStepper):
    """A stepper that also says which guard refused an instance."""

    def answers(self, state: State) -> tuple[Answer, ...]:
        with with_sort_sizes(self.model.sizes):
            loaded = self._load(self._own, state)
            return tuple(self._answer(state, loaded, position) for position in range(len(self.instances)))

    def _answer(self, state: State, loaded: dict[str, Any], position: int) -> Answer:
        method, arguments = self._calls[position]
        attributes = self._own.__dict__
        try:
            method(*arguments)
            after = self._successor(state, loaded, attributes, position)
            if after is not None:
                return after
            return Bound(next(n for n, d in zip(self.names, self.domains, strict=True) if _is_above(d, attributes[n])))
        except NotEnabled as refusal:
            return _guard(refusal)
        except WroteAbove as error:
            return self._bound_exceeded(error, loaded)
        except ModelError as error:
            return error
        except Exception as error:
            return self._blame(error, position)
        finally:
            undo(self._written)
            attributes.update(loaded)

    def meets(self, state: State, condition: Callable[[Model], bool]) -> bool:
        with with_sort_sizes(self.model.sizes):
            self._load(self._own, state)
            return condition(self._own)

    def _bound_exceeded(self, error: WroteAbove, loaded: dict[str, Any]) -> Bound:
        target = _frames(error.__traceback__)[-1].tb_frame.f_locals["self"]
        values = {**loaded, **{n: self._own.__dict__[n] for n in self.names}}
        return Bound(next(name for name, value in values.items() if any(inner is target for inner in _maps(value))))


def _is_above(domain: Any, value: Any) -> bool:
    try:
        codec(domain).flatten(value)
    except (Above, Outside, KeyError) as error:
        return isinstance(error, Above)
    return False


def _maps(value: Any) -> Iterator[Map]:
    if isinstance(value, Map):
        yield value
        for inner in value.values():
            yield from _maps(inner)


def _frames(trace: TracebackType | None) -> list[TracebackType]:
    frames = []
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    return frames


def _guard(refusal: NotEnabled) -> Guard:
    """The call of `require` is frame -2."""
    frames = _frames(refusal.__traceback__)
    action, caller = frames[1], frames[-2]
    frame, code = caller.tb_frame, caller.tb_frame.f_code
    line, column = _position(code, caller.tb_lasti)
    source = _texts(code.co_filename, line or caller.tb_lineno, column)
    if source is None:
        at = Place(code.co_filename, caller.tb_lineno)
        return Guard(at, "a condition whose text cannot be read", "", action.tb_lineno)
    at, condition, parts = source
    names = {**frame.f_globals, **frame.f_locals}
    conjunct = next((said for said, compiled in parts if not eval(compiled, names)), "") if len(parts) > 1 else ""
    return Guard(at, condition, conjunct, action.tb_lineno, tuple(_values_read(conjunct or condition, names)))


@lru_cache(maxsize=4096)
def _position(code: CodeType, instruction: int) -> tuple[int | None, int]:
    line, _, column, _ = list(code.co_positions())[instruction // 2]
    return line, column or 0


def _values_read(condition: str, names: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The parts of a guard that have values, with their values."""
    for said, root, compiled in _reads(condition):
        if said != condition and not isinstance(names.get(root), type):  # a class, or a member of an enumeration
            with suppress(Exception):  # what a condition does not come to may have no value
                value = eval(compiled, names)
                yield from ((n, show(v)) for n, v in (value if root == "" else {said: value}).items())


@lru_cache(maxsize=4096)
def _reads(condition: str) -> tuple[tuple[str, str, CodeType], ...]:
    """The parts that have values, each with the name it begins with; with none, what names the members of a `for`."""
    try:
        tree = ast.parse(condition, mode="eval").body
    except SyntaxError:  # it has no text, or a comment within
        return ()
    parts = [(ast.unparse(node), _root(node), node) for node in _read_in(tree)]
    return tuple((said, root, _compile(node)) for said, root, node in [*parts, ("", "", _why_not(tree))])


def _root(node: ast.expr) -> str:
    node = node.value if isinstance(node, ast.Attribute) else node
    return node.id if isinstance(node, ast.Name) else "("


def _compile(node: ast.expr) -> CodeType:
    code: CodeType = compile(ast.fix_missing_locations(ast.Expression(node)), "a guard", "eval", dont_inherit=True)
    return code


def _read_in(node: ast.AST) -> Iterator[ast.expr]:
    """The outermost parts of a condition that have a value of their own, but `all` and `any`."""
    match node:
        case ast.Call(ast.Name("all" | "any")) | ast.expr_context() | ast.operator():
            return
        case ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call():
            yield node
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _read_in(child)


@lru_cache(maxsize=4096)
def _texts(file: str, line: int, column: int) -> tuple[Place, str, tuple[tuple[str, Any], ...]] | None:
    call = _calls(file).get((line, column))
    if call is None or not call.args:
        return None
    source = "\n".join(source_lines(file))
    condition = call.args[0]
    parts = condition.values if isinstance(condition, ast.BoolOp) and isinstance(condition.op, ast.And) else [condition]
    compiled = tuple((_source(source, p), compile(ast.Expression(p), file, "eval", dont_inherit=True)) for p in parts)
    last = call.end_col_offset if call.end_lineno == call.lineno and call.end_col_offset is not None else 10_000
    return Place(file, line, column, last), _source(source, condition), compiled


def guard_text(at: Place) -> str:
    """The condition of the guard at a place, as written; empty if it cannot be read."""
    source = _texts(at.file, at.line, at.column)
    return source[1] if source else ""


@lru_cache(maxsize=64)
def _calls(file: str) -> dict[tuple[int, int], ast.Call]:
    nodes = ast.walk(ast.parse("\n".join(source_lines(file))))
    guards = (n for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))
    return {(node.lineno, node.col_offset): node for node in guards}


def _source(source: str, node: ast.expr) -> str:
    return " ".join((ast.get_source_segment(source, node) or ast.unparse(node)).split())


Witness = dict[str, Any]  # by variable


class WitnessStepper(ReferenceStepper):
    """Says for which values it is false."""

    def witness(self, name: str, before: State | None, instance: int | None, after: State) -> Witness:
        """The first values, in the text's order, for which it is false; none if it has no `for`. Raises ModelError."""
        ask = _witness_function(getattr(self.model.ir.cls, name))
        with with_sort_sizes(self.model.sizes):
            self._load(self._own, after)
            if not self.roles[name].kind.is_of_steps or before is None or instance is None:
                return dict(ask(self._own))
            self._load(self._other, before)
            taken = (self.step_taken(instance),) if self.roles[name].taken else ()
            return dict(ask(self._own, self._other, *taken))


def _witness_function(method: FunctionType) -> Callable[..., Witness]:
    file, tree = function_tree(method)
    function = deepcopy(tree)
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
    match node:
        case ast.UnaryOp(ast.Not(), ast.Call(ast.Name("any"), [ast.GeneratorExp() as generator])):
            return _first(generator, generator.elt, ast.Dict([], []))
        case ast.Call(ast.Name("all"), [ast.GeneratorExp() as generator]):
            return _first(generator, ast.UnaryOp(ast.Not(), generator.elt), _why_not(generator.elt))
        case ast.BoolOp(ast.Or(), values):
            return ast.Dict([None] * len(values), [_why_not(value) for value in values])
        case ast.BoolOp(ast.And(), [*rest, last]):
            witness = _why_not(last)
            for value in reversed(rest):
                witness = ast.IfExp(value, witness, _why_not(value))
            return witness
    return ast.Dict([], [])


def _first(generator: ast.GeneratorExp, wanted: ast.expr, inner: ast.expr) -> ast.expr:
    """The variables of a `for`, and what is found within, where first this is true."""
    names = [clause.target.id for clause in generator.generators if isinstance(clause.target, ast.Name)]
    own = ast.Dict([ast.Constant(name) for name in names], [ast.Name(name, ast.Load()) for name in names])
    last = generator.generators[-1]
    only = [*generator.generators[:-1], ast.comprehension(last.target, last.iter, [*last.ifs, wanted], last.is_async)]
    both = ast.GeneratorExp(ast.Dict([None, None], [own, inner]), only)
    return ast.Call(ast.Name("next", ast.Load()), [both, ast.Dict([], [])], [])
