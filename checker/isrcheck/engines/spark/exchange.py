"""States on their way from one task to others: a file a task and level, which receivers read by offset.

It is not part of a checkpoint: who goes on later expands the newest level again. Checksums tell damage from states.
"""

import zlib
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

from isrcheck.engines.spark.storage import Storage

_WORD_BYTES = 8
_INDEXED = 4  # words of a piece in the index: bucket, offset, states, checksum
_END = 3 * _WORD_BYTES  # how many pieces, states of the sender's level, and the checksum of index and both


class Outbox:
    """Pieces of states with their marks, then their index."""

    def __init__(self, stream: Any, size: int) -> None:
        self._stream, self._size, self._offset = stream, size, 0
        self._index = array("Q")

    def add(self, bucket: int, words: Any, marks: Any) -> None:
        self._stream.write(words)
        self._stream.write(marks)
        checksum = zlib.crc32(marks, zlib.crc32(words))
        self._index.extend((bucket, self._offset, words.size // self._size, checksum))
        self._offset += words.size + marks.size

    def finish(self, states: int) -> None:
        """Write the index and checksum that end the file; `states` is the size of the expanded level."""
        index = self._index.tobytes()
        numbers = array("Q", (len(self._index) // _INDEXED, states)).tobytes()
        checksum = array("Q", (zlib.crc32(index + numbers),)).tobytes()
        self._stream.write(index + numbers + checksum)


class Inbox:
    """The states that these files send. Raises StorageFailed for what was not written so."""

    def __init__(self, storage: Storage, names: Sequence[str], size: int, mark_size: int) -> None:
        self._storage, self._size, self._mark_size = storage, size, mark_size
        self._stack = ExitStack()
        self._pieces: dict[int, list[tuple[str, Any, int, int, int]]] = defaultdict(list)
        self.states = 0  # that were expanded
        for name in names:
            self._open(name)

    def close(self) -> None:
        self._stack.close()

    def _open(self, name: str) -> None:
        stream = self._stack.enter_context(self._storage.open_reader(name))
        total = stream.size()
        end = self._numbers(name, stream, total - _END, _END)
        length = end[0] * _INDEXED * _WORD_BYTES
        index = self._numbers(name, stream, total - _END - length, length)
        if zlib.crc32(index.tobytes() + end[:2].tobytes()) != end[2]:
            raise self._storage.damage_error(name)
        self.states += end[1]
        for first in range(0, len(index), _INDEXED):
            bucket, *piece = index[first : first + _INDEXED]
            self._pieces[bucket].append((name, stream, *piece))

    def _numbers(self, name: str, stream: Any, offset: int, length: int) -> "array[int]":
        return array("Q", self._read(name, stream, offset, length).to_pybytes())

    def _read(self, name: str, stream: Any, offset: int, length: int) -> Any:
        if not 0 <= offset <= offset + length <= stream.size():
            raise self._storage.damage_error(name)
        stream.seek(offset)
        content = stream.read_buffer(length)
        if content.size != length:
            raise self._storage.damage_error(name)
        return content

    def pieces(self, bucket: int) -> Iterator[tuple[Any, Any]]:
        """The states for a bucket, with their marks."""
        for name, stream, offset, states, checksum in self._pieces.get(bucket, ()):
            content = self._read(name, stream, offset, states * (self._size + self._mark_size))
            if zlib.crc32(content) != checksum:
                raise self._storage.damage_error(name)
            yield content.slice(0, states * self._size), content.slice(states * self._size)
