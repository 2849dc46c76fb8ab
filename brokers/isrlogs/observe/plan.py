"""The plan of tasks: the stretch that each reads, whose lines these are, and their order among the node's."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from isrcheck import UsageError
from isrlogs.observe.chunks import Chunk, chunks_of
from isrlogs.observe.files import Source
from isrlogs.observe.layout import Reader
from isrlogs.observe.order import FILE_BITS, Clock, later_floor
from isrlogs.observe.packed import plain_name
from isrlogs.observe.parse import Task
from isrlogs.observe.survey import Survey

CHUNK = 32 << 20  # bytes of a file that one task reads: some 2 s of work
_ROTATED = re.compile(r"[.-]\d{4}-\d\d-\d\d(?:-\d\d)?(?:[.-]\d+)?(?=\.|$)|(?:\.\d+)+$")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:-\d\d)?")
_NUMBER = re.compile(r"\.(\d+)$")  # of the files of one log, or of one day, the older ones
_BROKER_NAME = re.compile(r"(?:broker|kafka|node)[-_.]?(\d+)")


@dataclass(frozen=True)
class Piece:
    """A stretch of a file, and what a first look at it said."""

    source: Source
    chunk: Chunk
    survey: Survey


def stretches(sources: Sequence[Source], size: int = CHUNK) -> list[tuple[Source, Chunk]]:
    """The stretches of all files. Raises UsageError for a file that cannot be read."""
    try:
        return [(source, chunk) for source in sources for chunk in chunks_of(source.path, size)]
    except OSError as error:
        raise UsageError(f"{error.filename} cannot be read: {error.strerror}.") from None


def plan(pieces: Sequence[Piece]) -> list[Task]:
    """A task for each stretch of all runs."""
    runs: dict[str, list[Piece]] = defaultdict(list)
    for piece in pieces:
        runs[piece.source.run].append(piece)
    return [task for own in runs.values() for task in _Run(own).tasks()]


class _Run:
    """The files of one run."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._files: dict[Path, list[Piece]] = defaultdict(list)
        self._folders: dict[Path, list[Piece]] = defaultdict(list)
        for piece in pieces:
            self._files[piece.source.path].append(piece)
            self._folders[piece.source.path.parent].append(piece)
        self._controllers = {piece.survey.controller for piece in pieces} - {""}
        self._topics = {key: name for piece in pieces for key, name in piece.survey.topics.items()}
        self._only = _only_partition(pieces)
        self._reader = Reader()

    def tasks(self) -> list[Task]:
        logs: dict[tuple[str, str], list[list[Piece]]] = defaultdict(list)
        tasks: list[Task] = []
        for number, (path, pieces) in enumerate(sorted(self._files.items())):
            node, source = self._node(pieces), pieces[0].source
            if source.role == "log":
                logs[node, _ROTATED.sub("", plain_name(path.name))].append(pieces)
            else:
                place = number << FILE_BITS
                tasks += (self._task(piece, node, position=place + piece.chunk.start) for piece in pieces)
        base = min((self._ms(_first(file)) for group in logs.values() for file in group if _first(file)), default=0)
        for number, ((node, _), group) in enumerate(sorted(logs.items())):
            tasks += self._log_tasks(node, sorted(group, key=_place), base, number)
        return tasks

    def _log_tasks(self, node: str, files: Iterable[list[Piece]], base: int, number: int) -> list[Task]:
        """The tasks of a log and its rotated files, in order."""
        floor = base
        tasks = []
        for piece in (piece for file in files for piece in file):
            tasks.append(self._task(piece, node, Clock(floor, base, number)))
            floor = later_floor(floor, self._ms(piece.survey.latest), piece.survey.lines)
        return tasks

    def _task(self, piece: Piece, node: str, clock: Clock | None = None, position: int = 0) -> Task:
        controller = node if node.startswith("controller") else self._controller(piece.survey.controller)
        source = piece.source
        return Task(
            chunk=piece.chunk,
            run=source.run,
            role=source.role,
            node=node,
            controller=controller,
            clock=clock or Clock(0, 0, 0),
            position=position,
            topics=self._topics,
            only=self._only,
        )

    def _node(self, file: Sequence[Piece]) -> str:
        """The node of a file: as its lines say, its name, other files of its folder, or the name of a folder above."""
        source = file[0].source
        if source.role in ("client", "faults", "metadata"):
            return "controller" if source.role == "metadata" else "client"
        folders = [f.name for f in source.path.parents if f.is_relative_to(source.root)]
        return (
            self._node_by_content(file)
            or _node_by_name(source.path.name)
            or self._node_by_content(self._folders[source.path.parent])
            or next(filter(None, map(_node_by_name, folders)), None)
            or next(iter(folders), source.path.name)
        )

    def _node_by_content(self, pieces: Iterable[Piece]) -> str | None:
        brokers = {piece.survey.broker for piece in pieces} - {""}
        controllers = {piece.survey.controller for piece in pieces} - {""}
        if len(brokers) == 1:
            return f"broker {brokers.pop()}"
        return self._controller(controllers.pop()) if not brokers and len(controllers) == 1 else None

    def _controller(self, number: str) -> str:
        return f"controller {number}" if len(self._controllers) > 1 and number else "controller"

    def _ms(self, time: str) -> int:
        """A time as a survey has it, in milliseconds since 1970; 0 for none."""
        return self._reader.wall_ms(time[:19], time[20:23]) if time else 0


def _node_by_name(name: str) -> str | None:
    if match := _BROKER_NAME.search(name):
        return f"broker {match[1]}"
    return "controller" if "controller" in name else None


def _first(file: Iterable[Piece]) -> str:
    return next((piece.survey.first for piece in file if piece.survey.first), "")


def _place(file: Sequence[Piece]) -> tuple[str, str, bool, str, int]:
    """The order of rotated files: by their first and last times; if these are the same, by their names."""
    name = plain_name(file[0].source.path.name)
    number = int(match[1]) if (match := _NUMBER.search(name)) else 0
    date = match[0] if (match := _DATE.search(name)) else ""
    newest = not date and not number
    latest = max(piece.survey.latest for piece in file)
    return _first(file), latest, newest, date, number if date else -number


def _only_partition(pieces: Iterable[Piece]) -> tuple[str, int] | None:
    """The partition that a run is about, if there is only one: that of journals that name none."""
    names = {name for piece in pieces for name in piece.survey.partitions}
    if len(names) != 1:
        return None
    topic, _, partition = names.pop().rpartition("-")
    return topic, int(partition)
