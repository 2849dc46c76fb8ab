"""A configuration of TLC as a spec of the gate: the same constants and the same properties, expected to hold."""

import json
from collections.abc import Iterator
from itertools import product
from typing import Any

from isrcheck.errors import UsageError, nearest
from isrcheck.ir import property_kinds as kinds
from isrcheck.ir.domains import SortDomain, bound_names, evaluate_bound
from isrcheck.ir.model import ModelIR, Property
from isrcheck.ir.show import show
from isrcheck.passes.bind import BoundModel, bind
from isrcheck.tla.cfg import Configuration, Token
from isrcheck.tla.modules import Writer, never
from isrcheck.tla.vocabulary import Vocabulary

MOST = 64  # members of a sort that are tried when its size is an expression
TYPE_NAMES = ("TypeOk", "TypeOK", "TypeInvariant")


def gate_spec(read: Configuration, ir: ModelIR, model: str) -> str:
    """The spec's TOML. Raises UsageError, with the line, for a name that the model does not have."""
    vocabulary = Writer(ir).vocabulary
    bound = bind(ir, dict(_chosen(read, ir, vocabulary)))
    expected = dict(_expected(read, bound, vocabulary))
    if read.deadlock:
        expected[kinds.DEADLOCK.name] = "holds"
    lines = [f"# After {_plain(read.file.name)}, a configuration of TLC."]
    lines += [f"# {_plain(note)}" for note in _notes(read)]
    lines += ["", "[[run]]", f"model = {json.dumps(model)}"]
    constants = ", ".join(f"{name} = {_toml(value)}" for name, value in bound.constants.items())
    lines.append(f"constants = {{ {constants} }}")
    if read.symmetry:
        lines.append("symmetry = true")
    lines += ["[run.expect]", *(f"{name} = {json.dumps(word)}" for name, word in expected.items())]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    return " ".join(text.split())


def _toml(value: Any) -> str:
    return json.dumps(value if isinstance(value, bool | int) else show(value))


def _notes(read: Configuration) -> Iterator[str]:
    if any(t.text in TYPE_NAMES for t in read.invariants):
        yield "TypeOk is not listed: in every run a value outside its domain is an error of the model."
    if read.deadlock:
        yield "TLC looks for deadlocks unless CHECK_DEADLOCK is FALSE."


# Constants


def _chosen(read: Configuration, ir: ModelIR, vocabulary: Vocabulary) -> Iterator[tuple[str, Any]]:
    """The model's constants and what the configuration gives them."""
    known = {called: name for name, called in vocabulary.constants.items()}
    sorts = {vocabulary.types[s.name]: s for s in ir.sorts if s.name in vocabulary.types}
    sorts |= {f"{name}s": s for name, s in sorts.items() if f"{name}s" not in sorts}
    for name, (value, line) in read.constants.items():
        if isinstance(value, tuple) and name in sorts:
            yield from _sized(sorts[name], len(value), read, name, line)
        elif isinstance(value, tuple):
            remedy = nearest(name, sorts)
            raise UsageError(f"{read.file}:{line}: {name} is a set, and {ir.name} has no sort of that name.{remedy}")
        elif name in known:
            yield known[name], _plain_value(value)
        elif value != name:  # a model value, such as None = None, is not one of our constants
            remedy = nearest(name, [*known, *sorts])
            raise UsageError(f"{read.file}:{line}: {ir.name} has no constant {name}.{remedy}")


def _plain_value(value: str | int) -> Any:
    if isinstance(value, int):
        return value
    return {"TRUE": True, "FALSE": False}.get(value, value.strip('"'))


def _sized(sort: SortDomain, members: int, read: Configuration, name: str, line: int) -> Iterator[tuple[str, int]]:
    """The constants with which a sort has so many members."""
    if isinstance(sort.size, str):
        names = sorted(bound_names(sort.size))
        for values in product(range(MOST), repeat=len(names)) if len(names) == 1 else ():
            chosen = dict(zip(names, values, strict=True))
            if _size(sort.size, chosen) == members:
                yield from chosen.items()
                return
        if not names and _size(sort.size, {}) == members:
            return
    raise UsageError(f"{read.file}:{line}: {name} has {members} members, and its size here is {sort.size}.")


def _size(size: str, chosen: dict[str, int]) -> int | None:
    try:
        return evaluate_bound(size, chosen)
    except ValueError:
        return None


# Properties


def _expected(read: Configuration, model: BoundModel, vocabulary: Vocabulary) -> Iterator[tuple[str, str]]:
    """The properties that are named, and what TLC was to find."""
    for token in (*read.invariants, *read.properties):
        if token.text in TYPE_NAMES:
            continue
        yield _asked(token, read, model, vocabulary)


def _asked(token: Token, read: Configuration, model: BoundModel, vocabulary: Vocabulary) -> tuple[str, str]:
    named: dict[str, tuple[Property, str]] = {}
    for method in model.ir.properties:
        called = vocabulary.methods[method.name]
        is_reachability = method.kind.holds_by_target
        named[never(called) if is_reachability else called] = (method, "never reached" if is_reachability else "holds")
    if token.text not in named:
        remedy = nearest(token.text, named)
        raise UsageError(f"{read.file}:{token.line}: {model.ir.name} has no property {token.text}.{remedy}")
    method, word = named[token.text]
    if method.name in model.not_asked:
        raise UsageError(
            f"{read.file}:{token.line}: {token.text} does not apply with these constants: "
            f"{model.not_asked[method.name]}"
        )
    return method.name, word
