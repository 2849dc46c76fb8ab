"""A configuration of TLC as a spec of the gate, with properties expected to hold."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from isrcheck.errors import UsageError, nearest
from isrcheck.ir.domains import SortDomain, bound_names, evaluate_bound
from isrcheck.ir.model import ModelIR
from isrcheck.ir.property_kinds import DEADLOCK
from isrcheck.ir.show import show
from isrcheck.passes.bind import BoundModel, bind
from isrcheck.tla.modules import Writer, never
from isrcheck.tla.vocabulary import Vocabulary

MOST = 64  # members of a sort
TYPE_NAMES = ("TypeOk", "TypeOK", "TypeInvariant")
_TOKEN = re.compile(r'\s+|\\\*[^\n]*|\(\*.*?\*\)|(?P<token>"[^"]*"|<-|[={},]|-?\d+|[\w!]+)|(?P<other>.)', re.DOTALL)
_CONSTANTS = ("CONSTANT", "CONSTANTS")
_NAMES = ("INVARIANT", "INVARIANTS", "PROPERTY", "PROPERTIES", "SYMMETRY", "SPECIFICATION", "INIT", "NEXT")
_KNOWN = (*_CONSTANTS, "CHECK_DEADLOCK", *_NAMES)
_OF_BOUNDS = "bounds belong to a model's constants"
REFUSED = {
    **dict.fromkeys(("CONSTRAINT", "CONSTRAINTS", "ACTION_CONSTRAINT", "ACTION_CONSTRAINTS"), _OF_BOUNDS),
    "VIEW": "every variable is part of a state here",
    "ALIAS": "`isrcheck render` shows a trace as it is asked to",
    "POSTCONDITION": "an outcome has its counts in its JSON",
}
Value = str | int | tuple[str, ...]


class Token(NamedTuple):
    text: str
    place: str  # FILE:LINE


class Configuration(Struct):
    file: Path
    constants: dict[Token, Value] = {}
    named: list[tuple[str, Token]] = []  # by section
    deadlock: bool = True


def read_cfg(file: Path) -> Configuration:
    """A configuration. Raises UsageError, with the line, for what it does not know."""
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"{file} cannot be read: give a configuration of TLC.") from None
    tokens, found = list(_tokens(text, file)), Configuration(file)
    while tokens:
        word, place = tokens.pop(0)
        end = next((n for n, token in enumerate(tokens) if token.text in (*_KNOWN, *REFUSED)), len(tokens))
        part = tokens[:end]
        if word in REFUSED:
            raise UsageError(f"{place}: {word} has no meaning here: {REFUSED[word]}.")
        if word not in _KNOWN:
            raise UsageError(f"{place}: {word} is not a known word of a configuration: {', '.join(_KNOWN)}.")
        if word in _NAMES:
            found.named += [(word, token) for token in part]
        elif word in _CONSTANTS:
            found.constants |= _values(part)
        else:
            if not part or part[0].text not in ("TRUE", "FALSE"):
                raise UsageError(f"{place}: CHECK_DEADLOCK is followed by TRUE or FALSE.")
            end, found.deadlock = 1, part[0].text == "TRUE"
        del tokens[:end]
    return found


def _tokens(text: str, file: Path) -> Iterator[Token]:
    for m in _TOKEN.finditer(text):
        place = f"{file}:{text.count(chr(10), 0, m.start()) + 1}"
        if m["other"]:
            raise UsageError(f"{place}: {m['other']!r} does not stand in a configuration.")
        if m["token"]:
            yield Token(m["token"], place)


def _values(tokens: list[Token]) -> dict[Token, Value]:
    found: dict[Token, Value] = {}
    while tokens:
        name = tokens.pop(0)
        sign = tokens.pop(0).text if tokens else ""
        if sign == "<-":
            why = "puts a definition in the place of a constant, which is not read here: give its value with =."
            raise UsageError(f"{name.place}: {name.text} <- ... {why}")
        if sign != "=" or not tokens:
            raise UsageError(f"{name.place}: {name.text} has no value: write {name.text} = value.")
        found[name] = _value(tokens, name)
    return found


def _value(tokens: list[Token], name: Token) -> Value:
    first = tokens.pop(0).text
    if first != "{":
        return int(first) if re.fullmatch(r"-?\d+", first) else first
    words = [token.text for token in tokens]
    if "}" not in words:
        raise UsageError(f"{name.place}: the set of {name.text} has no end: write {{a, b}}.")
    end = words.index("}")
    del tokens[: end + 1]
    return tuple(word for word in words[:end] if word != ",")


def gate_spec(read: Configuration, ir: ModelIR, model: str) -> str:
    """The spec's TOML. Raises UsageError for a name that the model does not have."""
    vocabulary = Writer(ir).names
    bound = bind(ir, dict(_chosen(read, ir, vocabulary)))
    invariants = [token for word, token in read.named if word.startswith("INVARIANT")]
    properties = [token for word, token in read.named if word.startswith("PROPERT")]
    lines = [f"# After {' '.join(read.file.name.split())}, a configuration of TLC."]
    if any(token.text in TYPE_NAMES for token in invariants):
        lines.append("# TypeOk is not listed: in every run a value outside its domain is an error of the model.")
    if read.deadlock:
        lines.append("# TLC looks for deadlocks unless CHECK_DEADLOCK is FALSE.")
    lines += ["", "[[run]]", f"model = {json.dumps(model)}"]
    constants = ", ".join(f"{name} = {_toml(value)}" for name, value in bound.constants.items())
    lines.append(f"constants = {{ {constants} }}")
    if "SYMMETRY" in dict(read.named):
        lines.append("symmetry = true")
    asked = [token for token in (*invariants, *properties) if token.text not in TYPE_NAMES]
    expected = dict(_expected(token, bound, vocabulary) for token in asked)
    if read.deadlock:
        expected[DEADLOCK.name] = "holds"
    lines += ["[run.expect]", *(f"{name} = {json.dumps(word)}" for name, word in expected.items())]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    return json.dumps(value if isinstance(value, bool | int) else show(value))


def _chosen(read: Configuration, ir: ModelIR, vocabulary: Vocabulary) -> Iterator[tuple[str, Any]]:
    known = {called: name for name, called in vocabulary.constants.items()}
    sorts = {vocabulary.types[s.name]: s for s in ir.sorts if s.name in vocabulary.types}
    sorts |= {f"{name}s": s for name, s in sorts.items() if f"{name}s" not in sorts}
    for (name, place), value in read.constants.items():
        if isinstance(value, tuple) and name in sorts:
            yield from _sized(sorts[name], len(value), f"{place}: {name}").items()
        elif isinstance(value, tuple):
            remedy = nearest(name, sorts)
            raise UsageError(f"{place}: {name} is a set, and {ir.name} has no sort of that name.{remedy}")
        elif name in known:
            plain = value.strip('"') if isinstance(value, str) else value
            yield known[name], {"TRUE": True, "FALSE": False}.get(str(value), plain)
        elif value != name:  # a model value, such as None = None, is not one of our constants
            remedy = nearest(name, [*known, *sorts])
            raise UsageError(f"{place}: {ir.name} has no constant {name}.{remedy}")


def _sized(sort: SortDomain, members: int, what: str) -> dict[str, int]:
    """The constant, if there is one, with which a sort has so many members."""
    size = str(sort.size)
    names = bound_names(size)
    for value in range(MOST) if len(names) <= 1 else ():
        chosen = dict.fromkeys(names, value)
        with suppress(ValueError):
            if evaluate_bound(size, chosen) == members:
                return chosen
    raise UsageError(f"{what} has {members} members, and its size here is {size}.")


def _expected(token: Token, model: BoundModel, vocabulary: Vocabulary) -> tuple[str, str]:
    called = {vocabulary.methods[p.name]: p for p in model.ir.properties}
    named = {never(name) if p.kind.holds_by_target else name: p for name, p in called.items()}
    if token.text not in named:
        remedy = nearest(token.text, named)
        raise UsageError(f"{token.place}: {model.ir.name} has no property {token.text}.{remedy}")
    asked = named[token.text]
    if asked.name in model.not_asked:
        reason = model.not_asked[asked.name]
        raise UsageError(f"{token.place}: {token.text} does not apply with these constants: {reason}")
    return asked.name, "never reached" if asked.kind.holds_by_target else "holds"
