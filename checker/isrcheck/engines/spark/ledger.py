"""What a search has committed: a record for each level, written last, so that it is there whole or not at all.

Levels that were found in one process are committed together; the last of them says what was seen up to its end.

Tasks write files under names of their own attempt. The driver then names exactly one file for each bucket in the
level's record, which is moved into place; files that no record names were never part of the search.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from isrcheck.engines.spark.storage import Storage, StorageFailed, Written

SCHEMA = "isrcheck.spark/1"
_HEADER = "search.json"


@dataclass(frozen=True, slots=True)
class Part:
    """The states of one level in one bucket."""

    bucket: int
    states: int
    file: Written


@dataclass(frozen=True, slots=True)
class Level:
    """One level, and all that was seen up to its end.

    `counts` has the steps taken by action, then the pruned ones; `reached` the new states by the least action that
    reached them, the initial state first; `seen` pairs of a target's position and the level in which it was seen.
    """

    parts: tuple[Part, ...]
    counts: tuple[int, ...]
    reached: tuple[int, ...]
    seen: tuple[tuple[int, int], ...]
    digest: int
    exchanged: int = 0  # states that were sent to their buckets
    exchanged_bytes: int = 0

    @property
    def states(self) -> int:
        """How many states were first reached here."""
        return sum(part.states for part in self.parts)

    @property
    def stored_bytes(self) -> int:
        """What its files take up."""
        return sum(part.file.bytes for part in self.parts)


@dataclass(slots=True)
class Ledger:
    """The committed levels of one search. `key` is the content of what is searched."""

    storage: Storage
    key: str
    buckets: int
    levels: list[Level] = field(default_factory=list)

    @property
    def distinct(self) -> int:
        """The states of all levels."""
        return sum(level.states for level in self.levels)

    def visited(self, bucket: int) -> tuple[Written, ...]:
        """The files of all states in a bucket."""
        return tuple(part.file for level in self.levels for part in level.parts if part.bucket == bucket)

    def parts(self, level: int) -> dict[int, Part]:
        """A level's parts by bucket; a bucket without states has none."""
        return {part.bucket: part for part in self.levels[level].parts}

    # Writing

    def begin(self) -> None:
        """Claim the directory for this search. Raises StorageFailed if another one is there."""
        if self.storage.exists(_HEADER):
            raise StorageFailed(f"{self.storage} already holds a checkpoint; resume it or choose another directory.")
        self._put(_HEADER, {"schema": SCHEMA, "key": self.key, "buckets": self.buckets})

    def commit(self, *levels: Level) -> None:
        """Make levels part of the search, all at once."""
        for level in levels:
            if len({part.bucket for part in level.parts}) != len(level.parts):
                raise AssertionError("a level names two files for one bucket")
        self._put(_record(len(self.levels)), {"levels": [asdict(level) for level in levels]})
        self.levels += levels

    def _put(self, name: str, body: dict[str, Any]) -> None:
        text = json.dumps(body).encode()
        self.storage.replace(name, hashlib.sha256(name.encode() + text).hexdigest().encode() + b"\n" + text)

    # Reading

    def resume(self) -> None:
        """Take over what is there. Raises StorageFailed if that is nothing, damaged, or another search's."""
        if not self.storage.exists(_HEADER):
            raise StorageFailed(f"{self.storage} holds no checkpoint of --engine spark to resume.")
        header = self._get(_HEADER)
        if header.get("schema") != SCHEMA:
            raise StorageFailed(f"the checkpoint in {self.storage} was written by another version of isrcheck.")
        if header["key"] != self.key:
            raise StorageFailed(
                f"the checkpoint in {self.storage} is of another model, other constants or other properties."
            )
        self.buckets = header["buckets"]
        while self.storage.exists(_record(len(self.levels))):
            self.levels += [_level(each) for each in self._get(_record(len(self.levels)))["levels"]]

    def _get(self, name: str) -> dict[str, Any]:
        try:
            first, _, text = self.storage.read_as_it_is(name).to_pybytes().partition(b"\n")
            if first.decode() != hashlib.sha256(name.encode() + text).hexdigest():
                raise ValueError
            body: dict[str, Any] = json.loads(text)
        except (OSError, ValueError):
            raise self.storage.damaged(name) from None
        return body


def folder(level: int) -> str:
    """Where a level's files lie."""
    return f"level-{level:05}"


def _record(level: int) -> str:
    return f"{folder(level)}.json"


def _level(body: dict[str, Any]) -> Level:
    parts = [Part(each["bucket"], each["states"], Written(**each["file"])) for each in body.pop("parts")]
    seen = tuple((position, level) for position, level in body.pop("seen"))
    return Level(tuple(parts), seen=seen, **{name: _frozen(value) for name, value in body.items()})


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def chosen(attempts: Sequence[Part]) -> tuple[Part, ...]:
    """One attempt for each bucket, the first of those that finished; the states of all are the same."""
    found: dict[int, Part] = {}
    for part in attempts:
        first = found.setdefault(part.bucket, part)
        if first.states != part.states:
            raise AssertionError(f"two attempts at bucket {part.bucket} found {first.states} and {part.states} states")
    return tuple(part for part in found.values() if part.states)
