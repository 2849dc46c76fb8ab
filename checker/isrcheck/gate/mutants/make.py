"""All mutants of a model's text: each has one change, a name, a place and words."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from pathlib import PurePath
from typing import Any, NamedTuple

from msgspec import structs

from isrcheck.errors import ModelError
from isrcheck.ir import nodes
from isrcheck.ir.check import check_domains
from isrcheck.ir.frozen import replace, tree_of
from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.nodes import (
    Clause,
    Comprehension,
    Conditional,
    Expression,
    Literal,
    Operation,
    Operator,
    VariableTarget,
)
from isrcheck.ir.unparse import expression_text, statement_text
from isrcheck.place import Place


class Mutation(Enum):
    GUARD = "guard removed"
    CONJUNCT = "conjunct dropped"
    DISJUNCT = "disjunct dropped"
    COMPARISON = "comparison changed"
    SHIFT = "bound shifted by one"
    FILTER = "filter dropped"
    EFFECT = "effect dropped"
    HISTORY = "history not kept"  # of what only properties read
    BRANCH = "branch forced"


@dataclass(frozen=True)
class Mutant:
    """A model with one change of its text; `name` is METHOD/WORD-N."""

    name: str
    change: Mutation
    method: str  # or helper, or policy
    owner: str  # its class or module
    at: Place
    before: str  # statement, or part of it
    after: str  # empty if nothing is left
    guard: str  # METHOD: text, or empty
    actions: frozenset[str]  # it reaches
    ir: ModelIR = field(compare=False, repr=False)


class Fate(Enum):
    """The fate of a mutant; over several configurations, the first in this order is the mutant's."""

    KILLED = "killed"  # a property that held is violated, or a reachability property not met any more
    BROKEN = "error"  # in the model's text
    INVALID = "invalid"  # not a model
    DEAD_ACTION = "dead-action"  # an action never happens any more
    UNDECIDED = "undecided"  # cut off
    LOST = "lost"  # its process died twice
    SURVIVED = "survived"  # another graph
    EQUIVALENT = "equivalent"  # the same steps, or numbers and digest
    TRIVIAL = "trivially-equivalent"  # the same text with these constants

    @property
    def is_detected(self) -> bool:
        return self in (Fate.KILLED, Fate.BROKEN, Fate.INVALID, Fate.DEAD_ACTION)

    @property
    def is_undecided(self) -> bool:
        return self in (Fate.UNDECIDED, Fate.LOST)


@dataclass(frozen=True)
class Kill:
    """A property (or the deadlock check) that kills a mutant."""

    name: str
    kind: str  # that of the property
    length: int | None  # in states; None: never reached now


@dataclass(frozen=True)
class MutantOutcome:
    fate: Fate
    kills: tuple[Kill, ...] = ()  # sorted
    why: str = ""  # an error, or the cut
    dead_actions: tuple[str, ...] = ()
    distinct: int = 0  # if not searched


def where(place: Place) -> str:
    """Return a place as family/file.py:line:column."""
    return f"{'/'.join(PurePath(place.file).parts[-2:])}:{place.line}:{place.column + 1}"


Put = Callable[[Any], Any]  # puts a part in

_JUNCTIONS = {Operator.AND: Mutation.CONJUNCT, Operator.OR: Mutation.DISJUNCT}
_TESTS = (Operator.EQ, Operator.NE, Operator.IN, Operator.NOT_IN)
_OTHER_BOUND = {Operator.LT: Operator.LE, Operator.LE: Operator.LT, Operator.GT: Operator.GE, Operator.GE: Operator.GT}
_LEFT_BY_ONE = (Operator.LT, Operator.GE)  # The shift that `<` to `<=` does not make


class ExpressionEdit(NamedTuple):
    """An operand changed, and the outermost expression with the change in it."""

    old: Expression
    change: Mutation
    new: Expression | None  # or nothing
    result: Expression


def edits(node: Expression, dropped: bool = False) -> Iterator[ExpressionEdit]:
    """Yield the edits within an expression. If it is `dropped`, leaving out all of it is an edit of its parent."""
    yield from (ExpressionEdit(node, change, new, new) for change, new in _replacements(node, dropped))
    if isinstance(node, Comprehension):
        yield from _filters(node)
    for operand, put in children(node):
        for edit in edits(operand, _is_dropped(node, operand)):
            yield edit._replace(result=put(edit.result))


def _replacements(node: Expression, dropped: bool) -> Iterator[tuple[Mutation, Expression]]:
    match node:
        case Operation(operator=operator) if operator in _JUNCTIONS:
            # Each operand left out; one that is itself of several parts loses them one by one further down.
            for side, rest in ((node.left, node.right), (node.right, node.left)):
                if not (isinstance(side, Operation) and side.operator is operator):
                    yield _JUNCTIONS[operator], rest
        case Operation(operator=operator) if operator in _OTHER_BOUND:
            yield Mutation.COMPARISON, structs.replace(node, operator=_OTHER_BOUND[operator])
            one = Literal(1, node.at)
            if operator in _LEFT_BY_ONE:
                left = Operation(Operator.ADD, node.left, one, node.at)
                yield Mutation.SHIFT, structs.replace(node, left=left)
            else:
                right = Operation(Operator.ADD, node.right, one, node.at)
                yield Mutation.SHIFT, structs.replace(node, right=right)
        case Operation(operator=operator) if operator in _TESTS and not dropped:
            yield Mutation.COMPARISON, Literal(True, node.at)
        case Conditional(then=then, other=other):
            yield Mutation.BRANCH, then
            yield Mutation.BRANCH, other


def _filters(node: Comprehension) -> Iterator[ExpressionEdit]:
    for n, clause in enumerate(node.clauses):
        for condition in clause.conditions:
            rest = structs.replace(clause, conditions=tuple(c for c in clause.conditions if c is not condition))
            comprehension = structs.replace(node, clauses=(*node.clauses[:n], rest, *node.clauses[n + 1 :]))
            yield ExpressionEdit(condition, Mutation.FILTER, None, comprehension)


def _is_dropped(parent: Expression, operand: Expression) -> bool:
    """Whether a change of the parent drops an operand: `True` in its place would be the same mutant."""
    match parent:
        case Operation(operator=Operator.AND):
            return True
        case Conditional(condition=condition):
            return operand is condition
        case Comprehension(clauses=clauses):
            return any(operand is condition for clause in clauses for condition in clause.conditions)
    return False


def children(node: Any, names: Iterable[str] = (), put: Put = lambda new: new) -> Iterator[tuple[Expression, Put]]:
    """Yield the operands of a node in these fields, or all, clauses and targets too, each with what replaces it."""
    for name in names or type(node).__struct_fields__:
        yield from _below(getattr(node, name), partial(_put_in, put, node, name))


def _below(value: Any, put: Put) -> Iterator[tuple[Expression, Put]]:
    if isinstance(value, Expression):
        yield value, put
    elif isinstance(value, tuple):
        for n, each in enumerate(value):
            yield from _below(each, partial(_put_beside, put, value, n))
    elif isinstance(value, Clause | VariableTarget):
        yield from children(value, put=put)


def _put_in(put: Put, node: Any, name: str, new: Any) -> Any:
    return put(structs.replace(node, **{name: new}))


def _put_beside(put: Put, elements: tuple[Any, ...], n: int, *new: Any) -> Any:
    return put((*elements[:n], *new, *elements[n + 1 :]))


_LONGEST_STATEMENT = 100  # shown whole

_Body = tuple[nodes.Statement, ...]
_Put = Callable[..., _Body]  # the body around, with other statements inside


@dataclass(frozen=True)
class _Edit:
    body: _Body
    change: Mutation
    at: Place
    before: str
    after: str
    guard: str = ""


def mutants_of(ir: ModelIR) -> tuple[Mutant, ...]:
    """Return the mutants of a model, one for each change of an action or of a helper that actions call."""
    calls = {action.name: ir.helpers_reached(action.calls) for action in ir.actions}
    mutants: list[Mutant] = []
    for key, method in (*((action.name, action) for action in ir.actions), *ir.helpers.items()):
        # properties keep it as it was
        reaching = frozenset(action for action, called in calls.items() if key in (action, *called))
        if reaching:
            mutants.extend(_mutants(ir, key, method, reaching))
    return tuple(mutants)


def _mutants(ir: ModelIR, key: str, method: Method, actions: frozenset[str]) -> Iterator[Mutant]:
    histories = {v.name for v in ir.variables if v.is_history}
    numbers: Counter[str] = Counter()
    shapes = {tree_of(method.body, ["domain"])}
    for edit in _MethodWalker(frozenset(ir.helpers), histories, method.name).block(method.body, lambda body: body):
        changed = _with(ir, key, replace(method, body=edit.body))
        form = tree_of(edit.body, ["domain"])
        if form in shapes or (edit.change is Mutation.SHIFT and not _has_domains(changed)):
            continue
        shapes.add(form)
        kind = edit.change.name.lower()
        numbers[kind] += 1
        yield Mutant(
            name=f"{method.name}/{kind}-{numbers[kind]}",
            change=edit.change,
            method=method.name,
            owner=method.owner,
            at=edit.at,
            before=edit.before,
            after=edit.after,
            guard=edit.guard,
            actions=actions,
            ir=changed,
        )


def _with(ir: ModelIR, key: str, method: Method) -> ModelIR:
    if method.role == "action":
        return replace(ir, actions=tuple(method if a.name == method.name else a for a in ir.actions))
    return replace(ir, helpers={**ir.helpers, key: method})


def _has_domains(ir: ModelIR) -> bool:
    try:
        check_domains(ir)
    except ModelError:
        return False
    return True


class _MethodWalker:
    def __init__(self, known: frozenset[str], histories: set[str], method: str) -> None:
        self._known = known
        self._histories = histories
        self._method = method
        self._source = partial(statement_text, known=known)
        self._guards: Counter[str] = Counter()

    def block(self, block: _Body, put: _Put) -> Iterator[_Edit]:
        for n, node in enumerate(block):
            yield from self._statement(node, partial(_put_beside, put, block, n))

    def _statement(self, node: nodes.Statement, put: _Put) -> Iterator[_Edit]:
        match node:
            case nodes.Require():
                yield self._drop_statement(node, put, Mutation.GUARD, self._guard(node))
                yield from self._expressions(node, "condition", put, dropped=True)
            case nodes.Assign(targets=targets):
                for position, target in enumerate(targets):
                    if isinstance(target, nodes.VariableTarget):
                        yield self._drop_target(node, position, target, put)
                yield from self._expressions(node, "values", put)
            case nodes.Perform():
                yield self._drop_statement(node, put, Mutation.EFFECT)
                yield from self._expressions(node, "arguments", put)
            case nodes.When(condition=condition, then=then, other=other):
                for forced in (True, False):
                    new = nodes.Literal(forced, condition.at)
                    edit = ExpressionEdit(condition, Mutation.BRANCH, new, new)
                    yield self._edit_of(node, structs.replace(node, condition=new), edit, put)
                yield from self._expressions(node, "condition", put, dropped=True)
                yield from self.block(then, lambda new: put(structs.replace(node, then=new)))
                yield from self.block(other, lambda new: put(structs.replace(node, other=new)))
            case nodes.Repeat(body=body):
                yield from self.block(body, lambda new: put(structs.replace(node, body=new)))
            case nodes.Return():
                yield from self._expressions(node, "value", put)

    def _guard(self, node: nodes.Require) -> str:
        name = f"{self._method}: {self._source(node)}"
        self._guards[name] += 1
        return name if self._guards[name] == 1 else f"{name} #{self._guards[name]}"

    def _drop_target(self, node: nodes.Assign, position: int, target: nodes.VariableTarget, put: _Put) -> _Edit:
        change = Mutation.HISTORY if target.variable in self._histories else Mutation.EFFECT
        if len(node.targets) == 1:
            return self._drop_statement(node, put, change)
        left = structs.replace(
            node,
            targets=node.targets[:position] + node.targets[position + 1 :],
            values=node.values[:position] + node.values[position + 1 :],
        )
        before = self._source(node)
        after = self._source(left)
        return _Edit(put(left), change, node.at, before, after)

    def _drop_statement(self, node: nodes.Statement, put: _Put, change: Mutation, guard: str = "") -> _Edit:
        before = self._source(node)
        return _Edit(put(), change, node.at, before, "", guard)

    def _expressions(self, node: nodes.Statement, name: str, put: _Put, dropped: bool = False) -> Iterator[_Edit]:
        for operand, around in children(node, [name]):
            for edit in edits(operand, dropped):
                yield self._edit_of(node, around(edit.result), edit, put)

    def _edit_of(self, node: nodes.Statement, changed: nodes.Statement, edit: ExpressionEdit, put: _Put) -> _Edit:
        """An edit as its statement reads before and after; of a long one the part alone."""
        before = self._source(node)
        after = self._source(changed)
        if len(before) > _LONGEST_STATEMENT:
            before = expression_text(edit.old, self._known)
            after = "" if edit.new is None else expression_text(edit.new, self._known)
        return _Edit(put(changed), edit.change, edit.old.at, before, after)
