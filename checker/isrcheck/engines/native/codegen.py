"""The machine code of one model, as LLVM IR: which steps are enabled, where they lead, what states violate.

Guards, bounds, faults and properties are computed for 64 states side by side, without branches; then the steps that
are taken are written one by one.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import reduce

from isrcheck.engines.common.targets import targets_of
from isrcheck.engines.native.guards import Guards, judgement, observation
from isrcheck.engines.native.lanes import COUNT_BITS, Batch, Lanes, lane_bits
from isrcheck.engines.native.program import OBSERVING, Program, mark_bits
from isrcheck.engines.native.staged import PackedState
from isrcheck.engines.native.symmetry import Canonical
from isrcheck.files import read_beside
from isrcheck.ir.pack import Field, Packing, pack_scalars
from isrcheck.ir.scalar import Condition, Instance, Node, Op, ScalarSystem

_ATTRIBUTES = 'attributes #0 = { nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512" }'
NOT_SYMMETRIC = "define internal void @canonical_batch(ptr %words, i64 %count) {\n  ret void\n}\n"


def program(
    system: ScalarSystem,
    names: Sequence[str],
    symmetry: bool = False,
    more: tuple[str, ...] = (),
    watched: Sequence[Condition] | None = None,
    batch: type[Batch] = Batch,
) -> Program:
    """Return the program of a search of these properties. `batch` says how several states are computed at once."""
    targets = targets_of(system, names)
    layout = pack_scalars(system.scalars)
    declared = {
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
        f"declare i64 {COUNT_BITS}(i64)",
        "declare i64 @llvm.cttz.i64(i64, i1)",
        "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
    }
    parts = [
        Guards(system, layout, targets, declared, batch).ir(),
        judgement(system, layout, targets, declared, batch),
        _steps(system, layout, declared, batch.alone),
        Canonical(system, layout, declared).ir() if symmetry else NOT_SYMMETRIC,
        *([] if watched is None else [observation(system, layout, watched, declared)]),
        _ATTRIBUTES,
    ]
    return Program(
        ir="\n".join(parts),
        words=layout.words,
        instances=len(system.instances),
        targets=targets,
        packing=layout,
        actions=len(system.actions),
        symmetric=symmetry,
        constrained=system.outside is not None,
        more=more if watched is None else OBSERVING,
        declarations=frozenset(declared),
    )


def _steps(system: ScalarSystem, layout: Packing, declarations: set[str], lanes: type[Lanes]) -> str:
    """Write `apply(words, report, successors, marks)`, which computes a batch's successors and returns their number.

    A mark is the instance's action plus 1. LLVM's time grows faster than a function: each instance has its own.
    """
    mark = mark_bits(len(system.actions))
    lines = ["  %written = alloca i64", "  %left = alloca i64", "  store i64 0, ptr %written", "  br label %i0"]
    functions = []
    for position, instance in enumerate(system.instances):
        if instance.guard.high:
            functions.append(StepWriter(layout, declarations, lanes).ir(position, instance))
        lines.append(_successors(position, instance, layout, mark))
    lines += [f"i{len(system.instances)}:", "  %result = load i64, ptr %written", "  ret i64 %result"]
    parameters = ", ".join(f"ptr noalias %{name}" for name in ("words", "report", "out", "marks"))
    head = f"define internal i64 @apply({parameters}) #0 {{"
    return "\n".join([*functions, head, "entry:", *lines, "}", ""])


def _successors(position: int, instance: Instance, layout: Packing, mark_size: int) -> str:
    names = {"i": f"i{position}", "following": f"i{position + 1}", "position": position}
    if instance.guard.high == 0:
        return "{i}:\n  br label %{following}".format(**names)
    names |= {"mark": f"i{mark_size}", "action": instance.action + 1, "words": layout.words}
    return read_beside(__file__, "taken.ll").format(**names)


FieldUpdate = tuple[int, Field, Node]  # a scalar's place, its field, and what it becomes
_DEEPEST_CHOICE = 6  # choices within choices that are made for several fields at once


class StepWriter:
    """The writer of `step_POSITION(state, successor)`, the effects of one instance."""

    def __init__(self, layout: Packing, declarations: set[str], lanes: type[Lanes] = Lanes) -> None:
        self._fields = layout.fields
        self.lines: list[str] = []
        self.lanes = lanes(64, 1, self.lines, declarations, "n")
        self.let = self.lanes.let
        self._known: dict[tuple[FieldUpdate, ...], str] = {}
        state = PackedState(layout, self.lanes)
        self.lanes.read, self._words = state.scalar, state.words

    def ir(self, position: int | str, instance: Instance) -> str:
        self._write(instance)
        head = f"define internal void @step_{position}(ptr noalias %state, ptr noalias %successor) #0 {{"
        return "\n".join([head, "entry:", *self.lines, "  ret void", "}", ""])

    def _write(self, instance: Instance) -> None:
        lane_bits(node for _, node in instance.updates)
        words = list(self._words)
        for number, parts in self._by_word(instance).items():
            cleared = _mask(field for _, field, _ in parts)
            kept = self.let(f"and i64 {words[number]}, {self.lanes.constant(~cleared)}")
            words[number] = self.let(f"or i64 {kept}, {self._assemble(tuple(parts))}")
        self.store(words, instance)

    def store(self, words: list[str], instance: Instance) -> None:
        for number, value in enumerate(words):
            place = self.let(f"getelementptr i64, ptr %successor, i64 {number}")
            self.lines.append(f"  store i64 {value}, ptr {place}")

    def _by_word(self, instance: Instance) -> dict[int, list[FieldUpdate]]:
        result = defaultdict[int, list[FieldUpdate]](list)
        for place, node in instance.updates:
            field = self._fields[place]
            if field.bits and not _is_unchanged(place, node):
                result[field.position].append((place, field, node))
        return result

    def _assemble(self, parts: tuple[FieldUpdate, ...], depth: int = 0) -> str:
        """The fields of one word in their places; those that hang on one condition are chosen together."""
        if parts not in self._known:
            self._known[parts] = self._pieces(parts, depth)
        return self._known[parts]

    def _pieces(self, parts: tuple[FieldUpdate, ...], depth: int) -> str:
        by_condition = defaultdict[Node, list[FieldUpdate]](list)
        pieces, kept = [], 0
        for place, field, node in parts:
            if node.op is Op.ITE and depth < _DEEPEST_CHOICE:
                by_condition[node.args[0]].append((place, field, node))
            elif _is_unchanged(place, node):
                kept |= _mask([field])
            else:
                pieces.append(self._shift(field, node))
        if kept:
            pieces.append(self.let(f"and i64 {self._words[parts[0][1].position]}, {self.lanes.constant(kept)}"))
        pieces += [self._choose(test, group, depth) for test, group in by_condition.items()]
        used = [piece for piece in pieces if piece != "0"]
        return reduce(lambda a, b: self.let(f"or i64 {a}, {b}"), used) if used else "0"

    def _choose(self, test: Node, group: list[FieldUpdate], depth: int) -> str:
        if len(group) == 1:
            return self._shift(group[0][1], group[0][2])
        truth = self.lanes.truth(test)
        then = self._assemble(tuple((place, field, node.args[1]) for place, field, node in group), depth + 1)
        other = self._assemble(tuple((place, field, node.args[2]) for place, field, node in group), depth + 1)
        return self.let(f"select i1 {truth}, i64 {then}, i64 {other}")

    def _shift(self, field: Field, node: Node) -> str:
        if node.op is Op.CONST:
            return self.lanes.constant(node.value << field.shift)
        value = self.lanes.number(node)
        return self.let(f"shl i64 {value}, {field.shift}") if field.shift else value


def _is_unchanged(place: int, node: Node) -> bool:
    return node.op is Op.VAR and node.value == place


def _mask(fields: Iterable[Field]) -> int:
    return sum(((1 << field.bits) - 1) << field.shift for field in fields)
