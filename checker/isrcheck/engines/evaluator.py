"""The scalar transition system run in plain Python: every fast engine is checked against it, state by state."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from isrcheck.engines.common.evaluate import ActionOf, Values, arguments_first, position_of, python
from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.explore import Explorer
from isrcheck.errors import ModelError
from isrcheck.ir.codec import NeedsSlots
from isrcheck.ir.pack import pack_scalars
from isrcheck.ir.scalar import Condition, Fault, Instance, Node, Op, ScalarSystem
from isrcheck.passes import lower
from isrcheck.passes.bind import BoundModel
from isrcheck.process.budget import progress

State = tuple[int, ...]


class ScalarStepper:
    def __init__(self, system: ScalarSystem) -> None:
        self.system = system
        self.initial: State = system.initial
        self.initials, self.started = system.initials, system.started
        self.actions, self.actors = system.actions, system.actors
        actions = tuple(instance.action for instance in system.instances)
        self.action_of: Sequence[int] = ActionOf(system.first) if system.first else actions
        self.packing = pack_scalars(system.scalars)
        self._steps: list[tuple[int, _Step]] = []
        for position, instance in enumerate(system.instances):
            progress("preparing the evaluator", position, len(system.instances), "instances")
            if instance.guard.high or any(fault.condition.high for fault in instance.faults):
                self._steps.append((position, _Step(instance)))
        self._properties = {p.name: p for p in system.properties}
        self._compiled: dict[int, Callable[[State], Any]] = {}
        self._outside = compile_values([system.outside]) if system.outside is not None else None

    def steps(self, state: State) -> Iterator[tuple[int, State | None]]:
        values = Values(state) if self.system.first else None
        for instance, step in self._steps:
            answer = step.judge(state)
            if answer is None:
                continue
            if answer > 0:
                raise _error(step.instance.faults[answer - 1])
            position = instance if values is None else position_of(self.system, instance, values)
            yield position, None if answer < 0 else step.take(state)

    def holds(self, name: str, state: State) -> bool:
        return self._truth(self._properties[name].conditions[0], state)

    def step_holds(self, name: str, before: State, instance: int, after: State) -> bool:
        conditions = self._properties[name].conditions
        if self.system.first:
            values, action = Values(before), self.action_of[instance]
            instances = enumerate(self.system.instances)  # of an empty slot a position says nothing
            own = (i for i, each in instances if each.action == action and values.of(each.guard))
            instance = next(i for i in own if position_of(self.system, i, values) == instance)
        return self._truth(conditions[instance], after + before)

    def keeps(self, step: tuple[State, int] | None, after: State) -> bool:
        return self._outside is None or not self._outside(after)[0]

    def scalars(self, state: State) -> Sequence[int]:
        return state

    def _truth(self, condition: Condition, state: State) -> bool:
        compiled = self._compiled.get(id(condition))
        if compiled is None:
            nodes = [*(f.condition for f in condition.faults), condition.node]
            compiled = self._compiled[id(condition)] = compile_values(nodes)
        *faults, value = compiled(state)
        for fault, happened in zip(condition.faults, faults, strict=True):
            if happened:
                raise _error(fault)
        return bool(value)


def search(model: BoundModel, request: Request) -> Searched:
    """Explore a model on its scalar transition system. Raises ModelError."""
    system = lower(model)
    kinds = {p.name: p.kind for p in system.properties}
    return Explorer(ScalarStepper(system), kinds, request).run()


def _error(fault: Fault) -> ModelError | NeedsSlots:
    if fault.grows:
        return NeedsSlots(fault.grows)
    return ModelError(fault.place, f"{fault.sentence}.", "The model's text would raise an error here.")


class _Printer:
    """A printer of nodes as Python; a node that is used twice becomes a local name."""

    def __init__(self, roots: list[Node]) -> None:
        self._uses = Counter(chain(roots, *(node.args for node in arguments_first(roots))))
        self._locals: dict[Node, str] = {}
        self.lines: list[str] = []

    def print_node(self, root: Node) -> str:
        texts: dict[Node, str] = {}
        depths: dict[Node, int] = {}  # of parentheses, of which Python takes 200
        for node in arguments_first([root], self._locals):
            depth = 1 + max((depths.get(each, 0) for each in node.args), default=-1)
            match node.op:
                case Op.CONST:
                    code = str(node.value)
                case Op.VAR:
                    code = f"s[{node.value}]"
                case _:
                    code = python(node.op, [self._locals.get(each) or texts[each] for each in node.args])
            if node.args and (self._uses[node] > 1 or len(code) > 2000 or depth == 100):
                self._locals[node] = f"t{len(self._locals)}"
                self.lines.append(f"{self._locals[node]} = {code}")
            else:
                texts[node], depths[node] = code, depth
        return self._locals.get(root) or texts[root]


def compile_values(nodes: list[Node]) -> Callable[[State], Any]:
    printer = _Printer(nodes)
    values = "".join(f"{printer.print_node(node)}, " for node in nodes)
    return _function([*printer.lines, f"return ({values})"])


class _Step:
    """An instance: `judge` is None if it is not enabled, -1 if pruned, n for the n-th fault, or 0; `take` steps."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        faults = [fault.condition for fault in instance.faults]
        printer = _Printer([*faults, instance.guard, instance.pruned])
        body = printer.lines
        for n, fault in enumerate(faults, 1):
            body.append(f"if {printer.print_node(fault)}: return {n}")
        body.append(f"if not {printer.print_node(instance.guard)}: return None")
        if instance.pruned.high:
            body.append(f"if {printer.print_node(instance.pruned)}: return -1")
        self.judge = _function([*body, "return 0"])

    @cached_property
    def take(self) -> Callable[[State], State]:
        """The successor of a state, compiled when the first step is taken."""
        printer = _Printer([node for _, node in self.instance.updates])
        after = [f"n[{position}] = int({printer.print_node(node)})" for position, node in self.instance.updates]
        return _function([*printer.lines, "n = list(s)", *after, "return tuple(n)"])


def _function(body: list[str]) -> Callable[[State], Any]:
    names: dict[str, Any] = {}
    exec("def step(s):\n    " + "\n    ".join(body), names)
    step: Callable[[State], Any] = names["step"]
    return step
