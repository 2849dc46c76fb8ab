"""The cone of influence: a model's text cut to the variables that some properties depend on.

It is cut before scalars are made, so that a variable that cannot be lowered may go. What is left
allows every behaviour of the whole model, seen through the variables kept, and may allow more:
guards that read other variables are dropped unless `guards` keeps what they read, and other
variables never leave their bounds. So a property that holds of it holds of the model; a violation
of it need not be one. (The scalar system's exact cone: engines/symbolic/unroll.py.)
"""

from collections.abc import Callable, Collection, Iterator, Mapping

from msgspec import structs

from isrcheck.ir.frozen import Frozen, replace
from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.nodes import (
    Assign,
    Expression,
    ReadLocal,
    ReadVariable,
    Repeat,
    Require,
    Statement,
    VariableTarget,
    When,
)
from isrcheck.ir.traversal import locals_assigned_in, walk
from isrcheck.passes.constant_folding import ConstantFolder
from isrcheck.passes.inline import Inliner


class Cut(Frozen):
    """Properties by name, further variables, and whether guards count."""

    properties: tuple[str, ...]
    guards: bool = True
    keep: tuple[str, ...] = ()


Block = tuple[Statement, ...]
Control = tuple[Expression, ...]


class CutInliner(Inliner):
    """Folds by the constants; with `kept` leaves out what reads or writes the rest."""

    def __init__(self, ir: ModelIR, folder: ConstantFolder, kept: frozenset[str] | None = None) -> None:
        super().__init__(ir)
        self.folder = folder
        self.kept = kept

    def method(self, method: Method) -> Block:
        body, kept = self.folder.block(super().method(method), {}), self.kept
        if kept is None:
            return body
        locals_ = _locals(body)

        def is_kept(target: VariableTarget | str) -> bool:
            return (locals_[target] if isinstance(target, str) else {target.variable}) <= kept

        return _without_unread(_filter(body, lambda condition: _reads(condition, locals_) <= kept, is_kept))

    def condition(self, method: Method) -> Expression:
        return self.folder.expression(super().condition(method), {})


def cone(ir: ModelIR, folder: ConstantFolder, cut: Cut) -> frozenset[str]:
    inliner = CutInliner(ir, folder)
    asked = [p for p in ir.properties if p.name in cut.properties]
    kept = set(cut.keep).union(*(_reads(inliner.condition(p), {}) for p in asked))
    bodies = [summary(inliner.method(action)) for action in ir.actions]
    every = any(p.kind.is_of_steps for p in asked)  # a step that changes nothing kept is a step all the same
    size = -1
    while size != len(kept):
        size = len(kept)
        for updates, guards in bodies:
            for variable, reads in updates:
                if variable in kept:
                    kept |= reads
            if cut.guards and (every or any(variable in kept for variable, _ in updates)):
                kept = kept.union(*guards)
    return frozenset(kept)


def without(ir: ModelIR, kept: Collection[str], properties: Collection[str]) -> ModelIR:
    """`CutInliner` cuts the actions; a search without constraints goes everywhere that one with them goes."""
    asked = tuple(p for p in ir.properties if p.name in properties)
    return replace(ir, variables=tuple(v for v in ir.variables if v.name in kept), properties=asked, constraints=())


def method_reads(inliner: Inliner, method: Method) -> frozenset[str]:
    return _reads(inliner.condition(method), {})


def _reads(node: object, locals_: Mapping[str, frozenset[str]]) -> frozenset[str]:
    names: set[str] = set()
    for piece in walk(node):
        if isinstance(piece, ReadVariable):
            names.add(piece.name)
        elif isinstance(piece, ReadLocal):
            names |= locals_.get(piece.name, frozenset())
    return frozenset(names)


def summary(body: Block) -> tuple[list[tuple[str, frozenset[str]]], list[frozenset[str]]]:
    locals_ = _locals(body)
    updates, guards = [], []
    for statement, control in _flat(body):
        over = _reads(control, locals_)
        if isinstance(statement, Require):
            guards.append(over | _reads(statement.condition, locals_))
        elif isinstance(statement, Assign):
            for target, value in zip(statement.targets, statement.values, strict=True):
                if not isinstance(target, str):
                    reads = over | _reads(value, locals_) | _reads(target.keys, locals_)
                    updates.append((target.variable, reads))
    return updates, guards


def _locals(body: Block) -> dict[str, frozenset[str]]:
    """The variables that each local depends on, by the local's name."""
    dependencies: dict[str, frozenset[str]] = {}
    while True:
        before = dict(dependencies)
        for step, control in _flat(body):
            if isinstance(step, Assign):
                for target, value in zip(step.targets, step.values, strict=True):
                    if isinstance(target, str):
                        reads = _reads((value, *control), dependencies)
                        dependencies[target] = dependencies.get(target, frozenset()) | reads
        if dependencies == before:
            return dependencies


def _flat(block: Block, control: Control = ()) -> Iterator[tuple[Statement, Control]]:
    """Statements with their conditions."""
    for statement in block:
        if isinstance(statement, When):
            yield from _flat(statement.then, (*control, statement.condition))
            yield from _flat(statement.other, (*control, statement.condition))
        elif isinstance(statement, Repeat):
            yield from _flat(statement.body, (*control, statement.source))
        else:
            yield statement, control


def _without_unread(body: Block) -> Block:
    while unread := locals_assigned_in(body) - {p.name for p in walk(body) if isinstance(p, ReadLocal)}:
        body = _filter(body, lambda _: True, lambda target: target not in unread)
    return body


def _filter(
    block: Block, condition: Callable[[Expression], bool], target: Callable[[VariableTarget | str], bool]
) -> Block:
    """The guards and assignments of a block that are wanted, without branches that this leaves empty."""
    result: list[Statement] = []
    for statement in block:
        match statement:
            case Require() if condition(statement.condition):
                result.append(statement)
            case Assign():
                pairs = [pair for pair in zip(statement.targets, statement.values, strict=True) if target(pair[0])]
                if pairs:
                    targets, values = zip(*pairs, strict=True)
                    result.append(structs.replace(statement, targets=targets, values=values))
            case Repeat():
                body = _filter(statement.body, condition, target)
                if body and condition(statement.source):
                    result.append(structs.replace(statement, body=body))
            case When():
                then, other = (_filter(branch, condition, target) for branch in (statement.then, statement.other))
                if (then or other) and condition(statement.condition):
                    result.append(structs.replace(statement, then=then, other=other))
    return tuple(result)
