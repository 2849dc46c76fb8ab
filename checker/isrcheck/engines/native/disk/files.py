"""Files of states: written once from the first state to the last, read once, and compared with their record."""

import ctypes
from typing import IO, Annotated, Any

import msgspec
from mmh3 import mmh3_x64_128

from isrcheck.engines.native.disk import kernel
from isrcheck.engines.native.disk.memory import Block, DiskMemory
from isrcheck.engines.native.machine import record_type

_MASKS = tuple((1 << 8 * min(size, 8)) - 1 for size in range(16))
CodedRecord = record_type(kernel.Coded)
Count = Annotated[int, msgspec.Meta(ge=0)]


class StateFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The record of a file of states; the checksum is MurmurHash3_x64_128, seed 0."""

    name: str
    states: Count
    bytes: Count
    checksum: str
    is_sorted: bool  # or has the words of states in no order, and not as differences


def bytes_at(address: int, count: int) -> memoryview:
    return memoryview((ctypes.c_char * count).from_address(address)).cast("B")


def put(file: IO[bytes], checksum: Any, content: memoryview) -> None:
    checksum.update(content)
    left = content
    while left:
        left = left[file.write(left) :]


class NotAsWritten(Exception):
    """A file is not what its record says; the argument is its name."""


class _Coding:
    """The encoder of one file: it packs the states of a block into bytes, from one call of the kernel to the next."""

    def __init__(self, memory: DiskMemory, block: Block, marked: bool) -> None:
        self._memory, self.block = memory, block
        self._kept = (ctypes.c_uint64 * (2 * memory.words + len(_MASKS)))()
        self._kept[2 * memory.words :] = [*_MASKS]
        self._coded = CodedRecord()
        self._coded.before = ctypes.addressof(self._kept)
        self._coded.difference = self._coded.before + 8 * memory.words
        self._coded.masks = self._coded.difference + 8 * memory.words
        self._coded.content = block.address
        self._coded.marked = memory.pool.machine.mark_bytes if marked else 0
        self._checksum = mmh3_x64_128()
        self._bytes = self._states = 0

    @property
    def _hex(self) -> str:
        return self._checksum.digest().hex()


class SortedWriter(_Coding):
    def __init__(self, memory: DiskMemory, block: Block, marked: bool, file: IO[bytes]) -> None:
        super().__init__(memory, block, marked)
        self._file = file
        self._coded.limit = memory.plan.piece

    def write(self, first: int, end: int) -> None:
        """The states of a range, all above those before."""
        coded = self._coded
        coded.state, coded.state_end = first, end
        self._states += end - first
        while coded.state < end:
            self._memory.call("encode", coded)
            if coded.place >= coded.limit:
                self._flush()

    def _flush(self) -> None:
        put(self._file, self._checksum, bytes_at(self.block.address, self._coded.place))
        self._bytes += self._coded.place
        self._coded.place = 0

    def close(self, name: str, is_sorted: bool) -> StateFile:
        self._flush()
        return StateFile(name, self._states, self._bytes, self._hex, is_sorted)


class SortedReader(_Coding):
    """Reads the states of a sorted file, a block at a time; raises NotAsWritten."""

    def __init__(self, memory: DiskMemory, block: Block, marked: bool, file: IO[bytes], record: StateFile) -> None:
        super().__init__(memory, block, marked)
        self._file, self._record, self._filled = file, record, 0
        self.position = self.end = block.first

    def read(self, first: int, most: int) -> int:
        """The next states to an index; returns how many."""
        if not (self._record.is_sorted or self._coded.marked):
            return self._read_plain(first, min(most, self._record.states - self._states))
        coded = self._coded
        coded.state, coded.state_end = first, first + most
        while coded.state < coded.state_end:
            left = self._record.bytes - self._bytes
            coded.limit = self._filled if not left else max(0, self._filled - self._memory.slack)
            if coded.place < coded.limit:
                self._memory.call("decode", coded)
            elif left:
                self._fill(left)
            else:
                break
        self._states += int(coded.state) - first
        if coded.state < coded.state_end:
            self._compare()
        return int(coded.state) - first

    def _read_plain(self, first: int, count: int) -> int:
        size = 8 * self._memory.words
        self._take(self._memory.pool.run.states + first * size, count * size)
        self._states += count
        if self._states == self._record.states:
            self._compare_bytes()
        return count

    def refill(self) -> bool:
        """The next states to its own block; False if none are left."""
        self.position = self.block.first
        self.end = self.position + self.read(self.position, self._memory.plan.block)
        return self.position < self.end

    def _fill(self, left: int) -> None:
        rest = self._filled - self._coded.place
        ctypes.memmove(self.block.address, self.block.address + self._coded.place, rest)
        more = min(left, self._memory.plan.piece)
        self._take(self.block.address + rest, more)
        self._filled, self._coded.place = rest + more, 0

    def _take(self, address: int, count: int) -> None:
        room = bytes_at(address, count)
        if self._file.readinto(room) != count:  # type: ignore[attr-defined]  # typeshed's IO lacks it
            raise NotAsWritten(self._record.name)
        self._checksum.update(room)
        self._bytes += count

    def finish(self) -> None:
        """Pass over what is left."""
        while left := self._record.bytes - self._bytes:
            self._take(self.block.address, min(left, self._memory.plan.piece))
        self._compare_bytes()

    def _compare(self) -> None:
        is_amiss = self._coded.amiss and self._record.is_sorted
        if self._states != self._record.states or self._coded.place != self._filled or is_amiss:
            raise NotAsWritten(self._record.name)
        self._compare_bytes()

    def _compare_bytes(self) -> None:
        if self._hex != self._record.checksum or self._file.read(1):
            raise NotAsWritten(self._record.name)
