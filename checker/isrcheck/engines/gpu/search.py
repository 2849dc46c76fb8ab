"""Breadth-first search on a GPU, level by level: the counts, levels and digest of the native engine."""

from itertools import accumulate

from isrcheck.engines.common.targets import SeenTargets, Stopped, StopPolicy
from isrcheck.engines.contract import Progress, Request
from isrcheck.engines.gpu.driver import Device, DeviceError
from isrcheck.engines.gpu.layout import APART, DIGEST, DIGEST_LIMBS, FULL, NEXT, OUTSIDE, RESERVED, Layout
from isrcheck.engines.gpu.memory import DeviceMemory
from isrcheck.errors import quantity
from isrcheck.ir.frozen import replace
from isrcheck.ir.pack import DIGEST_MODULUS, pack_scalars
from isrcheck.ir.scalar import ScalarSystem

_TILE = 128  # threads of one block, which take the same step


class GpuSearch:
    """One search. A level lies in the ring from `_first` on; the next one is made behind it."""

    def __init__(self, device: Device, layout: Layout, is_queued: bool, system: ScalarSystem, request: Request) -> None:
        self._device, self._layout, self._is_queued = device, layout, is_queued
        self._system, self._packing = system, pack_scalars(system.scalars)
        of_gpu = replace(request.limits, memory=None)  # a limit of memory is one of the device's
        self.policy = StopPolicy(replace(request, limits=of_gpu), {each.name: each.kind for each in system.properties})
        self.seen_targets = SeenTargets(layout.targets, request)
        self.levels: list[int] = []  # the states of each level, those outside too
        self.outside: list[int] = []
        self.complete = 0  # levels of which every state is known and judged
        self.counters = [0] * layout.counters
        self._queued = [0] * len(layout.live)  # steps by live instance, where they are queued
        self._first = self._count = 0
        self._new = 0  # states of the next level, as known here
        self._is_full = False  # the compact table: then the search ends
        self.memory = DeviceMemory(device, layout, is_queued, request.limits.memory)

    def run(self) -> str | None:
        """Search, and return why the search ended early, if it did."""
        with self.policy.stop_request.listen_to_signals():
            try:
                return self._search()
            except DeviceError as error:
                self._new = 0  # nobody knows
                return f"when the {self._device.name} failed ({error})"

    def _search(self) -> str | None:
        try:
            self.memory.begin()
            self._seed()
            self._go_on()
        except Stopped as reason:
            self._end()
            return str(reason)
        return None

    def close(self) -> None:
        self.memory.close()

    @property
    def distinct(self) -> int:
        """The states of all levels and of the one that is being made, those outside too."""
        return sum(self.levels) + self._new

    @property
    def digest(self) -> int:
        limbs = self.counters[DIGEST : DIGEST + DIGEST_LIMBS]
        return sum(limb << 32 * place for place, limb in enumerate(limbs)) % DIGEST_MODULUS

    @property
    def steps_by_action(self) -> list[int]:
        layout, own = self._layout, [0] * self._layout.actions
        for number, position in enumerate(layout.live):
            own[self._system.instances[position].action] += self._queued[number]
        return [self.counters[layout.steps + APART * action] + count for action, count in enumerate(own)]

    @property
    def pruned(self) -> int:
        return self.counters[self._layout.steps + APART * self._layout.actions]

    @property
    def reached_by_action(self) -> list[int]:
        first = self._layout.reached + 1
        return [each % 2**64 for each in self.counters[first : first + self._layout.actions]]

    @property
    def generated(self) -> int:
        return self._system.started + sum(self.steps_by_action)

    def _go_on(self) -> None:
        while True:
            self.complete = len(self.levels)
            self.policy.after_level(self.seen_targets.names_decided(), self.distinct, len(self.levels))
            self._check()
            self._expand_level()
            if not self._judge_level():
                return

    def _check(self) -> None:
        self.policy.check(self.distinct, self._progress)

    def _progress(self) -> Progress:
        return Progress(self.complete, self.distinct, self.generated, self._count, self.policy.seconds)

    def _seed(self) -> None:
        layout, words = self._layout, list[int]()
        initials = list(dict.fromkeys(self._packing.pack(each) for each in self._system.initials))
        for first in initials:
            words += [*first, *[0] * (layout.stride - layout.words)]
        room = self.memory.chunk * max(1, len(layout.live)) * layout.stride
        for begin in range(0, len(words), room):
            chunk = words[begin : begin + room]
            self._device.write(self.memory.candidates, chunk)
            self._device.write(self.memory.counters + 8 * RESERVED, [len(chunk) // layout.stride])
            self._insert(len(chunk) // layout.stride)
        self._judge_level()

    def _expand_level(self) -> None:
        """Make the next level, a chunk of states after the other; check the limits between them."""
        level = len(self.levels) - 1
        self.memory.begin_level()
        done = 0
        while done < self._count:
            some = min(self.memory.chunk, self._count - done)
            most = self._expand(done, some)
            done += some
            self._insert(most)
            if done < self._count:
                self._read()
                self._record(level)
                self._check()

    def _place(self, number: int) -> int:
        return (self._first + number) % self.memory.capacity

    def _expand(self, done: int, some: int) -> int:
        """Write the successors of states of the level to the buffer; return how many there are at most."""
        memory, layout, device = self.memory, self._layout, self._device
        states = (memory.ring, self._place(done), some, memory.capacity)
        if not self._is_queued:
            device.zero(memory.counters + 8 * RESERVED, 8)
            device.launch("expand", (*states, memory.candidates, memory.counters), some)
            return some * len(layout.live)
        device.zero(memory.counters + 8 * layout.queued, 8 * APART * len(layout.live))
        device.launch("queue", (*states, memory.queues, memory.chunk, memory.counters), some)
        lengths = device.read(memory.counters + 8 * layout.queued, APART * len(layout.live))[::APART]
        self._queued = [sum(pair) for pair in zip(self._queued, lengths, strict=True)]
        firsts = [0, *accumulate(lengths)]
        threads = [0, *accumulate(-(-length // _TILE) * _TILE for length in lengths)]
        device.write(memory.plan, [each for row in zip(threads, firsts, lengths, strict=False) for each in row])
        device.write(memory.counters + 8 * RESERVED, [firsts[-1]])
        if threads[-1]:
            queues = (memory.queues, memory.chunk, memory.plan)
            device.launch("step", (memory.ring, states[1], memory.capacity, *queues, memory.candidates), threads[-1])
        return firsts[-1]

    def _insert(self, most: int) -> None:
        """Insert the successors in the buffer, of which there are so many at most."""
        memory = self.memory
        if not memory.fits(self.distinct + most, self._count + self._new + most):
            self._read()
            most = self.counters[RESERVED]
            in_ring = self._count + self._new
            self._first = memory.make_room(self.distinct + most, self._first, in_ring, in_ring + most)
        ring = (memory.ring, self._place(self._count), memory.capacity)
        threads = min(most, self._device.processors * 1024)
        self._device.launch("insert", (memory.candidates, *memory.table_arguments, *ring, memory.counters), threads)
        self._new += most  # until the counters are read

    def _read(self) -> None:
        self.counters = self._device.read(self.memory.counters, self._layout.counters)
        self._new = self.counters[NEXT]
        if self.counters[FULL] and not self._is_full:
            self._is_full = True
            raise Stopped(f"after {quantity(self.distinct, 'state')}, as many as fit into the GPU's compact table")

    def _record(self, level: int) -> None:
        first = self._layout.sightings
        self.seen_targets.add(self.counters[first : first + len(self._layout.targets)], level)

    def _judge_level(self) -> bool:
        """Judge the level that was made, which becomes the newest one; return whether it has any states."""
        self._read()
        if self.levels:
            self._record(len(self.levels) - 1)
        if not self._new:
            return False
        memory = self.memory
        self._first, self._count = self._place(self._count), self._new
        threads = min(self._count, self._device.processors * 2048)
        states = (memory.ring, self._first, self._count, memory.capacity)
        self._device.launch("examine", (*states, *memory.table_arguments[:2], memory.counters), threads)
        self._device.zero(memory.counters + 8 * NEXT, 8)
        self._read()
        self.levels.append(self._count)
        self.outside.append(self.counters[OUTSIDE] - sum(self.outside))
        self._record(len(self.levels) - 1)
        return True

    def _end(self) -> None:
        """Judge what the newest level has."""
        if self.complete == len(self.levels) > 0:
            self._judge_level()
