"""Code that reports, over batches of states, which steps are enabled, and what states show to a search or a graph."""

from collections.abc import Iterator, Sequence

from isrcheck.engines.common.evaluate import arguments_first, nodes_of
from isrcheck.engines.common.targets import At, SearchTarget
from isrcheck.engines.contract import DEADLOCK
from isrcheck.engines.native.lanes import Batch, Lanes, lane_bits
from isrcheck.engines.native.staged import PackedState
from isrcheck.ir.pack import Packing
from isrcheck.ir.scalar import Condition, Instance, Node, Op, ScalarProperty, ScalarSystem
from isrcheck.process.budget import progress


class Guards:
    """The writer of `enabled(words, count, report, counts)`: which instances are enabled, and targets seen in steps.

    `counts` has a word for each action, steps taken, and one for the pruned ones.
    """

    def __init__(
        self,
        system: ScalarSystem,
        layout: Packing,
        targets: tuple[SearchTarget, ...],
        declarations: set[str],
        batch: type[Batch],
    ) -> None:
        self._system, self._targets = system, targets
        names = {each.name for each in targets if each.kind is At.STEP}
        self._steps = [each for each in system.properties if each.name in names]
        roots: list[Node] = []
        for instance in system.instances:
            roots += [instance.guard, instance.pruned, *(each.condition for each in instance.faults)]
            roots += [node for _, node in instance.updates if self._steps]
        roots += [node for each in self._steps for condition in each.conditions for node in nodes_of(condition)]
        roots += _outside(system)
        self._batch = batch(layout, roots, declarations)
        self._shown: dict[SearchTarget, str] = {}
        self._read: dict[int, frozenset[int]] = {}  # the scalars that a condition reads
        self._judged: dict[tuple[object, ...], tuple[str | None, str | None]] = {}  # by condition and updates it reads
        self._counted: dict[int, str] = {}
        self._alive: str | None = None  # that have a step, or are outside

    def ir(self) -> str:
        for node in _outside(self._system):
            self._alive = self._batch.lanes.truth(node)
        for position, instance in enumerate(self._system.instances):
            progress("writing the program", position, len(self._system.instances), "instances")
            self._write(position, instance)
        for action, counted in self._counted.items():
            place = self._batch.lanes.let(f"getelementptr i64, ptr %counts, i64 {action}")
            old = self._batch.lanes.let(f"load i64, ptr {place}")
            self._batch.lines.append(f"  store i64 {self._batch.lanes.let(f'add i64 {old}, {counted}')}, ptr {place}")
        alive = self._alive or self._batch.lanes.boolean(False)
        self._shown[SearchTarget(At.DEADLOCK, DEADLOCK)] = self._batch.inverse(alive)
        for position, target in enumerate(self._targets, len(self._system.instances)):
            if target.kind is not At.STATE:
                shown = self._shown.get(target)
                self._batch.report(position, self._batch.states(shown) if shown else "0")
        return self._batch.definition("report_steps", ", ptr noalias %report, ptr noalias %counts")

    def _write(self, position: int, instance: Instance) -> None:
        fault = self._batch.any_fault(self._batch.lanes, instance)
        if fault is not None:
            self._see(SearchTarget(At.INSTANCE, "", fault=True), fault)
        if instance.guard.high == 0:
            self._batch.report(position, "0")
            return
        taken = self._batch.lanes.truth(instance.guard)
        if fault is not None:
            taken = self._batch.both(taken, self._batch.inverse(fault))
        self._alive = self._batch.either(self._alive, taken)
        if instance.pruned.high:
            leaves = self._batch.lanes.truth(instance.pruned)
            lost = self._batch.how_many(self._batch.states(self._batch.both(taken, leaves)))
            self._count(len(self._system.actions), lost)
            taken = self._batch.both(taken, self._batch.inverse(leaves))
        states = self._batch.states(taken)
        self._batch.report(position, states)
        self._count(instance.action, self._batch.how_many(states))
        for each in self._steps:
            self._step(position, instance, each, taken)

    def _count(self, position: int, number: str) -> None:
        old = self._counted.get(position)
        self._counted[position] = number if old is None else self._batch.lanes.let(f"add i64 {old}, {number}")

    def _see(self, target: SearchTarget, truth: str) -> None:
        self._shown[target] = self._batch.either(self._shown.get(target), truth)

    def _step(self, position: int, instance: Instance, a_property: ScalarProperty, taken: str) -> None:
        condition = a_property.conditions[position]
        if id(condition) not in self._read:
            read = arguments_first(nodes_of(condition))
            self._read[id(condition)] = frozenset(node.value for node in read if node.op is Op.VAR)
        updates = {scalar: node for scalar, node in instance.updates if scalar in self._read[id(condition)]}
        key = id(condition), a_property.name, *updates.items()
        if key not in self._judged:
            self._judged[key] = self._judge(condition, updates, a_property.kind.target)
        fault, truth = self._judged[key]
        if fault is not None:
            self._see(SearchTarget(At.STEP, a_property.name, fault=True), self._batch.both(taken, fault))
        if truth is not None:
            self._see(SearchTarget(At.STEP, a_property.name), self._batch.both(taken, truth))

    def _judge(self, condition: Condition, updates: dict[int, Node], wanted: bool) -> tuple[str | None, str | None]:
        """Write whether steps with these updates have faults, and whether they show the target; None if none can."""
        size = len(self._system.scalars)

        def read(scalar: int) -> str:
            return self._batch.lanes.number(updates[scalar]) if scalar in updates else self._batch.scalar(scalar % size)

        lanes = self._batch.lanes.child(f"p{len(self._judged)}.", read)
        fault, node = self._batch.any_fault(lanes, condition), condition.node
        if not (node.high if wanted else node.low == 0):
            return fault, None
        truth = lanes.truth(node)
        return fault, truth if wanted else self._batch.inverse(truth)


def judgement(
    system: ScalarSystem,
    layout: Packing,
    targets: tuple[SearchTarget, ...],
    declarations: set[str],
    kind: type[Batch],
) -> str:
    """Return the LLVM IR of `judge(words, count, report)`: which targets each state of a batch shows."""
    properties = {each.name: each for each in system.properties}
    of_states = [(place, each) for place, each in enumerate(targets, len(system.instances)) if each.kind is At.STATE]
    roots = [node for _, each in of_states for node in nodes_of(properties[each.name].conditions[0])]
    batch = kind(layout, [*roots, *_outside(system)], declarations)
    for place, target in of_states:
        batch.report(place, batch.states(_sight(batch, properties[target.name], target.fault)))
    for node in _outside(system):
        batch.report(len(system.instances) + len(targets), batch.states(batch.lanes.truth(node)))
    return batch.definition("judge", ", ptr noalias %report")


def _outside(system: ScalarSystem) -> list[Node]:
    return [] if system.outside is None else [system.outside]


def _sight(batch: Batch, a_property: ScalarProperty, of_fault: bool) -> str:
    asked = a_property.conditions[0]
    fault = batch.any_fault(batch.lanes, asked)
    if of_fault:
        return fault or batch.lanes.boolean(False)
    truth = batch.lanes.truth(asked.node)
    sight = truth if a_property.kind.target else batch.inverse(truth)
    return sight if fault is None else batch.both(sight, batch.inverse(fault))


def observation(system: ScalarSystem, layout: Packing, watched: Sequence[Condition], declared: set[str]) -> str:
    """Return the LLVM IR of `observe(words, count, report)`, as native/behaviours/steps.py wants it."""
    pruning = [each for each in system.instances if each.pruned.high and each.guard.high]
    roots: list[Node] = [node for each in watched for node in nodes_of(each)]
    for each in pruning:
        roots += [each.guard, each.pruned, *(fault.condition for fault in each.faults)]
    batch = Batch(layout, [*roots, *_outside(system)], declared)
    lanes, nowhere = batch.lanes, batch.lanes.boolean(False)
    words = [batch.states(lanes.truth(each.node)) for each in watched]
    words += [batch.states(batch.any_fault(lanes, each) or nowhere) for each in watched]
    for instance in system.instances:
        lost = nowhere
        if instance in pruning:
            lost = batch.both(lanes.truth(instance.guard), lanes.truth(instance.pruned))
        words.append(batch.states(lost))
    words.append(batch.states(nowhere if system.outside is None else lanes.truth(system.outside)))
    for place, mask in enumerate(words):
        batch.report(place, mask)
    return "\n".join([batch.definition("observe", ", ptr noalias %report"), *_positions(system, layout, declared)])


def _positions(system: ScalarSystem, layout: Packing, declared: set[str]) -> Iterator[str]:
    """Write `position(state, instance)`: for an instance of slots, the choice that its slots hold in the state."""
    of_slots = {i: each.position for i, each in enumerate(system.instances) if each.position is not None}
    for instance, node in of_slots.items():
        yield _position(instance, node, layout, declared)
    cases = " ".join(f"i64 {instance}, label %i{instance}" for instance in of_slots)
    yield "define internal i64 @position(ptr %state, i64 %instance) {"
    yield f"entry:\n  switch i64 %instance, label %own [{cases}]\nown:\n  ret i64 %instance"
    for instance in of_slots:
        call = f"%p{instance} = call i64 @position_{instance}(ptr %state)"
        yield f"i{instance}:\n  {call}\n  ret i64 %p{instance}"
    yield "}\n"


def _position(instance: int, node: Node, layout: Packing, declared: set[str]) -> str:
    lane_bits([node])
    lines: list[str] = []
    lanes = Lanes(64, 1, lines, declared, "n")
    lanes.read = PackedState(layout, lanes).scalar
    number = lanes.number(node)
    head = f"define internal i64 @position_{instance}(ptr %state) {{"
    return "\n".join([head, "entry:", *lines, f"  ret i64 {number}", "}", ""])
