"""Canonical representatives: the least packed words among all that swaps of symmetric members make of a state.

Permutations of 64 states are tried side by side, each one exchange of neighbours after the one before.
"""

from collections.abc import Sequence
from itertools import chain

from isrcheck.engines.native.lanes import BATCH, Batch
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
    """The same for several sorts, whose neighbour pairs are numbered in turn."""
    result: list[int] = []
    first = 0
    for size in sizes:
        own = [first + each for each in neighbour_swaps(size)]
        result = [*chain.from_iterable((*result, each) for each in own), *result]
        first += size - 1
    return result


class Canonical(Batch):
    """`canonical_batch(words, count)`"""

    def __init__(self, system: ScalarSystem, layout: Packing, declarations: set[str]) -> None:
        self._swaps = [swap for symmetry in system.symmetries for swap in symmetry.swaps]
        self._sequence = swap_sequence([symmetry.size for symmetry in system.symmetries])
        self._used = [position for position, field in enumerate(layout.fields) if field.bits]
        super().__init__(layout, [node for swap in self._swaps for node in swap], declarations)

    def text(self) -> str:
        row = f"[{len(self._used)} x {self.lanes.type}]"
        numbers = ", ".join(f"i8 {each}" for each in self._sequence)
        table = f"@swap_sequence = internal constant [{len(self._sequence)} x i8] [{numbers}]"
        self.lines += [f"  %now = alloca {row}, align 64", f"  %best = alloca {row}, align 64"]
        self.begin()
        for place in self._used:
            value = self.scalar(place)
            self._put("%now", place, value)
            self._put("%best", place, value)
        self._try_all()
        self._write_back()
        return f"{table}\n{self.definition('canonical_batch', '')}"

    def _place(self, array: str, position: int) -> str:
        return self.lanes.let(f"getelementptr {self.lanes.type}, ptr {array}, i64 {self._used.index(position)}")

    def _put(self, array: str, position: int, value: str) -> None:
        self.lines.append(f"  store {self.lanes.type} {value}, ptr {self._place(array, position)}, align 64")

    def _load(self, array: str, position: int) -> str:
        return self.lanes.let(f"load {self.lanes.type}, ptr {self._place(array, position)}, align 64")

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
        self.lines += ["compare:"]
        self._keep_better()
        self.lines += ["  br label %better", "better:", "  %turn.next = add i64 %turn, 1", "  br label %try"]

    def _swap(self, number: int, swap: tuple[Node, ...]) -> None:
        self.lines.append(f"swap{number}:")
        lanes = self.lanes.child(f"x{number}.", lambda position: self._load("%now", position))
        changed = [p for p in self._used if not (swap[p].op is Op.VAR and swap[p].value == p)]
        values = [lanes.number(swap[place]) for place in changed]
        for place, value in zip(changed, values, strict=True):
            self._put("%now", place, value)
        self.lines.append("  br label %compare")

    def _keep_better(self) -> None:
        """The packed words decide: the first word first, in a word the highest field."""
        order = sorted(self._used, key=lambda p: (self.layout.fields[p].word, -self.layout.fields[p].shift))
        lanes, less, equal = self.lanes, self.lanes.boolean(False), self.lanes.boolean(True)
        pairs = []
        for place in order:
            now, best = self._load("%now", place), self._load("%best", place)
            pairs.append((place, now, best))
            below = lanes.let(f"icmp ult {lanes.type} {now}, {best}")
            less = lanes.let(f"or {lanes.mask} {less}, {self.both(equal, below)}")
            equal = self.both(equal, lanes.let(f"icmp eq {lanes.type} {now}, {best}"))
        for place, now, best in pairs:
            kept = lanes.let(f"select {lanes.mask} {less}, {lanes.type} {now}, {lanes.type} {best}")
            self._put("%best", place, kept)

    def _write_back(self) -> None:
        self.lines.append("write:")
        lanes, wide, packed = self.lanes, f"<{BATCH} x i64>", ["zeroinitializer"] * self.layout.words
        for position in self._used:
            field, value = self.layout.fields[position], self._load("%best", position)
            if lanes.bits < 64:
                value = lanes.let(f"zext {lanes.type} {value} to {wide}")
            shifted = lanes.let(f"shl {wide} {value}, splat (i64 {field.shift})")
            packed[field.word] = lanes.let(f"or {wide} {packed[field.word]}, {shifted}")
        for word, text in enumerate(packed):
            place = lanes.let(f"getelementptr [{BATCH} x i64], ptr %side, i64 {word}")
            self.lines.append(f"  store {wide} {text}, ptr {place}, align 64")
        self.lines.append("  call void @collect(ptr %side, i64 %count, ptr %words)")
