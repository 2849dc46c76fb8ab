"""Batches in machine code that is soon made: truths of 64 states are bits of one word, apart from their numbers.

LLVM's fast instruction selection knows no vectors: from the end of a block up to the first of them it is used, and the
slow one for all that is above. So stages of vectors and of words take turns, each a block of its own.
"""

import re
from collections.abc import Callable, Iterator
from typing import Self

from isrcheck.engines.native.lanes import Batch, Lanes
from isrcheck.engines.native.program import BATCH
from isrcheck.ir.pack import Packing


class PackedState:
    """The scalars of the state at `%state`."""

    def __init__(self, layout: Packing, lanes: Lanes) -> None:
        self._fields, self._let = layout.fields, lanes.let
        places = (lanes.let(f"getelementptr i64, ptr %state, i64 {i}") for i in range(layout.words))
        self.words = [lanes.let(f"load i64, ptr {place}") for place in places]

    def scalar(self, position: int) -> str:
        field = self._fields[position]
        value = self.words[field.position]
        if field.shift:
            value = self._let(f"lshr i64 {value}, {field.shift}")
        return value if field.bits == 64 else self._let(f"and i64 {value}, {(1 << field.bits) - 1}")


class PlainLanes(Lanes):
    """Lanes without what LLVM's fast instruction selection lacks; of equal operations, which it misses, one alone."""

    def child(self, prefix: str, read: Callable[[int], str]) -> Self:
        lanes = super().child(prefix, read)
        lanes._known = self._known
        return lanes

    def let(self, operation: str) -> str:
        name = self._known.get(operation) or super().let(operation)
        if not operation.startswith("load"):
            self._known[operation] = name
        return name

    def select(self, test: str, then: str, other: str) -> str:
        first = self.let(f"and {self.mask} {test}, {then}")
        inverse = self.let(f"xor {self.mask} {test}, {self.boolean(True)}")
        return self.let(f"or {self.mask} {first}, {self.let(f'and {self.mask} {inverse}, {other}')}")


class WordLanes(PlainLanes):
    """Lanes whose truth is a word with a bit for each state."""

    def __init__(self, bits: int, count: int, lines: list[str], declarations: set[str], prefix: str) -> None:
        super().__init__(bits, count, lines, declarations, prefix)
        self.mask = "i64"

    def boolean(self, value: bool) -> str:
        return "-1" if value else "0"

    def compare(self, operation: str) -> str:
        return self.let(f"bitcast {self.lane_mask} {self.let(operation)} to i64")

    def as_mask(self, truth: str) -> str:
        return self.let(f"bitcast i64 {truth} to {self.lane_mask}")


class Stages(list[str]):
    """Lines with their stages: of even ones with vectors and calls, of odd ones with words alone."""

    _NAME = re.compile(r"%[\w.]+")

    def __init__(self) -> None:
        super().__init__()
        self._stage_of: dict[str, int] = {}
        self._blocks: list[list[str]] = []

    def append(self, line: str) -> None:
        names, stage_of, stage = self._NAME.findall(line), self._stage_of, 0
        for name in names:
            if name in stage_of and stage_of[name] > stage:
                stage = stage_of[name]
        stage += stage % 2 == (f"<{BATCH} x" in line or "= call" in line)
        if " = " in line:
            stage_of[names[0]] = stage
        while len(self._blocks) <= stage:
            self._blocks.append([])
        self._blocks[stage].append(line)

    def __iter__(self) -> Iterator[str]:
        for stage, block in enumerate(self._blocks):
            yield f"  br label %stage{stage}\nstage{stage}:"
            yield from block


class StagedBatch(Batch):
    """A function over a batch of states, numbers side by side and truths in words, in stages."""

    alone = PlainLanes
    side_by_side = WordLanes
    line_list = Stages

    def states(self, truth: str) -> str:
        return self.lanes.let(f"and i64 {truth}, %valid")
