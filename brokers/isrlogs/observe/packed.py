"""Files that were compressed when they were rotated, by log4j or by logrotate: what can be unpacked of them."""

import bz2
import lzma
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from isrcheck.plugin import need

# Of each form how a file begins.
_BEGINS = {"gz": b"\x1f\x8b", "zst": b"\x28\xb5\x2f\xfd", "bz2": b"BZh", "xz": b"\xfd7zXZ\0", "zip": b"PK\3\4"}
_SUFFIXES = tuple(f".{form}" for form in _BEGINS)
_READ = 1 << 16  # unpacked at most a thousand times as much
_GZIP, _RAW = 31, -15  # zlib's names for gzip's form, and for one without a head
_ZIP_HEAD = struct.Struct("<4s4xH16xHH")  # its mark, the method, lengths of the name and of what follows it
_DEFLATED = 8


class UnpackError(Exception):
    """The rest of a compressed file is missing or damaged."""


def plain_name(name: str) -> str:
    """A file's name before it was compressed: server.log.1 of server.log.1.gz."""
    return name.rpartition(".")[0] if name.endswith(_SUFFIXES) else name


def form_of(stream: BinaryIO) -> str | None:
    """gz, zst, bz2, xz or zip; None of a plain file. Raises UsageError for a form for which a package is missing."""
    begin = stream.read(max(map(len, _BEGINS.values())))
    form = next((form for form, mark in _BEGINS.items() if begin.startswith(mark)), None)
    if form == "zst":
        need("pyarrow")
    return form


def unpack(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the bytes that can be unpacked. Raises CutOff if a file is damaged or incomplete."""
    form = form_of(stream)
    stream.seek(0)
    try:
        if form == "zst":
            yield from _zst(stream)
        elif form == "zip":
            yield from _zip(stream)
        else:
            news: dict[str | None, Callable[[], Any]] = {"bz2": bz2.BZ2Decompressor, "xz": lzma.LZMADecompressor}
            yield from _members(stream, news.get(form, lambda: zlib.decompressobj(_GZIP)))
    except (zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, struct.error):
        raise UnpackError from None


def _members(stream: BinaryIO, decompressor: Callable[[], Any]) -> Iterator[bytes]:
    """Yield the bytes of a form that may hold several files in a row."""
    unpack, begun = decompressor(), False
    while block := stream.read(_READ):
        while block:
            begun = True
            yield unpack.decompress(block)
            block = unpack.unused_data.lstrip(b"\0")  # padding between members
            if unpack.eof:
                unpack, begun = decompressor(), False
    if begun:
        raise UnpackError


def _zip(stream: BinaryIO) -> Iterator[bytes]:
    """The first file in it; log4j puts in one. Its directory is at the end, where a file that is cut off has none."""
    _, method, name, extra = _ZIP_HEAD.unpack(stream.read(_ZIP_HEAD.size))
    if method != _DEFLATED:
        raise UnpackError
    stream.seek(name + extra, 1)
    unpack = zlib.decompressobj(_RAW)
    while not unpack.eof and (block := stream.read(_READ)):
        yield unpack.decompress(block)
    if not unpack.eof:
        raise UnpackError


def _zst(stream: BinaryIO) -> Iterator[bytes]:
    import pyarrow as pa

    with pa.CompressedInputStream(pa.PythonFile(stream, mode="r"), "zstd") as reader:
        while block := reader.read(_READ):
            yield block
