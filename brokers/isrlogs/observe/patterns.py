"""The tables of what brokers write, as one table of patterns by logger."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from isrlogs.observe import forms

FAMILIES = ("kafka-3-4", "kafka-2", "kafka-0.10")
_NAMED = re.compile(r"<(\w+)>")
_WORDS = re.compile(r"\{\{|\}\}|\{(\w+)(?::(\w+))?\}|\.\.\.|[^{}.]+|[.{}]")
_PARTITION = {
    "tp": r"(?P<topic>[\w.-]+)-(?P<partition>\d{1,9})",
    "bracketed": r"\[(?P<topic>[\w.-]+),(?P<partition>\d{1,9})\]",
}
# What names a partition in the lines of any logger.
NAMES_PARTITION = re.compile(r"(?i:partitions?|log)[ =:(\[{]+(?:Set\(|List\()?[\w.-]+-\d+\b|\[[\w.-]+,\d+\]")
# A line that begins with the partition that it is of.
OF_PARTITION = re.compile(rf"\[(?:Partition |(?:Unified)?Log partition=|LeaderEpochCache ){_PARTITION['tp']}[ ,\]]")
NOT_UNDERSTOOD = "not_understood"  # the kind of a line that could matter and is of no form that is known
NEWEST = "4.4"  # of the releases whose lines the tables have
_RENAMED = re.compile(r"_\d$")

Fields = dict[str, str]


class MatchedEvent(NamedTuple):
    """One event in a line; `topic` is None where the line has a topic's id alone, or tells of no partition."""

    kind: str
    of_controller: bool
    topic: str | None
    partition: int | None
    fields: Fields


def newer_release(releases: Iterable[str]) -> str | None:
    """The newest of some releases, as brokers name them, if it is newer than those whose lines are known."""
    newest = max(releases, key=_numbers, default=NEWEST)
    return newest if _numbers(newest)[:2] > _numbers(NEWEST) else None


def _numbers(release: str) -> tuple[int, ...]:
    """The numbers of a release: (4, 4, 0) for 4.4.0-SNAPSHOT."""
    return tuple(map(int, re.findall(r"\d+", release.partition("-")[0])))


@dataclass(frozen=True)
class Pattern:
    """One form of one kind's line."""

    kind: str
    of_controller: bool
    needle: str  # a text that stands in every such line
    expression: re.Pattern[str]
    each: re.Pattern[str] | None
    converted: Mapping[str, forms.Form]

    def match_message(self, message: str) -> list[MatchedEvent] | None:
        """The events in a message; None if it is another line."""
        match = self.expression.fullmatch(message)
        if match is None:
            return None
        shared = match.groupdict()
        if self.each is None:
            return [self._one(shared)]
        return [self._one({**shared, **one.groupdict()}) for one in self.each.finditer(message)]

    def _one(self, fields: dict[str, Any]) -> MatchedEvent:
        if None in fields.values():
            fields = {name: value for name, value in fields.items() if value is not None}
        for name, form in self.converted.items():
            if name in fields:
                fields.update(form(name, fields.pop(name)))
        partition = fields.pop("partition", None)
        topic = fields.pop("topic", None)
        return MatchedEvent(self.kind, self.of_controller, topic, None if partition is None else int(partition), fields)


@dataclass(frozen=True)
class Table:
    """All patterns, by the last part of a logger's name."""

    events: Mapping[str, tuple[Pattern, ...]]
    skipped: Mapping[str, tuple[Pattern, ...]]
    matter: frozenset[str]

    def match(self, logger: str, message: str) -> list[MatchedEvent] | None:
        """The events of a line, [] for one that is known not to matter, None for one that is not known."""
        for pattern in self.events.get(logger, ()):
            # A search for a text is many times as fast as a call.
            if pattern.needle in message and (events := pattern.match_message(message)) is not None:
                return events
        for pattern in self.skipped.get(logger, ()):
            if pattern.needle in message and pattern.expression.fullmatch(message):
                return []
        return None


@cache
def table() -> Table:
    """The tables of all versions: a line is of one of them."""
    events: dict[str, list[Pattern]] = {}
    skipped: dict[str, list[Pattern]] = {}
    matter: set[str] = set()
    for family in FAMILIES:
        data = read_family(family)
        matter |= set(data["matter"])
        for row in data["event"]:
            _add(events, row, row["kind"], data["names"])
        for row in data["skip"]:
            _add(skipped, row, "skip", data["names"])
    return Table(_freeze(events), _freeze(skipped), frozenset(matter))


def _freeze(table: Mapping[str, list[Pattern]]) -> dict[str, tuple[Pattern, ...]]:
    return {logger: tuple(patterns) for logger, patterns in table.items()}


def read_family(family: str) -> dict[str, Any]:
    """One version family's file, as it is written."""
    source = files("isrlogs.observe").joinpath("lines", f"{family}.toml").read_text(encoding="utf-8")
    return tomllib.loads(source)


def _add(table: dict[str, list[Pattern]], row: Mapping[str, Any], kind: str, names: Mapping[str, str]) -> None:
    for logger in _several(row["logger"]):
        for line in _several(row["line"]):
            line = _NAMED.sub(lambda match: names[match[1]], line)
            table.setdefault(logger, []).append(pattern(kind, line, row.get("each"), "node" in row))


def _several(given: str | list[str]) -> list[str]:
    return [given] if isinstance(given, str) else given


def pattern(kind: str, line: str, each: str | None = None, of_controller: bool = False) -> Pattern:
    """A line of a table as a pattern."""
    expression, used = _regex(line)
    repeated, more = _regex(each) if each else (None, {})
    needle = max(_literals(line), key=len, default="")
    converted = {name: form for name, form in {**used, **more}.items() if form is not None}
    repeat = re.compile(repeated) if repeated else None
    return Pattern(kind, of_controller, needle, re.compile(expression, re.DOTALL), repeat, converted)


def _regex(line: str) -> tuple[str, dict[str, forms.Form | None]]:
    parts: list[str] = []
    used: dict[str, forms.Form | None] = {}
    for field in _WORDS.finditer(line):
        name, form = field[1], field[2]
        if name is None:
            parts.append({"...": ".*?", "{{": r"\{", "}}": r"\}"}.get(field[0], re.escape(field[0])))
        elif name in _PARTITION:
            parts.append(_PARTITION[name])
        elif form == "same":
            parts.append(f"(?P={name})")
        else:
            expression, convert = forms.FORMS[form or "number"]
            parts.append(
                f"(?P<{name}>{expression})" if "(?P<>" not in expression else expression.replace("<>", f"<{name}>")
            )
            used[name] = convert
    return "".join(parts), used


def _literals(line: str) -> Iterable[str]:
    """The texts between fields, as they stand in the message."""
    run = ""
    for field in _WORDS.finditer(line):
        if field[1] is None and field[0] != "...":
            run += field[0][0] if field[0] in ("{{", "}}") else field[0]
        else:
            yield run
            run = ""
    yield run
