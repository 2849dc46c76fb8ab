"""Second pass: helpers and policies are written out where they are called, under names of their own."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

from isrcheck.budget import poll
from isrcheck.ir import nodes
from isrcheck.place import Place

T = TypeVar("T")


@dataclass
class Inliner:
    """Writes out the helpers of one model."""

    ir: nodes.ModelIR
    made: int = 0

    def method(self, method: nodes.Method) -> tuple[nodes.Statement, ...]:
        """The body of an action, with all that it calls."""
        return self.statements(method.body, {p.name: p.name for p in method.parameters})

    def condition(self, method: nodes.Method) -> nodes.Expression:
        """The body of a property or an assumption as one expression."""
        return self.value_of(method.body, {p.name: p.name for p in method.parameters}, False)

    # Statements

    def statements(self, block: tuple[nodes.Statement, ...], names: dict[str, str]) -> tuple[nodes.Statement, ...]:
        found: list[nodes.Statement] = []
        for statement in block:
            match statement:
                case nodes.Perform(helper=helper, arguments=arguments, at=at):
                    found.extend(self.perform(self.ir.helpers[helper], arguments, names, at))
                case nodes.When(condition=condition, then=then, other=other, at=at):
                    test = self.expression(condition, names, False)
                    found.append(nodes.When(test, self.statements(then, names), self.statements(other, names), at))
                case nodes.Assign(targets=targets, values=values, at=at):
                    read = tuple(self.expression(value, names, False) for value in values)
                    found.append(nodes.Assign(tuple(self.target(t, names) for t in targets), read, at))
                case _:
                    found.append(self.rewrite(statement, names, False))
        return tuple(found)

    def target(self, target: nodes.VariableTarget | str, names: dict[str, str]) -> nodes.VariableTarget | str:
        if isinstance(target, str):
            return names.get(target, target)
        return replace(target, keys=tuple(self.expression(key, names, False) for key in target.keys))

    def perform(
        self, helper: nodes.Method, arguments: tuple[nodes.Expression, ...], names: dict[str, str], at: Place
    ) -> tuple[nodes.Statement, ...]:
        poll()
        inner = self.fresh(p.name for p in helper.parameters)
        read = tuple(self.expression(argument, names, False) for argument in arguments)
        start = nodes.Assign(tuple(inner.values()), read, at)
        return (start, *self.statements(helper.body, {**self.fresh(sorted(_assigned(helper.body))), **inner}))

    def fresh(self, parameters: Any) -> dict[str, str]:
        self.made += 1
        return {name: f"{name}'{self.made}" for name in parameters}

    # Expressions

    def expression(self, node: nodes.Expression, names: Mapping[str, str], before: bool) -> nodes.Expression:
        match node:
            case nodes.ReadLocal(name=name, at=at):
                return nodes.ReadLocal(names.get(name, name), at)
            case nodes.ReadVariable() if before:
                return replace(node, before=True)
            case nodes.Call(helper=helper, arguments=arguments, before=earlier, at=at):
                return self.call(self.ir.helpers[helper], arguments, names, before, before or earlier, at)
            case nodes.Comprehension():
                return self.comprehension(node, names, before)
        return self.rewrite(node, names, before)

    def comprehension(self, node: nodes.Comprehension, names: Mapping[str, str], before: bool) -> nodes.Expression:
        renamed = {**names, **self.fresh(clause.target for clause in node.clauses)}
        clauses = tuple(
            replace(
                clause,
                target=renamed[clause.target],
                source=self.expression(clause.source, renamed, before),
                conditions=tuple(self.expression(c, renamed, before) for c in clause.conditions),
            )
            for clause in node.clauses
        )
        return replace(
            node,
            clauses=clauses,
            element=self.expression(node.element, renamed, before),
            key=node.key and self.expression(node.key, renamed, before),
            default=node.default and self.expression(node.default, names, before),
        )

    def call(
        self,
        helper: nodes.Method,
        arguments: tuple[nodes.Expression, ...],
        names: Mapping[str, str],
        outer: bool,
        before: bool,
        at: Place,
    ) -> nodes.Expression:
        """A helper's value: its parameters are read where it is called, its body where it says."""
        inner = self.fresh(p.name for p in helper.parameters)
        result = self.value_of(helper.body, dict(inner), before)
        for parameter, argument in zip(reversed(inner.values()), reversed(arguments), strict=True):
            result = nodes.Let(parameter, self.expression(argument, names, outer), result, at)
        return result

    def value_of(self, block: tuple[nodes.Statement, ...], names: dict[str, str], before: bool) -> nodes.Expression:
        """The value that a pure body returns."""
        poll()
        statement, rest = block[0], block[1:]
        match statement:
            case nodes.Return(value=value):
                return self.expression(value, names, before)
            case nodes.Assign(targets=targets, values=values, at=at):
                read = [self.expression(value, names, before) for value in values]
                fresh = self.fresh(t for t in targets if isinstance(t, str))
                names.update(fresh)
                result = self.value_of(rest, names, before)
                for name, value in zip(reversed(fresh.values()), reversed(read), strict=True):
                    result = nodes.Let(name, value, result, at)
                return result
            case nodes.When(condition=condition, then=then, other=other, at=at):
                test = self.expression(condition, names, before)
                one = self.value_of(then + rest, dict(names), before)
                return nodes.Conditional(test, one, self.value_of(other + rest, dict(names), before), at)
        raise AssertionError(f"{type(statement).__name__} in a pure body")

    def rewrite(self, node: T, names: Mapping[str, str], before: bool) -> T:
        """The same node around rewritten parts."""
        assert is_dataclass(node)
        assert not isinstance(node, type)
        changed = {}
        for part in fields(node):
            value = getattr(node, part.name)
            new = self._part(value, names, before)
            if new is not value:
                changed[part.name] = new
        return replace(node, **changed) if changed else node

    def _part(self, value: Any, names: Mapping[str, str], before: bool) -> Any:
        if isinstance(value, tuple):
            return tuple(self._part(part, names, before) for part in value)
        if isinstance(value, nodes.Expression):
            return self.expression(value, names, before)
        return value


def _assigned(block: tuple[nodes.Statement, ...]) -> set[str]:
    """Every local name that a block assigns somewhere."""
    found: set[str] = set()
    for statement in block:
        match statement:
            case nodes.Assign(targets=targets):
                found |= {t for t in targets if isinstance(t, str)}
            case nodes.When(then=then, other=other):
                found |= _assigned(then) | _assigned(other)
    return found
