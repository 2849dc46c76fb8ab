"""A model's text from its nodes: Python as an author would write it, on one line, for display alone."""

from enum import Enum
from typing import Any, assert_never

from isrcheck.ir.domains import Domain, describe
from isrcheck.ir.nodes import (
    Assign,
    Call,
    Clause,
    Comprehension,
    Conditional,
    Everything,
    Expression,
    Extreme,
    Gathering,
    IntegerRange,
    Item,
    Length,
    Let,
    Literal,
    MakeRecord,
    MakeSequence,
    MakeSet,
    Not,
    Operation,
    Operator,
    Perform,
    ReadConstant,
    ReadField,
    ReadLocal,
    ReadVariable,
    ReplaceFields,
    Require,
    Return,
    Slice,
    Statement,
    TakenAction,
    TakenArgument,
    VariableTarget,
    When,
)

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


def expression_text(node: Expression, known: frozenset[str] = frozenset(), within: int = _CHOICE) -> str:
    """An expression; helpers named in `known` are methods, the others functions. `within`: how tight its place is."""
    text, binds = _written(node, known)
    return f"({text})" if binds < within else text


def statement_text(node: Statement, known: frozenset[str] = frozenset()) -> str:
    """A statement on one line; of an `if` its condition alone."""
    match node:
        case Require(condition=condition):
            return f"require({expression_text(condition, known)})"
        case Assign(targets=(target,), values=(Operation() as value,)) if _is_augmented(target, value, known):
            right = expression_text(value.right, known)
            return f"{target_text(target, known)} {value.operator.value}= {right}"
        case Assign(targets=targets, values=values):
            left = ", ".join(target_text(t, known) for t in targets)
            return f"{left} = {', '.join(expression_text(v, known) for v in values)}"
        case When(condition=condition):
            return f"if {expression_text(condition, known)}:"
        case Perform(helper=helper, arguments=arguments):
            return f"self.{helper}({', '.join(expression_text(a, known) for a in arguments)})"
        case Return(value=value):
            return f"return {expression_text(value, known)}"
        case _:
            assert_never(node)


def _is_augmented(target: VariableTarget | str, value: Operation, known: frozenset[str]) -> bool:
    """Whether an assignment adds to its own target, or takes from it."""
    grows = value.operator in (Operator.ADD, Operator.SUB, Operator.UNION, Operator.INTERSECTION)
    return grows and expression_text(value.left, known) == target_text(target, known)


def target_text(target: VariableTarget | str, known: frozenset[str] = frozenset()) -> str:
    """What stands to the left of an assignment."""
    if isinstance(target, str):
        return target
    return f"self.{target.variable}" + "".join(f"[{expression_text(key, known)}]" for key in target.keys)


def _written(node: Expression, known: frozenset[str]) -> tuple[str, int]:
    """The text of an expression, and how tightly it binds."""

    def inner(part: Expression, within: int = _CHOICE) -> str:
        return expression_text(part, known, within)

    match node:
        case Operation():
            return _operation(node, known)
        case Not(operand=operand):
            return f"not {inner(operand, _NOT)}", _NOT
        case Conditional(condition=condition, then=then, other=other):
            return f"{inner(then, _OR)} if {inner(condition, _OR)} else {inner(other)}", _CHOICE
        case Let(name=name, value=value, body=body):
            return f"(let {name} = {inner(value)} in {inner(body)})", _ATOM
        case ReadField(record=record, name=name):
            return f"{inner(record, _ATOM)}.{name}", _ATOM
        case Item(container=container, key=key):
            return f"{inner(container, _ATOM)}[{inner(key)}]", _ATOM
        case Slice(sequence=sequence, start=start, stop=stop):
            bounds = ":".join(inner(end) if end else "" for end in (start, stop))
            return f"{inner(sequence, _ATOM)}[{bounds}]", _ATOM
        case ReplaceFields(record=record, fields=fields):
            return f"{inner(record, _ATOM)}._replace({', '.join(f'{n}={inner(v)}' for n, v in fields)})", _ATOM
        case Call(helper=helper, arguments=arguments, before=before):
            owner = "before." if before else "self." if helper in known else ""
            return f"{owner}{helper}({', '.join(map(inner, arguments))})", _ATOM
        case Comprehension():
            return _comprehension(node, known), _ATOM
    return _atom(node, known), _ATOM


def _operation(node: Operation, known: frozenset[str]) -> tuple[str, int]:
    binds = _BINDS.get(node.operator, _COMPARISON)
    tighter = binds if node.operator in _ASSOCIATIVE else binds + 1
    left = expression_text(node.left, known, _UNION if binds == _COMPARISON else binds)
    right = expression_text(node.right, known, tighter)
    is_none = isinstance(node.right, Literal) and node.right.value is None
    words = {Operator.EQ: "is", Operator.NE: "is not"} if is_none else {}
    return f"{left} {words.get(node.operator, node.operator.value)} {right}", binds


def _comprehension(node: Comprehension, known: frozenset[str]) -> str:
    head = expression_text(node.element, known)
    if node.gathering is Gathering.MAP and node.key is not None:
        return f"{{{expression_text(node.key, known)}: {head} {_clauses(node.clauses, known)}}}"
    inside = f"{head} {_clauses(node.clauses, known)}"
    if node.default is None:
        return f"{node.gathering.value}({inside})"
    return f"{node.gathering.value}(({inside}), default={expression_text(node.default, known)})"


def _clauses(clauses: tuple[Clause, ...], known: frozenset[str]) -> str:
    return " ".join(
        " ".join(
            [
                f"for {clause.target} in {expression_text(clause.source, known, _OR)}",
                *(f"if {expression_text(condition, known, _OR)}" for condition in clause.conditions),
            ]
        )
        for clause in clauses
    )


def _atom(node: Expression, known: frozenset[str]) -> str:
    def listed(parts: tuple[Expression, ...]) -> str:
        return ", ".join(expression_text(part, known) for part in parts)

    match node:
        case Literal(value=value):
            return _literal(value)
        case ReadConstant(name=name):
            return f"self.{name}"
        case ReadVariable(name=name, before=before):
            return f"{'before' if before else 'self'}.{name}"
        case ReadLocal(name=name):
            return name
        case MakeRecord(domain=domain, fields=fields):
            return f"{_name(domain)}({listed(fields)})"
        case MakeSequence(elements=elements):
            return f"({listed(elements)}{',' if len(elements) == 1 else ''})"
        case MakeSet(elements=elements, frozen=frozen):
            shown = f"{{{listed(elements)}}}" if elements else ""
            return f"frozenset({shown})" if frozen or not elements else shown
        case Everything(domain=domain):
            return _name(domain)
        case IntegerRange(start=start, stop=stop):
            from_zero = isinstance(start, Literal) and start.value == 0
            return f"range({listed((stop,) if from_zero else (start, stop))})"
        case Extreme(gathering=gathering, parts=parts):
            return f"{gathering.value}({listed(parts)})"
        case Length(of=of):
            return f"len({expression_text(of, known)})"
        case TakenAction(name=name):
            return f'taken.action == "{name}"'
        case TakenArgument(name=name):
            return f"taken.{name}"
    raise AssertionError(f"{type(node).__name__} is no expression of its own")


def _literal(value: Any) -> str:
    return f"{type(value).__name__}.{value.name}" if isinstance(value, Enum) else repr(value)


def _name(domain: Domain) -> str:
    return describe(domain)
