"""Second pass: helpers and policies are written out where they are called, under names of their own."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from isrcheck.ir import nodes
from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.nodes import Expression, Statement, locals_assigned_in, rebuild
from isrcheck.ir.scalar import Node, Op
from isrcheck.passes.fold import Nodes
from isrcheck.place import Place
from isrcheck.process.budget import poll


@dataclass
class Inliner:
    ir: ModelIR
    inlined: int = 0  # calls and comprehensions so far: the number in their names
    _closed: dict[tuple[str, bool], Expression] = field(default_factory=dict)  # calls without arguments

    def method(self, method: Method) -> tuple[Statement, ...]:
        return self.statements(method.body, {p.name: p.name for p in method.parameters})

    def condition(self, method: Method) -> Expression:
        """The body as one expression."""
        return self.value_of(method.body, {p.name: p.name for p in method.parameters}, False)

    def statements(self, block: tuple[Statement, ...], names: dict[str, str]) -> tuple[Statement, ...]:
        result: list[Statement] = []
        for statement in block:
            if isinstance(statement, nodes.Perform):
                result.extend(self.perform(statement, names))
                continue
            rewritten = rebuild(statement, lambda child: self.expression(child, names, False))
            match rewritten:
                case nodes.When():
                    then, other = self.statements(rewritten.then, names), self.statements(rewritten.other, names)
                    rewritten = replace(rewritten, then=then, other=other)
                case nodes.Repeat():
                    rewritten = self.repeat(statement, names) if isinstance(statement, nodes.Repeat) else rewritten
                case nodes.Assign():
                    renamed = tuple(names.get(t, t) if isinstance(t, str) else t for t in rewritten.targets)
                    rewritten = replace(rewritten, targets=renamed)
            result.append(rewritten)
        return tuple(result)

    def repeat(self, node: nodes.Repeat, names: dict[str, str]) -> nodes.Repeat:
        source = self.comprehension(node.source, names, False)
        assert isinstance(source, nodes.Comprehension)
        inner = {**names, **self.fresh([node.target])}
        return replace(node, target=inner[node.target], source=source, body=self.statements(node.body, inner))

    def perform(self, node: nodes.Perform, names: dict[str, str]) -> tuple[Statement, ...]:
        poll()
        helper = self.ir.helpers[node.helper]
        inner = self.fresh(p.name for p in helper.parameters)
        read = tuple(self.expression(argument, names, False) for argument in node.arguments)
        start = nodes.Assign(tuple(inner.values()), read, node.at)
        return (start, *self.statements(helper.body, {**self.fresh(sorted(locals_assigned_in(helper.body))), **inner}))

    def fresh(self, names: Iterable[str]) -> dict[str, str]:
        self.inlined += 1
        return {name: f"{name}'{self.inlined}" for name in names}

    def expression(self, node: Expression, names: Mapping[str, str], before: bool) -> Expression:
        match node:
            case nodes.ReadLocal(name=name):
                return replace(node, name=names.get(name, name))
            case nodes.ReadVariable() if before:
                return replace(node, before=True)
            case nodes.Call():
                return self.call(node, names, before)
            case nodes.Comprehension():
                return self.comprehension(node, names, before)
        return rebuild(node, lambda child: self.expression(child, names, before))

    def comprehension(self, node: nodes.Comprehension, names: Mapping[str, str], before: bool) -> Expression:
        inner = {**names, **self.fresh(clause.target for clause in node.clauses)}
        clauses = tuple(replace(clause, target=inner[clause.target]) for clause in node.clauses)
        default = node.default and self.expression(node.default, names, before)
        renamed = replace(node, clauses=clauses, default=None)
        return replace(rebuild(renamed, lambda child: self.expression(child, inner, before)), default=default)

    def call(self, node: nodes.Call, names: Mapping[str, str], before: bool) -> Expression:
        """Replace a call by the helper's body; arguments are read where the call is (`before`: in the state before)."""
        helper, is_before = self.ir.helpers[node.helper], before or node.before
        if not node.arguments:
            if (node.helper, is_before) not in self._closed:
                self._closed[node.helper, is_before] = self.value_of(helper.body, {}, is_before)
            return self._closed[node.helper, is_before]
        inner = self.fresh(p.name for p in helper.parameters)
        read = [self.expression(argument, names, before) for argument in node.arguments]
        result = self.value_of(helper.body, dict(inner), is_before)
        return self.let(list(inner.values()), read, result, node.at)

    def let(self, names: list[str], values: list[Expression], body: Expression, at: Place) -> Expression:
        for name, value in zip(reversed(names), reversed(values), strict=True):
            body = nodes.Let(name, value, body, at)
        return body

    def value_of(self, block: tuple[Statement, ...], names: dict[str, str], before: bool) -> Expression:
        poll()
        step, rest = block[0], block[1:]
        match step:
            case nodes.Return(value=value):
                return self.expression(value, names, before)
            case nodes.Assign():
                read = [self.expression(value, names, before) for value in step.values]
                fresh = self.fresh(t for t in step.targets if isinstance(t, str))
                names.update(fresh)
                result = self.value_of(rest, names, before)
                return self.let([*fresh.values()], read, result, step.at)
            case nodes.When():
                if step.cover is not None:  # the last case that is left
                    return self.value_of(step.then + rest, names, before)
                test = self.expression(step.condition, names, before)
                then = self.value_of(step.then + rest, dict(names), before)
                other = self.value_of(step.other + rest, dict(names), before)
                return nodes.Conditional(test, then, other, step.at)
        raise AssertionError(f"{type(step).__name__} in a pure body")


class Substitution:
    """A substitution of nodes for scalars: `values` by position; the others stay."""

    def __init__(self, nodes: Nodes, values: Mapping[int, Node]) -> None:
        self._nodes, self._values = nodes, values
        self._known: dict[int, Node] = {}
        self._make: dict[Op, Callable[..., Any]] = {
            Op.NOT: nodes.not_,
            Op.AND: nodes.and_,
            Op.OR: nodes.or_,
            Op.EQ: nodes.eq,
            Op.LT: nodes.lt,
            Op.ADD: nodes.add,
            Op.SUB: nodes.sub,
            Op.MUL: nodes.mul,
            Op.DIV: lambda a, b: nodes.div(a, b.value),
            Op.MOD: lambda a, b: nodes.mod(a, b.value),
            Op.ITE: nodes.ite,
            Op.BAND: nodes.bit_and,
            Op.BOR: nodes.bit_or,
            Op.BANDNOT: nodes.bit_and_not,
            Op.SHL: nodes.shift_left,
            Op.SHR: nodes.shift_right,
            Op.POPCOUNT: nodes.popcount,
        }

    def of(self, root: Node) -> Node:
        waiting = [root]
        while waiting:
            node = waiting[-1]
            missing = [each for each in node.args if each.index not in self._known]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            self._known[node.index] = self._new(node)
        return self._known[root.index]

    def _new(self, node: Node) -> Node:
        if node.op is Op.VAR:
            return self._values.get(node.value, node)
        args = [self._known[each.index] for each in node.args]
        changed = any(new is not old for new, old in zip(args, node.args, strict=True))
        result: Node = self._make[node.op](*args) if changed else node
        return result


def after_step(nodes: Nodes, sizes: Sequence[int], updates: Iterable[tuple[int, Node]]) -> Substitution:
    """A substitution that asks before a step what is asked after it; what is above a bound is pruned anyway."""
    values = {p: nodes.max_(nodes.const(0), nodes.min_(node, nodes.const(sizes[p] - 1))) for p, node in updates}
    return Substitution(nodes, values)
