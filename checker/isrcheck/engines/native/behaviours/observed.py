"""The machine code that says of a batch of states what a search of behaviours asks of each."""

from collections.abc import Iterator, Sequence

from isrcheck.engines.common.evaluate import nodes_of
from isrcheck.engines.native.lanes import Batch, Lanes, lane_bits
from isrcheck.ir.pack import Packing
from isrcheck.ir.scalar import Condition, Node, ScalarSystem


def observation(system: ScalarSystem, layout: Packing, watched: Sequence[Condition], declared: set[str]) -> str:
    """Return the LLVM IR of `observe(words, count, report)`, as native/behaviours/steps.py wants it."""
    pruning = [each for each in system.instances if each.pruned.high and each.guard.high]
    roots: list[Node] = [node for each in watched for node in nodes_of(each)]
    for each in pruning:
        roots += [each.guard, each.pruned, *(fault.condition for fault in each.faults)]
    roots += [] if system.outside is None else [system.outside]
    batch = Batch(layout, roots, declared)
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

    def read(scalar: int) -> str:
        field = layout.fields[scalar]
        place = lanes.let(f"getelementptr i64, ptr %state, i64 {field.position}")
        shifted = lanes.let(f"lshr i64 {lanes.let(f'load i64, ptr {place}')}, {field.shift}")
        return lanes.let(f"and i64 {shifted}, {(1 << field.bits) - 1}")

    lanes.read = read
    number = lanes.number(node)
    head = f"define internal i64 @position_{instance}(ptr %state) {{"
    return "\n".join([head, "entry:", *lines, f"  ret i64 {number}", "}", ""])
