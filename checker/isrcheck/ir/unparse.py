"""A model's text from its nodes, as an author would write it, for display alone."""

from collections.abc import Iterable
from enum import Enum
from typing import assert_never

from isrcheck.ir import nodes as ir
from isrcheck.ir.domains import SortDomain, describe, members
from isrcheck.ir.frozen import Frozen
from isrcheck.ir.nodes import Operator

_CHOICE, _OR, _AND, _NOT, _COMPARISON, _UNION, _INTERSECTION, _SUM, _PRODUCT, _ATOM = range(10)  # how tightly it binds
_BINDS = {
    Operator.OR: _OR,
    Operator.AND: _AND,
    Operator.UNION: _UNION,
    Operator.INTERSECTION: _INTERSECTION,
    Operator.ADD: _SUM,
    Operator.SUB: _SUM,
    Operator.MUL: _PRODUCT,
    Operator.DIV: _PRODUCT,
    Operator.MOD: _PRODUCT,
}
_ASSOCIATIVE = (Operator.OR, Operator.AND)
_WITH_NONE = {"==": "is", "!=": "is not"}
_AUGMENTED = (Operator.ADD, Operator.SUB, Operator.UNION, Operator.INTERSECTION)


def expression_text(node: ir.Expression, known: frozenset[str] = frozenset()) -> str:
    """Return an expression as Python text; helpers in `known` are called as methods."""
    return _Writer(known).expression(node)


def statement_text(node: ir.Statement, known: frozenset[str] = frozenset()) -> str:
    """The source of a statement; of an `if`, its condition alone."""
    return _Writer(known).statement(node)


class _Writer(Frozen):
    known: frozenset[str]

    def statement(self, node: ir.Statement) -> str:
        match node:
            case ir.Require(condition):
                return f"require({self.expression(condition)})"
            case ir.Assign():
                return self.assignment(node)
            case ir.When(condition):
                return f"if {self.expression(condition)}:"
            case ir.Perform(helper, arguments):
                return f"self.{helper}({self.join_with_commas(arguments)})"
            case ir.Repeat(target, source):
                return f"for {target} in {self.expression(source)}:"
            case ir.Return(value):
                return f"return {self.expression(value)}"
            case _:
                assert_never(node)

    def assignment(self, node: ir.Assign) -> str:
        left = ", ".join(map(self.target, node.targets))
        match node.values:
            case (ir.Operation(sign, old, added),):
                if sign in _AUGMENTED and self.expression(old) == left:
                    return f"{left} {sign.value}= {self.expression(added)}"
        return f"{left} = {self.join_with_commas(node.values)}"

    def target(self, target: ir.VariableTarget | str) -> str:
        if isinstance(target, str):
            return target
        return f"self.{target.variable}" + "".join(f"[{self.expression(key)}]" for key in target.keys)

    def join_with_commas(self, parts: Iterable[ir.Expression]) -> str:
        return ", ".join(map(self.expression, parts))

    def expression(self, node: ir.Expression, within: int = _CHOICE) -> str:
        """Return an expression's text, in parentheses if it binds less tightly than `within`."""
        source, binds = self.source_and_precedence(node)
        return f"({source})" if binds < within else source

    def source_and_precedence(self, node: ir.Expression) -> tuple[str, int]:
        match node:
            case ir.Operation():
                return self.operation(node)
            case ir.Not(operand):
                return f"not {self.expression(operand, _NOT)}", _NOT
            case ir.Conditional(condition, then, other):
                test = self.expression(condition, _OR)
                return f"{self.expression(then, _OR)} if {test} else {self.expression(other)}", _CHOICE
        return self.atom(node), _ATOM

    def operation(self, node: ir.Operation) -> tuple[str, int]:
        binds = _BINDS.get(node.operator, _COMPARISON)
        tighter = binds if node.operator in _ASSOCIATIVE else binds + 1
        left = self.expression(node.left, _UNION if binds == _COMPARISON else binds)
        right = self.expression(node.right, tighter)
        sign = node.operator.value
        if right == "None":
            sign = _WITH_NONE.get(sign, sign)
        return f"{left} {sign} {right}", binds

    def comprehension(self, node: ir.Comprehension) -> str:
        kind = node.gathering.value
        element = self.expression(node.element)
        clauses = " ".join(map(self.clause, node.clauses))
        inside = f"{element} {clauses}"
        if node.key is not None:
            key = self.expression(node.key)
            return f"{{{key}: {inside}}}"
        if node.default is None:
            return f"{kind}({inside})"
        default = self.expression(node.default)
        return f"{kind}(({inside}), default={default})"

    def clause(self, clause: ir.Clause) -> str:
        conditions = "".join(f" if {self.expression(condition, _OR)}" for condition in clause.conditions)
        return f"for {clause.target} in {self.expression(clause.source, _OR)}{conditions}"

    def atom(self, node: ir.Expression) -> str:
        match node:
            case ir.Literal(member, domain=SortDomain(name=sort)):
                return f"{sort}[{member.index}]"
            case ir.Literal(value):
                return f"{type(value).__name__}.{value.name}" if isinstance(value, Enum) else repr(value)
            case ir.ReadConstant(name):
                return f"self.{name}"
            case ir.ReadVariable(name, before):
                return f"{'before' if before else 'self'}.{name}"
            case ir.ReadLocal(name):
                return name
            case ir.Let(name, value, body):
                return f"(let {name} = {self.expression(value)} in {self.expression(body)})"
            case ir.ReadField(record, name):
                return f"{self.expression(record, _ATOM)}.{name}"
            case ir.Item(container, key):
                return f"{self.expression(container, _ATOM)}[{self.expression(key)}]"
            case ir.Slice(of, start, stop):
                first = self.expression(start) if start else ""
                end = self.expression(stop) if stop else ""
                return f"{self.expression(of, _ATOM)}[{first}:{end}]"
            case ir.ReplaceFields(record, fields):
                named = ", ".join(f"{name}={self.expression(value)}" for name, value in fields)
                return f"{self.expression(record, _ATOM)}._replace({named})"
            case ir.Call(helper=helper, arguments=arguments, before=before):
                owner = "before." if before else "self." if helper in self.known else ""
                return f"{owner}{helper}({self.join_with_commas(arguments)})"
            case ir.Comprehension():
                return self.comprehension(node)
            case ir.MakeRecord(domain, values):
                return f"{describe(domain)}({self.join_with_commas(values)})"
            case ir.MakeSequence(parts):
                comma = "," if len(parts) == 1 else ""
                return f"({self.join_with_commas(parts)}{comma})"
            case ir.MakeSet(parts, frozen):
                shown = f"{{{self.join_with_commas(parts)}}}" if parts else ""
                return f"frozenset({shown})" if frozen or not parts else shown
            case ir.Subsets(of):
                return f"subsets({self.expression(of)})"
            case ir.Everything(domain):
                return describe(domain)
            case ir.IntegerRange(ir.Literal(0), end):
                return f"range({self.expression(end)})"
            case ir.IntegerRange(start, end):
                return f"range({self.join_with_commas((start, end))})"
            case ir.Extreme(kind, parts):
                return f"{kind.value}({self.join_with_commas(parts)})"
            case ir.Length(of):
                return f"len({self.expression(of)})"
            case ir.IsMember(value, domain):
                classes = ", ".join(map(describe, members(domain)))
                asked = f"({classes})" if "," in classes else classes
                return f"isinstance({self.expression(value)}, {asked})"
            case ir.Narrowed(value):
                return self.expression(value, _ATOM)
            case ir.TakenAction(name):
                return f'taken.action == "{name}"'
            case ir.TakenArgument(name):
                return f"taken.{name}"
            case ir.Enabled(action, before):
                return f"enabled({'before' if before else 'self'}.{action})"
        raise AssertionError(f"{type(node).__name__} is not an expression of its own")
