"""The text of a schedule."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from isrcheck.errors import UsageError, nearest
from isrcheck.files import unreadable
from isrcheck.wrap import plain

VERDICTS = ("violated", "kept", "cannot", "reached", "unreached")
_HEADS = ("constants", "expect")
_LONGEST = 10_000  # steps
_OPENING, _CLOSING = "([{", ")]}"


@dataclass(frozen=True)
class StepText:
    action: str
    positional: tuple[str, ...]
    named: tuple[tuple[str, str], ...]
    place: str  # story.schedule:3, or "the script" for one given on the command line

    def __str__(self) -> str:
        return " ".join((self.action, *self.positional, *(f"{n}={v}" for n, v in self.named)))


@dataclass(frozen=True)
class Expectation:
    """The verdict that a script expects of a model: of these properties, or without any of its complete run."""

    model: str
    verdict: str
    properties: tuple[str, ...]
    place: str


@dataclass(frozen=True)
class Script:
    steps: tuple[StepText, ...]
    constants: dict[str, str]
    expectations: tuple[Expectation, ...]


def read_script(file: Path) -> Script:
    """Read a script from a file. Raises UsageError, with the line."""
    try:
        content = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(file, "a script", "give a text file of steps, or -e 'STEP; STEP'", error) from None
    return parse_script(content, plain(file.name))


def parse_script(script: str, name: str = "") -> Script:
    """Parse a script; `name` is what messages call it. Raises UsageError."""
    steps: list[StepText] = []
    constants: dict[str, str] = {}
    expectations: list[Expectation] = []
    for number, line in enumerate(script.splitlines(), 1):
        place = f"{name}:{number}" if name else "the script"
        content = line.partition("#")[0].strip()
        head, colon, rest = content.partition(":")
        if colon and re.fullmatch(r"\w+", head):
            _read_head(head, rest, place, constants, expectations)
        else:
            steps += [_step(step, place) for step in content.split(";") if step.strip()]
    if not steps:
        raise UsageError(f"{name or 'the script'} has no steps: write one a line, or several with ; between them.")
    if len(steps) > _LONGEST:
        raise UsageError(f"{name or 'the script'} has {len(steps):,} steps, and {_LONGEST:,} is the most.")
    return Script(tuple(steps), constants, tuple(expectations))


def _read_head(head: str, rest: str, place: str, constants: dict[str, str], expectations: list[Expectation]) -> None:
    if head == "constants":
        for pair in rest.split():
            name, equals, value = pair.partition("=")
            if not (name and equals and value):
                raise UsageError(f"{place}: {pair} is not a valid constant: write constants: replicas=3 log_size=1.")
            if name in constants:
                raise UsageError(f"{place}: the constant {name} is given twice: {constants[name]} and {value}.")
            constants[name] = value
    elif head == "expect":
        expectations.append(_expectation(rest.split(), place))
    else:
        raise UsageError(f"{place}: there is no line {head}: in a script.{nearest(head, _HEADS)}")


def _expectation(words: list[str], place: str) -> Expectation:
    if len(words) < 2:
        raise UsageError(
            f"{place}: an expectation is a model, a verdict and properties: expect: kip-101 violated weak_isr."
        )
    model, verdict, *properties = words
    if verdict not in VERDICTS:
        raise UsageError(f"{place}: {verdict} is not a verdict of a schedule.{nearest(verdict, VERDICTS)}")
    if verdict == "cannot" and properties:
        raise UsageError(f"{place}: cannot is said of a model and not of {properties[0]}: leave that out.")
    if verdict != "cannot" and not properties:
        raise UsageError(f"{place}: {verdict} is said of properties: name them after it.")
    return Expectation(model, verdict, tuple(properties), place)


def _step(step: str, place: str) -> StepText:
    words = list(_words(step, place))
    named = [w.partition("=")[::2] for w in words if "=" in _outside(w)]
    bare = [w for w in words if "=" not in _outside(w)]
    for name, value in named:
        if not name or not value:
            raise UsageError(f"{place}: {step.strip()}: an argument by name is written name=value.")
    if not bare or "=" in _outside(words[0]):
        raise UsageError(f"{place}: {step.strip()} names no action: write the action before its arguments.")
    action, *positional = bare
    if not re.fullmatch(r"\w+", action):
        raise UsageError(f"{place}: {action} is not a name of an action: letters, digits and _ make one.")
    return StepText(action, tuple(positional), tuple(named), place)


def _words(step: str, place: str) -> Iterator[str]:
    """The words of a step, parted by blanks and commas outside of brackets."""
    piece, depth = "", 0
    for letter in step:
        depth += (letter in _OPENING) - (letter in _CLOSING)
        if depth == 0 and (letter.isspace() or letter == ","):
            if piece:
                yield piece
            piece = ""
        elif not letter.isspace():
            piece += letter
        if depth < 0:
            break
    if depth:
        raise UsageError(f"{place}: {step.strip()}: a bracket is opened and not closed, or closed and not opened.")
    if piece:
        yield piece


def _outside(piece: str) -> str:
    return re.split(r"[(\[{]", piece, maxsplit=1)[0]
