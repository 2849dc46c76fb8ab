"""The scalar transition system run in plain Python: the meaning that every fast engine is held to, state by state.

Each guard, update and condition is printed as a Python expression and compiled once; a state is a tuple of indices.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from isrcheck.budget import progress
from isrcheck.engines.contract import Exploration, Request
from isrcheck.engines.explore import Explorer, refuse_what_is_not_offered
from isrcheck.errors import ModelError
from isrcheck.ir.pack import packing
from isrcheck.ir.scalar import Condition, Fault, Instance, Node, Op, ScalarSystem
from isrcheck.passes import lower
from isrcheck.passes.bind import BoundModel

State = tuple[int, ...]

_INFIX = {
    Op.ADD: "+",
    Op.SUB: "-",
    Op.MUL: "*",
    Op.DIV: "//",
    Op.MOD: "%",
    Op.EQ: "==",
    Op.LT: "<",
    Op.BAND: "&",
    Op.BOR: "|",
    Op.SHL: "<<",
    Op.SHR: ">>",
}


class ScalarStepper:
    """Makes the steps of a scalar transition system."""

    def __init__(self, system: ScalarSystem) -> None:
        self.system = system
        self.initial: State = system.initial
        self.actions = system.actions
        self.action_of = tuple(instance.action for instance in system.instances)
        self.packing = packing(system.scalars)
        self._steps = [self._step(i, instance) for i, instance in enumerate(system.instances)]
        self._faults = [i.faults for i in system.instances]
        self._properties = {p.name: p for p in system.properties}
        self._compiled: dict[int, Callable[[State], Any]] = {}

    def _step(self, position: int, instance: Instance) -> Callable[[State], Any]:
        progress("preparing the evaluator", position, len(self.system.instances), "instances")
        return _compile(
            [*(f.condition for f in instance.faults), instance.guard, instance.pruned],
            [node for _, node in instance.updates],
            [position for position, _ in instance.updates],
        )

    def steps(self, state: State) -> Iterator[tuple[int, State | None]]:
        """(instance, successor) of every enabled instance in order; None for a pruned step."""
        for position, step in enumerate(self._steps):
            found = step(state)
            if found is None:
                continue
            if found is False:
                yield position, None
            elif isinstance(found, int):
                raise _error(self._faults[position][found - 1])
            else:
                yield position, found

    def holds(self, name: str, state: State) -> bool:
        """An invariant or a reachability claim in a state."""
        return self._truth(self._properties[name].conditions[0], state)

    def step_holds(self, name: str, before: State, instance: int, after: State) -> bool:
        """A step property on a step."""
        return self._truth(self._properties[name].conditions[instance], after + before)

    def scalars(self, state: State) -> Sequence[int]:
        """The state itself."""
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


def search(model: BoundModel, request: Request) -> Exploration:
    """Explores a model on its scalar transition system. Raises ModelError."""
    refuse_what_is_not_offered(request, "evaluator")
    system = lower(model)
    kinds = {p.name: p.kind for p in system.properties}
    return Explorer(ScalarStepper(system), kinds, request).run()


def _error(fault: Fault) -> ModelError:
    return ModelError(fault.place, f"{fault.sentence}.", "The model's text would raise an error here.")


class _Printer:
    """Prints nodes as Python: those used more than once become locals, in order."""

    def __init__(self, roots: Iterable[Node]) -> None:
        self.uses: Counter[int] = Counter()
        waiting = list(roots)
        seen: set[int] = set()
        while waiting:
            node = waiting.pop()
            self.uses[node.index] += 1
            if node.index not in seen:
                seen.add(node.index)
                waiting.extend(node.args)
        self.named: set[int] = set()
        self.lines: list[str] = []

    def text(self, node: Node) -> str:
        """An expression for the node; lines that it needs are added to `lines` first."""
        texts: dict[int, str] = {}
        depths: dict[int, int] = {}  # of parentheses, of which Python takes 200
        for part in self._needed(node):
            if part.index in self.named:
                texts[part.index], depths[part.index] = f"t{part.index}", 0
                continue
            depths[part.index] = 1 + max((depths[a.index] for a in part.args), default=-1)
            text = self._operation(part, [texts[a.index] for a in part.args])
            if part.args and (self.uses[part.index] > 1 or len(text) > 2000 or depths[part.index] == 100):
                self.lines.append(f"t{part.index} = {text}")
                self.named.add(part.index)
                text, depths[part.index] = f"t{part.index}", 0
            texts[part.index] = text
        return texts[node.index]

    def _needed(self, root: Node) -> list[Node]:
        """The nodes that make up one, arguments first; not those behind a name."""
        found, waiting = {root.index: root}, [root]
        while waiting:
            node = waiting.pop()
            for argument in () if node.index in self.named else node.args:
                if argument.index not in found:
                    found[argument.index] = argument
                    waiting.append(argument)
        return [found[index] for index in sorted(found)]

    def _operation(self, node: Node, args: list[str]) -> str:
        match node.op:
            case Op.CONST:
                return str(node.value)
            case Op.VAR:
                return f"s[{node.value}]"
            case Op.NOT:
                return f"(not {args[0]})"
            case Op.AND | Op.OR:
                return f"({f' {node.op.value} '.join(args)})"
            case Op.ITE:
                return f"({args[1]} if {args[0]} else {args[2]})"
            case Op.BANDNOT:
                return f"({args[0]} & ({args[1]} ^ -1))"  # not ~, which warns of truth values
            case Op.POPCOUNT:
                return f"({args[0]}).bit_count()"
            case _:
                return f"({args[0]} {_INFIX[node.op]} {args[1]})"


def compile_values(nodes: list[Node]) -> Callable[[State], Any]:
    """The values of these nodes in a state, as one function."""
    printer = _Printer(nodes)
    values = [printer.text(node) for node in nodes]
    return _function([*printer.lines, f"return ({', '.join(values)},)"])


def _compile(tests: list[Node], updates: list[Node], positions: list[int]) -> Callable[[State], Any]:
    """A step as a function: None if not enabled, False if pruned, n for the n-th fault, else the successor.

    The last two tests are the guard and the pruning; those before them are faults.
    """
    *faults, guard, pruned = tests
    printer = _Printer([*tests, *updates])
    body = []
    for number, fault in enumerate(faults, 1):
        body += _flush(printer, f"if {printer.text(fault)}: return {number}")
    body += _flush(printer, f"if not {printer.text(guard)}: return None")
    if pruned.high:
        body += _flush(printer, f"if {printer.text(pruned)}: return False")
    values = [printer.text(node) for node in updates]
    body += _flush(printer, "n = list(s)")
    body += [f"n[{position}] = int({value})" for position, value in zip(positions, values, strict=True)]
    return _function([*body, "return tuple(n)"])


def _flush(printer: _Printer, line: str) -> list[str]:
    lines, printer.lines = [*printer.lines, line], []
    return lines


def _function(body: list[str]) -> Callable[[State], Any]:
    names: dict[str, Any] = {}
    exec("def step(s):\n    " + "\n    ".join(body), names)
    step: Callable[[State], Any] = names["step"]
    return step
