"""The lines of a file, or of a stretch of it: plain or compressed, whole or cut off."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from isrlogs.observe.packed import UnpackError, form_of, unpack

BLOCK = 1 << 20
# A request's line names every partition that is fetched: 4,000 of them are some 600 kB.
LONGEST = 8 << 20


class Chunk(NamedTuple):
    """The lines of a file that begin at `start` or later and before `end`; all lines of a compressed one."""

    path: str
    start: int
    end: int
    compressed: bool

    @property
    def size(self) -> int:
        """Bytes to read."""
        return self.end - self.start


class Lines(NamedTuple):
    """Some lines; `whole` is False for a last one whose end is missing, or for one that is too long."""

    texts: list[str]
    are_complete: bool


def chunks_of(path: Path, size: int) -> list[Chunk]:
    """A file in stretches of about `size` bytes; a compressed one cannot be entered in the middle."""
    length = path.stat().st_size
    if is_compressed(path):
        return [Chunk(str(path), 0, length, compressed=True)]
    starts = range(0, length, size)
    return [Chunk(str(path), start, min(start + size, length), compressed=False) for start in starts]


def is_compressed(path: Path) -> bool:
    with path.open("rb") as stream:
        return form_of(stream) is not None


def read_lines(chunk: Chunk) -> Iterator[Lines]:
    """All lines of a chunk, in order, a block at a time. What cannot be read ends it with a line that is not whole."""
    rest = b""
    skipping = False  # the end of a line that is too long
    try:
        for block in _blocks(chunk):
            complete, newline, left = block.rpartition(b"\n")
            if newline:
                texts = (rest + complete).split(b"\n")
                yield Lines([_decode(line) for line in texts[skipping:]], are_complete=True)
                rest, skipping = left, False
            elif not skipping:
                rest += left
            if len(rest) > LONGEST:
                yield Lines([_decode(rest[:BLOCK])], are_complete=False)
                rest, skipping = b"", True
    except (UnpackError, OSError):
        rest = rest or b"\0"
    if rest and not skipping:
        yield Lines([_decode(rest)], are_complete=False)


def blocks_of_lines(chunk: Chunk) -> Iterator[bytes]:
    """Yield blocks of complete lines as bytes, up to what cannot be read."""
    rest = b""
    try:
        for block in _blocks(chunk):
            complete, newline, left = block.rpartition(b"\n")
            if newline:
                yield rest + complete + newline
                rest = left
            elif len(rest) < LONGEST:
                rest += left
    except (UnpackError, OSError):
        pass
    yield rest


def _decode(line: bytes) -> str:
    # A file system that was cut off may leave zeros.
    return line.strip(b"\r\0").decode("utf-8", "replace")


def _blocks(chunk: Chunk) -> Iterator[bytes]:
    with Path(chunk.path).open("rb") as stream:
        yield from unpack(stream) if chunk.compressed else _stretch(stream, chunk.start, chunk.end)


def _stretch(stream: BinaryIO, start: int, end: int) -> Iterator[bytes]:
    """The lines that begin in a stretch: one that is under way at its start belongs to the stretch before."""
    if start:
        stream.seek(start - 1)
        start = start - 1 + len(stream.readline(LONGEST))
    left = end - start
    while left > 0 and (block := stream.read(min(BLOCK, left))):
        left -= len(block)
        yield block
        if left <= 0 and not block.endswith(b"\n"):
            yield stream.readline(LONGEST)
