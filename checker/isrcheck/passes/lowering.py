"""The passes in order, and what each of them makes, as text."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import zip_longest

from isrcheck.errors import UsageError, nearest
from isrcheck.ir import nodes
from isrcheck.ir.check import check_domains
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import ModelIR
from isrcheck.ir.scalar import Instance, Node, Op, ScalarSystem
from isrcheck.ir.show import show
from isrcheck.ir.unparse import expression_text, statement_text
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.constant_folding import ConstantFolder
from isrcheck.passes.constants import literal
from isrcheck.passes.fold import Nodes
from isrcheck.passes.inline import Inliner
from isrcheck.passes.layout import layout_of
from isrcheck.passes.limits import SymbolicScalars
from isrcheck.passes.scalarize import Choices, Scalarizer
from isrcheck.passes.update import Arguments, GuardClaims
from isrcheck.passes.values.shapes import Shapes

Block = tuple[nodes.Statement, ...]


class Lowering:
    """The result of each pass, computed when it is first used."""

    def __init__(self, model: BoundModel) -> None:
        check_domains(model.ir)
        self.model, self.inliner = model, Inliner(model.ir)
        self.table = table = Nodes()
        scalars = SymbolicScalars(table, model.constants, len(layout_of(model)))
        self.shapes = Shapes(table, scalars)

    @cached_property
    def scalarizer(self) -> Scalarizer:
        return Scalarizer(self.model, self.inliner, self.shapes)

    @property
    def instances(self) -> Choices:
        return self.scalarizer.choices

    @cached_property
    def system(self) -> ScalarSystem:
        return self.scalarizer.system()


def without_idle_form(model: BoundModel) -> BoundModel:
    """Take away a canonical form that changes nothing with these constants. Raises UsageError if it is refused."""
    if model.ir.canonical is None or Lowering(model).scalarizer.form is not None:
        return model
    return replace(model, ir=replace(model.ir, canonical=None))


class Original:
    """Lowered again where text changed."""

    def __init__(self, model: BoundModel) -> None:
        lowering = Lowering(model)
        self.model = model
        self._choices = lowering.instances
        self._shapes = lowering.shapes
        self.system = lowering.system

    def vary(self, ir: ModelIR, actions: frozenset[str]) -> ScalarSystem:
        """The system with these actions as in `ir`, where only bodies of actions and helpers differ; else as before."""
        check_domains(ir)
        positions = {i for i, action in enumerate(ir.actions) if action.name in actions}
        varied = Scalarizer(replace(self.model, ir=ir), Inliner(ir), self._shapes)
        if varied.choices != self._choices:  # another guard says what is a parameter
            return varied.system()
        chosen = tuple(choice for choice in self._choices if choice[0] in positions)
        new = iter(varied.instances(GuardClaims(self._shapes), chosen))
        old = zip(self._choices, self.system.instances, strict=True)
        instances = tuple(next(new) if choice[0] in positions else instance for choice, instance in old)
        return replace(self.system, instances=instances)

    def is_same(self, system: ScalarSystem) -> bool:
        """Equal nodes are one object."""
        pairs = list(zip_longest(self.system.instances, system.instances))
        return all(one is not None and other is not None and is_same_instance(one, other) for one, other in pairs)


def is_same_instance(one: Instance, other: Instance) -> bool:
    """Whether two instances are the same, in systems that share nodes."""
    faults = [[fault.condition for fault in each.faults] for each in (one, other)]
    return (one.guard, one.pruned, one.updates) == (other.guard, other.pruned, other.updates) and faults[0] == faults[1]


def dump(model: BoundModel, name: str) -> str:
    """The output of a pass. Raises UsageError for an unknown pass."""
    if name not in PASSES:
        raise UsageError(f"there is no pass {name}.{nearest(name, PASSES)}")
    return "\n".join(PASSES[name](Lowering(model))) + "\n"


def _bound(lowering: Lowering) -> Iterator[str]:
    model = lowering.model
    yield from (f"constant {name} = {literal(value)}" for name, value in model.constants.items())
    yield from (f"size {sort.__name__} = {size}" for sort, size in model.sizes.items())
    yield from (f"variable {name} = {show(value)}" for name, value in model.initial.items())
    yield from (f"not asked {name}: {why}" for name, why in model.not_asked.items())


def _dump_folded(lowering: Lowering) -> Iterator[str]:
    return _dump_inlined(lowering, ConstantFolder(lowering.model))


def _dump_inlined(lowering: Lowering, folder: ConstantFolder | None = None) -> Iterator[str]:
    model = lowering.model
    inliner = lowering.inliner
    for action in model.ir.actions:
        yield f"action {action.name}({', '.join(p.name for p in action.parameters)}):"
        body = inliner.method(action)
        yield from _indent(folder.block(body, {}) if folder else body, 1)
    for asked in model.properties:
        yield f"{asked.kind.name} {asked.name}:"
        condition = inliner.condition(asked)
        yield f"    {expression_text(folder.expression(condition, {}) if folder else condition)}"


def _indent(block: Block, depth: int) -> Iterator[str]:
    for step in block:
        yield "    " * depth + statement_text(step)
        if isinstance(step, nodes.Repeat):
            yield from _indent(step.body, depth + 1)
        if isinstance(step, nodes.When):
            yield from _indent(step.then, depth + 1)
            if step.other:
                yield "    " * depth + "else:"
                yield from _indent(step.other, depth + 1)


def _ground(lowering: Lowering) -> Iterator[str]:
    actions = lowering.model.ir.actions
    for action, given in lowering.instances:
        yield _step(actions[action].name, given)


def _step(action: str, arguments: Arguments) -> str:
    shown = ", ".join(map(show, arguments))
    return f"{action}({shown})"


def _scalars(lowering: Lowering) -> Iterator[str]:
    """Expressions before their users."""
    system = lowering.system
    for scalar, first in zip(system.scalars, system.initial, strict=True):
        yield f"scalar {scalar.name}: 0 to {scalar.size - 1}, {first} to begin with"
    names = [f"`{s.name}`" for s in system.scalars]
    names += [f"before `{s.name}`" for s in system.scalars]
    conditions = [(p.name, c) for p in system.properties for c in dict.fromkeys(p.conditions)]
    roots = [node for i in system.instances for node in (i.guard, i.pruned, *(n for _, n in i.updates))]
    roots += [] if system.outside is None else [system.outside]
    for node in _arguments_first([*roots, *(condition.node for _, condition in conditions)]):
        if node.args:
            yield f"n{node.index} = {node.op.value}({', '.join(_name(argument, names) for argument in node.args)})"
    for instance, (action, arguments) in zip(system.instances, lowering.instances, strict=True):
        yield f"instance {_step(system.actions[action], arguments)}"
        yield f"    guard {_name(instance.guard, names)}, pruned {_name(instance.pruned, names)}"
        yield from (f"    {names[position]} = {_name(node, names)}" for position, node in instance.updates)
    yield from (f"property {name}: {_name(condition.node, names)}" for name, condition in conditions)
    if system.outside is not None:
        yield f"outside: {_name(system.outside, names)}"


def _name(node: Node, names: list[str]) -> str:
    if node.op is Op.VAR:
        return names[node.value]
    if node.op is Op.CONST:
        return str(node.value)
    return f"n{node.index}"


def _arguments_first(roots: Iterable[Node]) -> list[Node]:
    reached: dict[int, Node] = {}
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if node.index not in reached:
            reached[node.index] = node
            waiting.extend(node.args)
    return [reached[index] for index in sorted(reached)]


# What each pass makes, as lines of text: helpers are written out, then what the constants decide is folded
PASSES = {"bind": _bound, "inline": _dump_inlined, "fold": _dump_folded, "ground": _ground, "scalarize": _scalars}
