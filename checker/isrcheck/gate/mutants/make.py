"""All mutants of a model's text."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from msgspec import structs

from isrcheck.errors import ModelError
from isrcheck.gate.mutants.conditions import ExpressionEdit, children_in, edits, shape
from isrcheck.gate.mutants.mutant import Mutant, Mutation
from isrcheck.ir import nodes
from isrcheck.ir.check import check_domains
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.unparse import expression_text, statement_text
from isrcheck.place import Place

_LONGEST_STATEMENT = 100  # shown whole

_Body = tuple[nodes.Statement, ...]
# the body around, with another inside
_Put = Callable[[_Body], _Body]


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
    calls = {action.name: helpers_called_by(ir, action) for action in ir.actions}
    mutants: list[Mutant] = []
    for key, method in (*((action.name, action) for action in ir.actions), *ir.helpers.items()):
        # properties keep it as it was
        reaching = frozenset(action for action, called in calls.items() if key in (action, *called))
        if reaching:
            mutants.extend(_mutants(ir, key, method, reaching))
    return tuple(mutants)


def helpers_called_by(ir: ModelIR, method: Method) -> set[str]:
    """The helpers and policies that a method calls, itself or through others."""
    names, waiting = set[str](), [method]
    while waiting:
        new = waiting.pop().calls - names
        names |= new
        waiting += [ir.helpers[name] for name in new]
    return names


def _mutants(ir: ModelIR, key: str, method: Method, actions: frozenset[str]) -> Iterator[Mutant]:
    histories = {v.name for v in ir.variables if v.is_history}
    numbers: Counter[str] = Counter()
    shapes = {shape(method.body)}
    for edit in _MethodWalker(frozenset(ir.helpers), histories, method.name).block(method.body, lambda body: body):
        changed = _with(ir, key, replace(method, body=edit.body))
        form = shape(edit.body)
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


def _beside(block: _Body, n: int, put: _Put) -> _Put:
    return lambda new: put((*block[:n], *new, *block[n + 1 :]))


class _MethodWalker:
    def __init__(self, known: frozenset[str], histories: set[str], method: str) -> None:
        self._known = known
        self._histories = histories
        self._method = method
        self._guards: Counter[str] = Counter()

    def block(self, block: _Body, put: _Put) -> Iterator[_Edit]:
        for n, node in enumerate(block):
            yield from self._statement(node, _beside(block, n, put))

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
                yield from self.block(then, lambda new: put((structs.replace(node, then=new),)))
                yield from self.block(other, lambda new: put((structs.replace(node, other=new),)))
            case nodes.Repeat(body=body):
                yield from self.block(body, lambda new: put((structs.replace(node, body=new),)))
            case nodes.Return():
                yield from self._expressions(node, "value", put)

    def _guard(self, node: nodes.Require) -> str:
        name = f"{self._method}: {self._source(node)}"
        self._guards[name] += 1
        return name if self._guards[name] == 1 else f"{name} #{self._guards[name]}"

    def _source(self, node: nodes.Statement) -> str:
        return statement_text(node, self._known)

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
        return _Edit(put((left,)), change, node.at, before, after)

    def _drop_statement(self, node: nodes.Statement, put: _Put, change: Mutation, guard: str = "") -> _Edit:
        before = self._source(node)
        return _Edit(put(()), change, node.at, before, "", guard)

    def _expressions(self, node: nodes.Statement, name: str, put: _Put, dropped: bool = False) -> Iterator[_Edit]:
        for operand, around in children_in(node, name):
            for edit in edits(operand, dropped):
                yield self._edit_of(node, around(edit.result), edit, put)

    def _edit_of(self, node: nodes.Statement, changed: nodes.Statement, edit: ExpressionEdit, put: _Put) -> _Edit:
        """An edit as its statement reads before and after; of a long one the part alone."""
        before = self._source(node)
        after = self._source(changed)
        if len(before) > _LONGEST_STATEMENT:
            before = expression_text(edit.old, self._known)
            after = "" if edit.new is None else expression_text(edit.new, self._known)
        return _Edit(put((changed,)), edit.change, edit.old.at, before, after)
