"""Candidates for lemmas: for all of a scope, one of some literals holds; as a method that an author would write."""

import re
import textwrap
from functools import cached_property

from isrcheck.ir import nodes
from isrcheck.ir.domains import BOOL, describe
from isrcheck.ir.frozen import Frozen
from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.nodes import Clause, Expression, Gathering, Operator
from isrcheck.ir.traversal import walk
from isrcheck.ir.unparse import expression_text
from isrcheck.passes.literals import CandidateLiteral
from isrcheck.passes.vocabulary import CandidateScope, operation
from isrcheck.place import NOWHERE

_WIDTH, _LONGEST_NAME = 110, 60
_WORDS = {
    Operator.LE: "is_at_most",
    Operator.LT: "is_below",
    Operator.GE: "is_at_least",
    Operator.GT: "is_above",
    Operator.EQ: "is",
    Operator.NE: "is_not",
    Operator.IN: "is_in",
    Operator.NOT_IN: "is_not_in",
}
_DOC = "Found by search: true in every state that was searched, and kept by every step."


class Candidate(Frozen):
    scope: CandidateScope
    literals: tuple[CandidateLiteral, ...]
    helpers: frozenset[str]  # of the model, which are methods

    @cached_property
    def expression(self) -> Expression:
        claim, guards = self._parts
        needs = tuple(dict.fromkeys(need for literal in self.literals for need in literal.needs))
        if not self.scope.clauses:
            missing = [_absent(need) for need in needs]
            return _joined(Operator.OR, [*missing, *(g.holds for g in guards), _upwards(claim.holds)])
        conditions = [*needs, *(guard.otherwise for guard in guards)]
        clauses, left = _narrowed(self.scope.clauses, conditions)
        if left:
            last = clauses[-1]
            clauses = (*clauses[:-1], Clause(last.target, last.source, (_joined(Operator.AND, left),), NOWHERE))
        return nodes.Comprehension(Gathering.ALL, _upwards(claim.holds), clauses, NOWHERE)

    @property
    def _parts(self) -> tuple[CandidateLiteral, list[CandidateLiteral]]:
        """What is claimed, and of whom it is not claimed: the literals that guards exclude."""
        claim = max(self.literals, key=lambda literal: _weight(literal.holds))
        return claim, [literal for literal in self.literals if literal is not claim]

    @cached_property
    def text(self) -> str:
        return expression_text(self.expression, self.helpers)

    @cached_property
    def size(self) -> tuple[int, int]:
        """The shorter is tried first."""
        needs = {need for literal in self.literals for need in literal.needs}
        return 2 * len(self.literals) + len(self.scope.clauses) + len(needs), len(self.text)

    def method(self, name: str, ir: ModelIR) -> Method:
        body = (nodes.Return(self.expression, NOWHERE),)
        return Method(name, "lemma", _DOC, (), body, BOOL, ir.name, NOWHERE)

    def name(self, taken: set[str]) -> str:
        """In the model's words."""
        claim, guards = self._parts
        words = [self._words(_upwards(claim.holds)), *(self._words(g.otherwise) for g in guards)]
        name = "_if_".join(words[:1] + ["_and_".join(words[1:])] if guards else words)
        if len(name) > _LONGEST_NAME or not name.isidentifier():
            name = f"{words[0][: _LONGEST_NAME - 12]}_sometimes"
        number, found = 2, name
        while found in taken:
            number, found = number + 1, f"{name}_{number}"
        taken.add(found)
        return found

    def _words(self, node: Expression) -> str:
        match node:
            case nodes.Operation(operator, left, right) if operator in _WORDS:
                return f"{self._words(left)}_{_WORDS[operator]}_{self._words(right)}"
            case nodes.Operation(Operator.UNION, left, right):
                return f"{self._words(left)}_or_{self._words(right)}"
            case nodes.Not(nodes.Operation(Operator.LE, left, right)):
                return f"{self._words(left)}_is_not_within_{self._words(right)}"
            case nodes.Not(operand):
                return f"not_{self._words(operand)}"
            case nodes.ReadLocal(name):
                return describe(self.scope.locals[name]).lower() if name not in ("one", "other") else name
            case nodes.ReadVariable(name) | nodes.ReadConstant(name) | nodes.Call(helper=name):
                return name
            case nodes.ReadField(record, name):
                return f"{self._words(record)}_{name}"
            case nodes.Item(container) | nodes.Slice(container):
                return self._words(container)
            case nodes.Length(of):
                return f"length_of_{self._words(of)}"
            case nodes.MakeSet(()):
                return "empty"
            case nodes.Literal(value):
                return str(getattr(value, "name", value)).lower()
        return "it"


def lemma_text(method: Method, helpers: frozenset[str]) -> str:
    """A method of one `return`, as an author would write it in a class."""
    (body,) = method.body
    assert isinstance(body, nodes.Return)
    lines = [f"return {expression_text(body.value, helpers)}"]
    if len(lines[0]) > _WIDTH and isinstance(body.value, nodes.Comprehension):
        lines = ["return all(", *(f"    {line}" for line in _clause_lines(body.value, helpers)), ")"]
    head = ["@lemma", f"def {method.name}(self) -> bool:", f'    """{method.doc}"""']
    return "\n".join([*head, *(f"    {line}" for line in lines)])


def _clause_lines(node: nodes.Comprehension, helpers: frozenset[str]) -> list[str]:
    text = expression_text(node, helpers).removeprefix("all(").removesuffix(")")
    lines = re.split(r" (?=(?:for \w+ in|if) )", text)
    return [part for line in lines for part in textwrap.wrap(line, _WIDTH, break_long_words=False)]


def _narrowed(clauses: tuple[Clause, ...], conditions: list[Expression]) -> tuple[tuple[Clause, ...], list[Expression]]:
    """`for f in Follower if f in self.isr` is `for f in self.isr`."""
    made: list[Clause] = []
    for clause in clauses:
        source = clause.source
        for condition in conditions:
            match condition:
                case nodes.Operation(Operator.IN, nodes.ReadLocal(name), right) if name == clause.target:
                    reads = {p.name for p in walk(right) if isinstance(p, nodes.ReadLocal)}
                    if isinstance(source, nodes.Everything) and reads <= {m.target for m in made}:
                        source = right
                        conditions = [c for c in conditions if c is not condition]
        made.append(Clause(clause.target, source, (), NOWHERE))
    return tuple(made), conditions


def _weight(node: Expression) -> int:
    """What an author would rather claim than assume."""
    match node:
        case nodes.Operation(Operator.LE | Operator.LT | Operator.GE | Operator.GT, left):
            return 4 if not isinstance(left, nodes.ReadConstant) else 3
        case nodes.Operation(Operator.EQ | Operator.NE, _, nodes.Literal()):
            return 1
        case nodes.Operation(Operator.EQ | Operator.NE):
            return 3
        case nodes.Operation(Operator.IN | Operator.NOT_IN):
            return 2
    return 2 if not isinstance(node, nodes.Not) else 0


def _upwards(node: Expression) -> Expression:
    """`a <= b` for `b >= a`."""
    match node:
        case nodes.Operation(Operator.GE, left, right):
            return operation(Operator.LE, right, left)
        case nodes.Operation(Operator.GT, left, right):
            return operation(Operator.LT, right, left)
    return node


def _absent(need: Expression) -> Expression:
    assert isinstance(need, nodes.Operation)
    return operation(Operator.EQ if need.operator is Operator.NE else Operator.GE, need.left, need.right)


def _joined(operator: Operator, parts: list[Expression]) -> Expression:
    found = parts[0]
    for part in parts[1:]:
        found = operation(operator, found, part)
    return found
