"""The functions of one model that the GPU's kernel calls, as LLVM IR: each is computed for one state by one thread."""

from collections.abc import Iterator, Sequence

from isrcheck.engines.common.targets import At
from isrcheck.engines.gpu.layout import APART, RESERVED, Layout
from isrcheck.engines.native.codegen import StepWriter
from isrcheck.engines.native.guards import Guards, judgement
from isrcheck.engines.native.lanes import Batch, Lanes, lane_bits
from isrcheck.engines.native.staged import PackedState
from isrcheck.ir.pack import Packing
from isrcheck.ir.scalar import Instance, Node, ScalarSystem

_NARROWEST = 32  # bits in which a GPU computes


class OneState(Batch):
    """A function over one state."""

    alone = Lanes

    def __init__(self, layout: Packing, roots: Sequence[Node], declarations: set[str]) -> None:
        self.layout, self.lines = layout, list[str]()
        self.lanes = Lanes(max(_NARROWEST, lane_bits(roots)), 1, self.lines, declarations, "n")
        self._values: dict[int, str] = {}
        self._state = PackedState(layout, Lanes(64, 1, self.lines, declarations, "s"))
        self.lanes.read = self.scalar

    def scalar(self, position: int) -> str:
        if position not in self._values:
            value = self._state.scalar(position)
            is_wide = self.lanes.bits == 64
            self._values[position] = value if is_wide else self.lanes.let(f"trunc i64 {value} to {self.lanes.type}")
        return self._values[position]

    def definition(self, name: str, parameters: str) -> str:
        head = f"define internal void @{name}(ptr noalias %state{parameters}) alwaysinline {{"
        return "\n".join([head, "entry:", *self.lines, "  ret void", "}", ""])

    def states(self, truth: str) -> str:
        """Return a word that is 1 if a truth value is true."""
        return self.lanes.let(f"zext i1 {truth} to i64")

    def how_many(self, mask: str) -> str:
        return mask


class _SlotWriter(StepWriter):
    """The writer of an instance's effects into a slot: above the key, the last word has the mark of its action."""

    def __init__(self, packing: Packing, declarations: set[str], layout: Layout) -> None:
        super().__init__(packing, declarations, Lanes)
        self._layout = layout

    def store(self, words: list[str], instance: Instance) -> None:
        layout, mark = self._layout, instance.action + 1 << self._layout.key_bits
        if layout.tagged:
            words = words + ["0"] * (layout.stride - 1 - len(words)) + [str(mark)]
        else:
            key = self.let(f"and i64 {words[-1]}, {(1 << layout.key_bits) - 1}")
            words = [*words[:-1], self.let(f"or i64 {key}, {mark}")]
        for number in range(0, layout.stride, 2):
            low = self.let(f"insertelement <2 x i64> poison, i64 {words[number]}, i64 0")
            pair = self.let(f"insertelement <2 x i64> {low}, i64 {words[number + 1]}, i64 1")
            place = self.let(f"getelementptr i64, ptr %successor, i64 {number}")
            self.lines.append(f"  store <2 x i64> {pair}, ptr {place}, align 16")


QUEUED_FROM = 1_500_000  # characters: then threads that take different steps wait for instructions


def model_ir(system: ScalarSystem, packing: Packing, layout: Layout) -> str:
    """Return the text of a model's functions. Where it is long, steps are queued by instance before they are taken."""
    declared: set[str] = set()
    writer = _FunctionWriter(system, layout)
    parts = [
        Guards(system, packing, layout.targets, declared, OneState).ir(),
        judgement(system, packing, layout.targets, declared, OneState),
        *(_step(packing, declared, layout, position, system.instances[position]) for position in layout.live),
        writer.judge_state(),
    ]
    if sum(map(len, parts)) >= QUEUED_FROM:
        parts += [writer.queue_state(), writer.take_step(), _NO_EXPAND]
    else:
        parts += [writer.expand_state(), _NO_QUEUE]
    return "\n".join([*parts, *sorted(each for each in declared if each.startswith("declare ")), ""])


_NO_EXPAND = "declare void @expand_state(ptr, i64, ptr, ptr)"
_NO_QUEUE = """\
declare void @queue_state(ptr, i64, i64, ptr, i64, ptr)
declare void @take_step(i64, ptr, ptr)"""


def _step(packing: Packing, declared: set[str], layout: Layout, position: int, instance: Instance) -> str:
    return _SlotWriter(packing, declared, layout).ir(position, instance).replace("#0", "alwaysinline")


class _FunctionWriter:
    """The writer of the functions that the kernel calls, around those of the guards, the judgement and the steps."""

    def __init__(self, system: ScalarSystem, layout: Layout) -> None:
        self._layout, self._constrained = layout, system.outside is not None
        self._rows = layout.instances + len(layout.targets) + 1
        self._last = 0
        self._is_queued = False

    def _let(self, lines: list[str], operation: str) -> str:
        self._last += 1
        lines.append(f"  %x{self._last} = {operation}")
        return f"%x{self._last}"

    def _load_word(self, lines: list[str], array: str, position: int) -> str:
        return self._let(lines, f"load i64, ptr {self._let(lines, f'getelementptr i64, ptr {array}, i64 {position}')}")

    def _zero(self, lines: list[str], array: str, count: int) -> None:
        for position in range(count):
            place = self._let(lines, f"getelementptr i64, ptr {array}, i64 {position}")
            lines.append(f"  store i64 0, ptr {place}")

    def _copy(self, lines: list[str]) -> None:
        """Copy the state to memory of the thread, which nothing that is written later can change: to registers."""
        lines.append(f"  %state = alloca [{self._layout.words} x i64]")
        for first in range(0, self._layout.words, 2):
            place = self._let(lines, f"getelementptr i64, ptr %from, i64 {first}")
            pair = self._let(lines, f"load <2 x i64>, ptr {place}, align 16")
            for position in range(first, min(first + 2, self._layout.words)):
                value = self._let(lines, f"extractelement <2 x i64> {pair}, i64 {position - first}")
                to = self._let(lines, f"getelementptr i64, ptr %state, i64 {position}")
                lines.append(f"  store i64 {value}, ptr {to}")

    def _see(self, lines: list[str], kinds: set[At]) -> None:
        """Count the targets of these kinds that the report shows."""
        for number, target in enumerate(self._layout.targets):
            if target.kind in kinds:
                shown = self._load_word(lines, "%report", self._layout.instances + number)
                asked = self._let(lines, f"and i64 {shown}, %is_inside")
                place = self._layout.sightings + number
                self._let(lines, f"call i64 @reserve_one(ptr %control, i64 {place}, i64 {asked})")

    def judge_state(self) -> str:
        lines = [f"  %report = alloca [{self._rows} x i64]"]
        self._copy(lines)
        lines.append("  call void @judge(ptr %state, ptr %report)")
        self._see(lines, {At.STATE})
        outside = "0"
        if self._constrained:
            shown = self._load_word(lines, "%report", self._rows - 1)
            outside = self._let(lines, f"and i64 {shown}, %is_inside")
        head = "define internal i64 @judge_state(ptr %from, i64 %is_inside, ptr %control) alwaysinline {"
        return "\n".join([head, "entry:", *lines, f"  ret i64 {outside}", "}", ""])

    def _report_steps(self, lines: list[str]) -> dict[int, str]:
        """Report the steps of a state, and return a truth for each live instance: whether it is taken.

        They are counted by action, but for queued ones, which the queues count.
        """
        layout = self._layout
        lines.append(f"  %report = alloca [{self._rows} x i64]\n  %counts = alloca [{layout.actions + 1} x i64]")
        self._copy(lines)
        self._zero(lines, "%counts", layout.actions + 1)
        lines.append("  call void @report_steps(ptr %state, ptr %report, ptr %counts)")
        inside = self._let(lines, "trunc i64 %is_inside to i1")
        for action in range(layout.actions if self._is_queued else 0, layout.actions + 1):
            few = self._let(lines, f"trunc i64 {self._load_word(lines, '%counts', action)} to i32")
            amount = self._let(lines, f"select i1 {inside}, i32 {few}, i32 0")
            amount = self._let(lines, f"zext i32 {amount} to i64")
            lines.append(f"  call void @count(ptr %control, i64 {layout.steps + APART * action}, i64 {amount})")
        self._see(lines, set(At) - {At.STATE})
        shown = {each: self._load_word(lines, "%report", each) for each in layout.live}
        bits = {each: self._let(lines, f"trunc i64 {value} to i1") for each, value in shown.items()}
        return {each: self._let(lines, f"and i1 {bit}, {inside}") for each, bit in bits.items()}

    def expand_state(self) -> str:
        lines = ["  %out = alloca ptr"]
        taken = self._report_steps(lines)
        own = "0"
        for each in taken.values():
            own = self._let(lines, f"add i32 {own}, {self._let(lines, f'zext i1 {each} to i32')}")
        own = self._let(lines, f"zext i32 {own} to i64")
        at = self._let(lines, f"call i64 @reserve(ptr %control, i64 {RESERVED}, i64 {own})")
        first = self._let(lines, f"mul i64 {at}, {self._layout.stride}")
        lines.append(f"  store ptr {self._let(lines, f'getelementptr i64, ptr %candidates, i64 {first}')}, ptr %out")
        for position, each in taken.items():
            lines.append(f"  br i1 {each}, label %take{position}, label %took{position}\ntake{position}:")
            successor = self._let(lines, "load ptr, ptr %out")
            lines.append(f"  call void @step_{position}(ptr %state, ptr {successor})")
            following = self._let(lines, f"getelementptr i64, ptr {successor}, i64 {self._layout.stride}")
            lines.append(f"  store ptr {following}, ptr %out\n  br label %took{position}\ntook{position}:")
        parameters = "ptr %from, i64 %is_inside, ptr %candidates, ptr %control"
        head = f"define internal void @expand_state({parameters}) alwaysinline {{"
        return "\n".join([head, "entry:", *lines, "  ret void", "}", ""])

    def queue_state(self) -> str:
        lines, self._is_queued = ["  %place32 = trunc i64 %place to i32"], True
        taken = self._report_steps(lines)
        for number, (position, each) in enumerate(taken.items()):
            counter, asked = self._layout.queued + APART * number, self._let(lines, f"zext i1 {each} to i64")
            at = self._let(lines, f"call i64 @reserve_one(ptr %control, i64 {counter}, i64 {asked})")
            lines.append(f"  br i1 {each}, label %put{position}, label %on{position}\nput{position}:")
            row = self._let(lines, f"add i64 {self._let(lines, f'mul i64 %size, {number}')}, {at}")
            lines.append(f"  store i32 %place32, ptr {self._let(lines, f'getelementptr i32, ptr %queues, i64 {row}')}")
            lines.append(f"  br label %on{position}\non{position}:")
        parameters = "ptr %from, i64 %is_inside, i64 %place, ptr %queues, i64 %size, ptr %control"
        head = f"define internal void @queue_state({parameters}) alwaysinline {{"
        return "\n".join([head, "entry:", *lines, "  ret void", "}", ""])

    def take_step(self) -> str:
        lines: list[str] = []
        self._copy(lines)
        lines += self._cases()
        head = "define internal void @take_step(i64 %queue, ptr %from, ptr %successor) alwaysinline {"
        return "\n".join([head, "entry:", *lines, "end:", "  ret void", "}", ""])

    def _cases(self) -> Iterator[str]:
        live = self._layout.live
        cases = " ".join(f"i64 {number}, label %take{position}" for number, position in enumerate(live))
        yield f"  switch i64 %queue, label %end [{cases}]"
        for position in live:
            yield f"take{position}:\n  call void @step_{position}(ptr %state, ptr %successor)\n  br label %end"
