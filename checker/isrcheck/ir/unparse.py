"""A model's text from its nodes, as an author would write it, for display alone."""

from collections.abc import Iterable
from enum import Enum
from typing import assert_never

from isrcheck.ir import nodes
from isrcheck.ir.domains import describe
from isrcheck.ir.frozen import Frozen

_CHOICE, _OR, _AND, _NOT, _COMPARISON, _UNION, _INTERSECTION, _SUM, _PRODUCT, _ATOM = range(10)  # how tightly it binds
_BINDS = {
    nodes.Operator.OR: _OR,
    nodes.Operator.AND: _AND,
    nodes.Operator.UNION: _UNION,
    nodes.Operator.INTERSECTION: _INTERSECTION,
    **dict.fromkeys((nodes.Operator.ADD, nodes.Operator.SUB), _SUM),
    **dict.fromkeys((nodes.Operator.MUL, nodes.Operator.DIV, nodes.Operator.MOD), _PRODUCT),
}
_ASSOCIATIVE = (nodes.Operator.OR, nodes.Operator.AND)
_AUGMENTED = (nodes.Operator.ADD, nodes.Operator.SUB, nodes.Operator.UNION, nodes.Operator.INTERSECTION)


def expression_text(node: nodes.Expression, known: frozenset[str] = frozenset()) -> str:
    """Helpers in `known` are methods."""
    return _Writer(known).expression(node)


def statement_text(node: nodes.Statement, known: frozenset[str] = frozenset()) -> str:
    """Of an `if` its condition alone."""
    return _Writer(known).statement(node)


class _Writer(Frozen):
    known: frozenset[str]

    def statement(self, node: nodes.Statement) -> str:
        match node:
            case nodes.Require(condition):
                return f"require({self.expression(condition)})"
            case nodes.Assign(targets=(target,), values=(nodes.Operation() as value,)) if self.is_augmented(
                target, value
            ):
                return f"{self.target(target)} {value.operator.value}= {self.expression(value.right)}"
            case nodes.Assign(targets, values):
                return f"{', '.join(map(self.target, targets))} = {self.listed(values)}"
            case nodes.When(condition):
                return f"if {self.expression(condition)}:"
            case nodes.Perform(helper, arguments):
                return f"self.{helper}({self.listed(arguments)})"
            case nodes.Return(value):
                return f"return {self.expression(value)}"
            case _:
                assert_never(node)

    def is_augmented(self, target: nodes.VariableTarget | str, value: nodes.Operation) -> bool:
        return value.operator in _AUGMENTED and self.expression(value.left) == self.target(target)

    def target(self, target: nodes.VariableTarget | str) -> str:
        if isinstance(target, str):
            return target
        return f"self.{target.variable}" + "".join(f"[{self.expression(key)}]" for key in target.keys)

    def listed(self, parts: Iterable[nodes.Expression]) -> str:
        return ", ".join(map(self.expression, parts))

    def expression(self, node: nodes.Expression, within: int = _CHOICE) -> str:
        """`within`: how tight its place."""
        text, binds = self.written(node)
        return f"({text})" if binds < within else text

    def written(self, node: nodes.Expression) -> tuple[str, int]:
        match node:
            case nodes.Operation():
                return self.operation(node)
            case nodes.Not(operand):
                return f"not {self.expression(operand, _NOT)}", _NOT
            case nodes.Conditional(condition, then, other):
                test = self.expression(condition, _OR)
                return f"{self.expression(then, _OR)} if {test} else {self.expression(other)}", _CHOICE
        return self.atom(node), _ATOM

    def operation(self, node: nodes.Operation) -> tuple[str, int]:
        binds = _BINDS.get(node.operator, _COMPARISON)
        tighter = binds if node.operator in _ASSOCIATIVE else binds + 1
        left = self.expression(node.left, _UNION if binds == _COMPARISON else binds)
        right = self.expression(node.right, tighter)
        is_none = isinstance(node.right, nodes.Literal) and node.right.value is None
        words = {nodes.Operator.EQ: "is", nodes.Operator.NE: "is not"} if is_none else {}
        return f"{left} {words.get(node.operator, node.operator.value)} {right}", binds

    def comprehension(self, node: nodes.Comprehension) -> str:
        key = f"{self.expression(node.key)}: " if node.key is not None else ""
        inside = " ".join([key + self.expression(node.element), *map(self.clause, node.clauses)])
        if node.gathering is nodes.Gathering.MAP:
            return f"{{{inside}}}"
        if node.default is None:
            return f"{node.gathering.value}({inside})"
        return f"{node.gathering.value}(({inside}), default={self.expression(node.default)})"

    def clause(self, clause: nodes.Clause) -> str:
        conditions = "".join(f" if {self.expression(condition, _OR)}" for condition in clause.conditions)
        return f"for {clause.target} in {self.expression(clause.source, _OR)}{conditions}"

    def atom(self, node: nodes.Expression) -> str:
        match node:
            case nodes.Literal(value):
                return f"{type(value).__name__}.{value.name}" if isinstance(value, Enum) else repr(value)
            case nodes.ReadConstant(name):
                return f"self.{name}"
            case nodes.ReadVariable(name, before):
                return f"{'before' if before else 'self'}.{name}"
            case nodes.ReadLocal(name):
                return name
            case nodes.Let(name, value, body):
                return f"(let {name} = {self.expression(value)} in {self.expression(body)})"
            case nodes.ReadField(record, name):
                return f"{self.expression(record, _ATOM)}.{name}"
            case nodes.Item(container, key):
                return f"{self.expression(container, _ATOM)}[{self.expression(key)}]"
            case nodes.Slice(sequence, start, stop):
                bounds = ":".join(self.expression(end) if end else "" for end in (start, stop))
                return f"{self.expression(sequence, _ATOM)}[{bounds}]"
            case nodes.ReplaceFields(record, fields):
                named = ", ".join(f"{name}={self.expression(value)}" for name, value in fields)
                return f"{self.expression(record, _ATOM)}._replace({named})"
            case nodes.Call(helper=helper, arguments=arguments, before=before):
                owner = "before." if before else "self." if helper in self.known else ""
                return f"{owner}{helper}({self.listed(arguments)})"
            case nodes.Comprehension():
                return self.comprehension(node)
            case nodes.MakeRecord(domain, values):
                return f"{describe(domain)}({self.listed(values)})"
            case nodes.MakeSequence(elements):
                return f"({self.listed(elements)}{',' if len(elements) == 1 else ''})"
            case nodes.MakeSet(elements, frozen):
                shown = f"{{{self.listed(elements)}}}" if elements else ""
                return f"frozenset({shown})" if frozen or not elements else shown
            case nodes.Everything(domain):
                return describe(domain)
            case nodes.IntegerRange(start, stop):
                from_zero = isinstance(start, nodes.Literal) and start.value == 0
                return f"range({self.listed((stop,) if from_zero else (start, stop))})"
            case nodes.Extreme(gathering, parts):
                return f"{gathering.value}({self.listed(parts)})"
            case nodes.Length(of):
                return f"len({self.expression(of)})"
            case nodes.TakenAction(name):
                return f'taken.action == "{name}"'
            case nodes.TakenArgument(name):
                return f"taken.{name}"
        raise AssertionError(f"{type(node).__name__} is not an expression of its own")
