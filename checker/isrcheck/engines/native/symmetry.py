"""Canonical representatives: the least packed words among all that swaps of symmetric members make of a state.

Permutations of 64 states are tried side by side, each one exchange of neighbours after the one before.
"""

from collections.abc import Sequence
from itertools import chain

from isrcheck.engines.native.lanes import Batch
from isrcheck.engines.native.program import BATCH
from isrcheck.files import read_beside
from isrcheck.ir.pack import Packing
from isrcheck.ir.scalar import Node, Op, ScalarSystem


def neighbour_swaps(size: int) -> list[int]:
    """The neighbours to exchange, so that each order of `size` members comes once."""
    if size < 2:
        return []
    inner = neighbour_swaps(size - 1)
    down = list(range(size - 2, -1, -1))
    result = list(down)
    for turn, swap in enumerate(inner):
        leftmost = turn % 2 == 0
        result.append(swap + 1 if leftmost else swap)
        result += down[::-1] if leftmost else down
    return result


def swap_sequence(sizes: Sequence[int]) -> list[int]:
    """A sequence of swaps for several sorts, whose neighbour pairs are numbered in turn."""
    result: list[int] = []
    first = 0
    for size in sizes:
        own = [first + each for each in neighbour_swaps(size)]
        result = [*chain.from_iterable((*result, each) for each in own), *result]
        first += size - 1
    return result


class Canonical(Batch):
    """The function `canonical_batch(words, count)`, which replaces states by their canonical representatives."""

    def __init__(self, system: ScalarSystem, layout: Packing, declarations: set[str]) -> None:
        self._swaps = [swap for symmetry in system.symmetries for swap in symmetry.swaps]
        self._sequence = swap_sequence([symmetry.size for symmetry in system.symmetries])
        used = (position for position, field in enumerate(layout.fields) if field.bits)
        self._used = sorted(used, key=lambda p: (layout.fields[p].position, -layout.fields[p].shift))
        super().__init__(layout, [node for swap in self._swaps for node in swap], declarations)
        declarations.add("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")

    def ir(self) -> str:
        numbers = ", ".join(f"i8 {each}" for each in self._sequence)
        table = f"@swap_sequence = internal constant [{len(self._sequence)} x i8] [{numbers}]"
        for place in self._used:  # those that are read from the start are all, in this order
            self.scalar(place)
        self.lines.clear()
        size = len(self._used) * self.lanes.bits * BATCH // 8
        self.lines += [
            f"  %best = alloca [{len(self._used)} x {self.lanes.type}], align 64",
            f"  call void @llvm.memcpy.p0.p0.i64(ptr align 64 %best, ptr align 64 %values, i64 {size}, i1 false)",
        ]
        self._try_all()
        return f"{table}\n{self.definition('canonical_batch', '')}"

    def _place(self, position: int) -> str:
        return self.lanes.let(f"getelementptr {self.lanes.type}, ptr %values, i64 {self._used.index(position)}")

    def _load(self, position: int) -> str:
        return self.lanes.let(f"load {self.lanes.type}, ptr {self._place(position)}, align 64")

    def _try_all(self) -> None:
        length = len(self._sequence)
        cases = " ".join(f"i8 {number}, label %swap{number}" for number in range(len(self._swaps)))
        self.lines += [
            "  br label %try",
            "try:",
            "  %turn = phi i64 [ 0, %entry ], [ %turn.next, %better ]",
            f"  %more = icmp ult i64 %turn, {length}",
            "  br i1 %more, label %choose, label %write",
            "choose:",
            "  %which.at = getelementptr i8, ptr @swap_sequence, i64 %turn",
            "  %which = load i8, ptr %which.at",
            f"  switch i8 %which, label %better [ {cases} ]",
        ]
        for number, swap in enumerate(self._swaps):
            self._swap(number, swap)
        widen = "bitcast" if self.lanes.bits == 64 else "zext"
        side, count = self.layout.words * BATCH * 8, len(self._used)
        lanes = self.lanes
        types = {"type": lanes.type, "mask": lanes.mask, "widen": widen}
        self.lines.append(read_beside(__file__, "keep_better.ll").format(**types, side=side, count=count))

    def _swap(self, number: int, swap: tuple[Node, ...]) -> None:
        self.lines.append(f"swap{number}:")
        lanes = self.lanes.child(f"x{number}.", self._load)
        changed = [p for p in self._used if not (swap[p].op is Op.VAR and swap[p].value == p)]
        values = [lanes.number(swap[place]) for place in changed]
        for place, value in zip(changed, values, strict=True):
            self.lines.append(f"  store {lanes.type} {value}, ptr {self._place(place)}, align 64")
        self.lines.append("  br label %compare")
