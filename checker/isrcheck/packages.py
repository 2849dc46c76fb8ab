"""The files of the packages that offer models, and what tells that one of them has changed."""

import hashlib
import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from isrcheck.catalogue import offers
from isrcheck.version import __version__


def packages_with_models() -> frozenset[str]:
    return frozenset({__name__.partition(".")[0], *(offer.module.partition(".")[0] for offer in offers())})


def fingerprint(packages: frozenset[str]) -> str:
    """Found without importing a model."""
    known = (__version__, sys.version, *((offer.name, offer.value) for offer in offers()))
    total = hashlib.sha256(repr(known).encode())
    for package in sorted(packages):
        for file in files_of(package):
            content = file.read_bytes()
            total.update(f"\n{package} {file.name} {len(content)}\n".encode(errors="surrogateescape") + content)
    return total.hexdigest()


class Stamp(NamedTuple):
    """A file, and what is another whenever its text is another."""

    file: str
    node: int
    size: int
    written_ns: int
    changed_ns: int  # nobody can choose it


def stamps(packages: frozenset[str]) -> Iterator[Stamp]:
    """Yield the stamps of the files that decide what the packages do."""
    for package in sorted(packages):
        for file in files_of(package):
            known = file.stat()
            yield Stamp(str(file), known.st_ino, known.st_size, known.st_mtime_ns, known.st_ctime_ns)


def files_of(package: str) -> Iterator[Path]:
    """Yield the files of a package that decide what it does: its Python and its LLVM IR."""
    spec = find_spec(package)
    for folder in spec.submodule_search_locations or () if spec else ():
        texts = (f"{at}/{name}" for at, _, names in os.walk(folder) for name in names if name.endswith((".py", ".ll")))
        yield from map(Path, sorted(texts))  # Path.rglob takes 0.02 s
    if spec and spec.origin and spec.submodule_search_locations is None:
        yield Path(spec.origin)
