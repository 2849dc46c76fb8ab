"""A model's text from its nodes: Python as an author would write it, on one line, for display alone."""

from enum import Enum
from typing import Any, assert_never

from isrcheck.ir import nodes
from isrcheck.ir.domains import Domain, describe

_CHOICE, _OR, _AND, _NOT, _COMPARISON, _UNION, _INTERSECTION, _SUM, _PRODUCT, _ATOM = range(10)  # how tightly it binds
_BINDS = {
    nodes.Operator.OR: _OR,
    nodes.Operator.AND: _AND,
    nodes.Operator.UNION: _UNION,
    nodes.Operator.INTERSECTION: _INTERSECTION,
    nodes.Operator.ADD: _SUM,
    nodes.Operator.SUB: _SUM,
    nodes.Operator.MUL: _PRODUCT,
    nodes.Operator.DIV: _PRODUCT,
    nodes.Operator.MOD: _PRODUCT,
}
_ASSOCIATIVE = (nodes.Operator.OR, nodes.Operator.AND)


def expression_text(node: nodes.Expression, known: frozenset[str] = frozenset(), within: int = _CHOICE) -> str:
    """An expression; helpers named in `known` are methods, the others functions. `within`: how tight its place is."""
    text, binds = _written(node, known)
    return f"({text})" if binds < within else text


def statement_text(node: nodes.Statement, known: frozenset[str] = frozenset()) -> str:
    """A statement on one line; of an `if` its condition alone."""
    match node:
        case nodes.Require(condition=condition):
            return f"require({expression_text(condition, known)})"
        case nodes.Assign(targets=(target,), values=(nodes.Operation() as value,)) if _is_augmented(
            target, value, known
        ):
            right = expression_text(value.right, known)
            return f"{target_text(target, known)} {value.operator.value}= {right}"
        case nodes.Assign(targets=targets, values=values):
            left = ", ".join(target_text(t, known) for t in targets)
            return f"{left} = {', '.join(expression_text(v, known) for v in values)}"
        case nodes.When(condition=condition):
            return f"if {expression_text(condition, known)}:"
        case nodes.Perform(helper=helper, arguments=arguments):
            return f"self.{helper}({', '.join(expression_text(a, known) for a in arguments)})"
        case nodes.Return(value=value):
            return f"return {expression_text(value, known)}"
        case _:
            assert_never(node)


def _is_augmented(target: nodes.VariableTarget | str, value: nodes.Operation, known: frozenset[str]) -> bool:
    """Whether an assignment adds to its own target, or takes from it."""
    grows = value.operator in (
        nodes.Operator.ADD,
        nodes.Operator.SUB,
        nodes.Operator.UNION,
        nodes.Operator.INTERSECTION,
    )
    return grows and expression_text(value.left, known) == target_text(target, known)


def target_text(target: nodes.VariableTarget | str, known: frozenset[str] = frozenset()) -> str:
    """What stands to the left of an assignment."""
    if isinstance(target, str):
        return target
    return f"self.{target.variable}" + "".join(f"[{expression_text(key, known)}]" for key in target.keys)


def _written(node: nodes.Expression, known: frozenset[str]) -> tuple[str, int]:
    """The text of an expression, and how tightly it binds."""

    def inner(part: nodes.Expression, within: int = _CHOICE) -> str:
        return expression_text(part, known, within)

    match node:
        case nodes.Operation():
            return _operation(node, known)
        case nodes.Not(operand=operand):
            return f"not {inner(operand, _NOT)}", _NOT
        case nodes.Conditional(condition=condition, then=then, other=other):
            return f"{inner(then, _OR)} if {inner(condition, _OR)} else {inner(other)}", _CHOICE
        case nodes.Let(name=name, value=value, body=body):
            return f"(let {name} = {inner(value)} in {inner(body)})", _ATOM
        case nodes.ReadField(record=record, name=name):
            return f"{inner(record, _ATOM)}.{name}", _ATOM
        case nodes.Item(container=container, key=key):
            return f"{inner(container, _ATOM)}[{inner(key)}]", _ATOM
        case nodes.Slice(sequence=sequence, start=start, stop=stop):
            bounds = ":".join(inner(end) if end else "" for end in (start, stop))
            return f"{inner(sequence, _ATOM)}[{bounds}]", _ATOM
        case nodes.ReplaceFields(record=record, fields=fields):
            return f"{inner(record, _ATOM)}._replace({', '.join(f'{n}={inner(v)}' for n, v in fields)})", _ATOM
        case nodes.Call(helper=helper, arguments=arguments, before=before):
            owner = "before." if before else "self." if helper in known else ""
            return f"{owner}{helper}({', '.join(map(inner, arguments))})", _ATOM
        case nodes.Comprehension():
            return _comprehension(node, known), _ATOM
    return _atom(node, known), _ATOM


def _operation(node: nodes.Operation, known: frozenset[str]) -> tuple[str, int]:
    binds = _BINDS.get(node.operator, _COMPARISON)
    tighter = binds if node.operator in _ASSOCIATIVE else binds + 1
    left = expression_text(node.left, known, _UNION if binds == _COMPARISON else binds)
    right = expression_text(node.right, known, tighter)
    is_none = isinstance(node.right, nodes.Literal) and node.right.value is None
    words = {nodes.Operator.EQ: "is", nodes.Operator.NE: "is not"} if is_none else {}
    return f"{left} {words.get(node.operator, node.operator.value)} {right}", binds


def _comprehension(node: nodes.Comprehension, known: frozenset[str]) -> str:
    head = expression_text(node.element, known)
    if node.gathering is nodes.Gathering.MAP and node.key is not None:
        return f"{{{expression_text(node.key, known)}: {head} {_clauses(node.clauses, known)}}}"
    inside = f"{head} {_clauses(node.clauses, known)}"
    if node.default is None:
        return f"{node.gathering.value}({inside})"
    return f"{node.gathering.value}(({inside}), default={expression_text(node.default, known)})"


def _clauses(clauses: tuple[nodes.Clause, ...], known: frozenset[str]) -> str:
    return " ".join(
        " ".join(
            [
                f"for {clause.target} in {expression_text(clause.source, known, _OR)}",
                *(f"if {expression_text(condition, known, _OR)}" for condition in clause.conditions),
            ]
        )
        for clause in clauses
    )


def _atom(node: nodes.Expression, known: frozenset[str]) -> str:
    def listed(parts: tuple[nodes.Expression, ...]) -> str:
        return ", ".join(expression_text(part, known) for part in parts)

    match node:
        case nodes.Literal(value=value):
            return _literal(value)
        case nodes.ReadConstant(name=name):
            return f"self.{name}"
        case nodes.ReadVariable(name=name, before=before):
            return f"{'before' if before else 'self'}.{name}"
        case nodes.ReadLocal(name=name):
            return name
        case nodes.MakeRecord(domain=domain, fields=fields):
            return f"{_name(domain)}({listed(fields)})"
        case nodes.MakeSequence(elements=elements):
            return f"({listed(elements)}{',' if len(elements) == 1 else ''})"
        case nodes.MakeSet(elements=elements, frozen=frozen):
            shown = f"{{{listed(elements)}}}" if elements else ""
            return f"frozenset({shown})" if frozen or not elements else shown
        case nodes.Everything(domain=domain):
            return _name(domain)
        case nodes.IntegerRange(start=start, stop=stop):
            from_zero = isinstance(start, nodes.Literal) and start.value == 0
            return f"range({listed((stop,) if from_zero else (start, stop))})"
        case nodes.Extreme(gathering=gathering, parts=parts):
            return f"{gathering.value}({listed(parts)})"
        case nodes.Length(of=of):
            return f"len({expression_text(of, known)})"
        case nodes.TakenAction(name=name):
            return f'taken.action == "{name}"'
        case nodes.TakenArgument(name=name):
            return f"taken.{name}"
    raise AssertionError(f"{type(node).__name__} is not an expression of its own")


def _literal(value: Any) -> str:
    return f"{type(value).__name__}.{value.name}" if isinstance(value, Enum) else repr(value)


def _name(domain: Domain) -> str:
    return describe(domain)
