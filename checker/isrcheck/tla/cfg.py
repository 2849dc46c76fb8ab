"""TLC's configuration files: what they say, word for word."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from isrcheck.errors import UsageError

_TOKEN = re.compile(r'\s+|\\\*[^\n]*|\(\*.*?\*\)|(?P<token>"[^"]*"|<-|[={},]|-?\d+|[\w!]+)|(?P<other>.)', re.DOTALL)
_NAMES = {  # the sections that hold names, and what each is
    "INVARIANT": "invariants",
    "INVARIANTS": "invariants",
    "PROPERTY": "properties",
    "PROPERTIES": "properties",
    "SYMMETRY": "symmetry",
    "SPECIFICATION": "behaviour",
    "INIT": "behaviour",
    "NEXT": "behaviour",
}
_OTHER = ("CONSTANT", "CONSTANTS", "CHECK_DEADLOCK")
REFUSED = {
    "CONSTRAINT": "bounds belong to a model's constants",
    "CONSTRAINTS": "bounds belong to a model's constants",
    "ACTION_CONSTRAINT": "bounds belong to a model's constants",
    "ACTION_CONSTRAINTS": "bounds belong to a model's constants",
    "VIEW": "every variable is part of a state here",
    "ALIAS": "`isrcheck render` shows a trace as it is asked to",
    "POSTCONDITION": "an outcome has its counts in its JSON",
}


@dataclass(frozen=True)
class Token:
    text: str
    line: int


@dataclass
class Configuration:
    """What TLC was to check. Constants have a number, a word, or the members of a set; deadlock is asked by default."""

    file: Path
    constants: dict[str, tuple[str | int | tuple[str, ...], int]] = field(default_factory=dict)  # and the line
    invariants: list[Token] = field(default_factory=list)
    properties: list[Token] = field(default_factory=list)
    symmetry: list[Token] = field(default_factory=list)
    behaviour: list[Token] = field(default_factory=list)
    deadlock: bool = True


def read_cfg(file: Path) -> Configuration:
    """A configuration from its file. Raises UsageError, with the line, for what it does not know."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"{file} cannot be read: give a configuration of TLC.") from None
    tokens = list(_tokens(text, file))
    found = Configuration(file)
    while tokens:
        head = tokens.pop(0)
        if head.text in _NAMES:
            getattr(found, _NAMES[head.text]).extend(_names(tokens))
        elif head.text in ("CONSTANT", "CONSTANTS"):
            _constants(tokens, found)
        elif head.text == "CHECK_DEADLOCK":
            found.deadlock = _truth(tokens, head, file)
        elif head.text in REFUSED:
            raise UsageError(f"{file}:{head.line}: {head.text} has no meaning here: {REFUSED[head.text]}.")
        else:
            raise UsageError(
                f"{file}:{head.line}: {head.text} is not a known word of a configuration: "
                f"{', '.join([*_OTHER, *_NAMES])}."
            )
    return found


def _tokens(text: str, file: Path) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if match["other"]:
            raise UsageError(f"{file}:{line}: {match['other']!r} does not stand in a configuration.")
        if match["token"]:
            yield Token(match["token"], line)


def _names(tokens: list[Token]) -> Iterator[Token]:
    while tokens and not _is_head(tokens[0]):
        yield tokens.pop(0)


def _is_head(token: Token) -> bool:
    return token.text in (*_NAMES, *_OTHER, *REFUSED)


def _truth(tokens: list[Token], head: Token, file: Path) -> bool:
    if tokens and tokens[0].text in ("TRUE", "FALSE"):
        return tokens.pop(0).text == "TRUE"
    raise UsageError(f"{file}:{head.line}: CHECK_DEADLOCK is followed by TRUE or FALSE.")


def _constants(tokens: list[Token], found: Configuration) -> None:
    while tokens and not _is_head(tokens[0]):
        name = tokens.pop(0)
        sign = tokens.pop(0).text if tokens else ""
        if sign == "<-":
            raise UsageError(
                f"{found.file}:{name.line}: {name.text} <- ... puts a definition in the place of a constant, which is "
                f"not read here: give its value with =."
            )
        if sign != "=" or not tokens:
            raise UsageError(f"{found.file}:{name.line}: {name.text} has no value: write {name.text} = value.")
        found.constants[name.text] = (_value(tokens, name, found.file), name.line)


def _value(tokens: list[Token], name: Token, file: Path) -> str | int | tuple[str, ...]:
    first = tokens.pop(0)
    if first.text != "{":
        return int(first.text) if re.fullmatch(r"-?\d+", first.text) else first.text
    members = []
    while tokens and tokens[0].text != "}":
        token = tokens.pop(0)
        if token.text != ",":
            members.append(token.text)
    if not tokens:
        raise UsageError(f"{file}:{name.line}: the set of {name.text} has no end: write {{a, b}}.")
    tokens.pop(0)
    return tuple(members)
