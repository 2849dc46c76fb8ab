"""The files of runs: which are read, and as what."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from isrcheck import UsageError
from isrlogs.observe.chunks import chunks_of, read_lines
from isrlogs.observe.layout import Reader, has_time
from isrlogs.observe.packed import plain_name

_MARKS = re.compile(r"(faults|client)\.jsonl|cluster\.json|broker\d+\.log")
_SEGMENT = re.compile(r"\d{20}\.\w+")  # Kafka's own files
_DUMP = re.compile(r'^\| offset: \d+ .* payload: \{"type"')
_SNIFFED = 200  # lines


@dataclass(frozen=True)
class Source:
    """A file that is read."""

    path: Path
    run: str
    root: Path  # of the run
    role: str  # log, client, faults, agent, metadata


@dataclass(frozen=True)
class Sources:
    read: Sequence[Source]
    unread: Sequence[Path]  # of no known kind


def find(places: Sequence[Path]) -> Sources:
    """The files in folders, or files. Raises UsageError if there is nothing to read, or two runs have one name."""
    read: list[Source] = []
    unread: list[Path] = []
    for place in places:
        if not place.exists():
            raise UsageError(f"{place} does not exist: give a folder of logs, such as that of a run.")
        files = sorted(f for f in place.rglob("*") if f.is_file()) if place.is_dir() else [place]
        roots = _roots(place, files)
        for file in _without_copies(files):
            role = role_of(file)
            root = next((folder for folder in file.parents if folder in roots), place)
            if role:
                read.append(Source(file, _run_name(root), root, role))
            else:
                unread.append(file)
    _refuse_same_names(read)
    if not any(source.role in ("log", "agent", "metadata") for source in read):
        where = ", ".join(map(str, places))
        raise UsageError(f"{where} holds no logs of brokers: files such as server.log, server.log.1.gz were expected.")
    return Sources(read, unread)


def _run_name(root: Path) -> str:
    return root.resolve().name.partition(".")[0] if root.is_file() else root.resolve().name


def _roots(place: Path, files: Iterable[Path]) -> set[Path]:
    """The folders of runs: those with a journal or a cluster's description, else the place itself."""
    return {f.parent for f in files if _MARKS.fullmatch(plain_name(f.name))} | {place}


def _without_copies(files: Sequence[Path]) -> Iterator[Path]:
    """Yield files without server.log.1.gz beside server.log.1, from which it is made."""
    names = set(files)
    return (f for f in files if (plain := f.with_name(plain_name(f.name))) == f or plain not in names)


def _refuse_same_names(read: Iterable[Source]) -> None:
    roots: dict[str, Path] = {}
    for source in read:
        other = roots.setdefault(source.run, source.root)
        if other != source.root:
            raise UsageError(f"two runs are called {source.run}: {other} and {source.root}. Rename one of the folders.")


def role_of(file: Path) -> str | None:
    """The role of a file, by its name, else by its first lines; None if it is not read."""
    name = plain_name(file.name)
    if _SEGMENT.fullmatch(name):
        return None
    if ".jsonl" in name:
        return next((role for role in ("client", "faults", "agent") if role in name), None)
    if ".log" in name:
        return "log"
    return _role_by_content(file)


def _role_by_content(file: Path) -> str | None:
    try:
        lines = next(iter(read_lines(chunks_of(file, 1 << 16)[0])), None)
    except (OSError, IndexError):
        return None
    for line in lines.texts[:_SNIFFED] if lines else ():
        if has_time(line) and Reader().split(line):
            return "log"
        if _DUMP.match(line):
            return "metadata"
    return None
