"""Certificates made wrong by hand: a file changed, with its hash put right again."""

import copy
import gzip
import hashlib
import io
import json
import runpy
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import isrcheck.recheck

GONE = object()
Way = tuple[Any, ...]


def ways(body: Any, way: Way = ()) -> Iterator[Way]:
    """The ways to all values within a JSON value."""
    for key in body if isinstance(body, dict) else range(len(body)) if isinstance(body, list) else ():
        yield (*way, key)
        yield from ways(body[key], (*way, key))


def others(value: Any) -> list[Any]:
    """Values that could stand in place of this one."""
    match value:
        case bool():
            return [GONE, None, not value, int(value)]
        case int():
            return [GONE, None, value + 1, value - 1, -value - 1, 0, float(value), str(value), True, value + (1 << 64)]
        case str():
            return [GONE, None, 0, "", value + "x", value[:-1], f"../{value}", f"/{value}"]
        case dict():
            return [GONE, None, [], {}, {**value, "more": 1}, {**value, "../more": "1"}]
        case list():
            return [GONE, None, {}, [], value[1:], value[:-1], value[::-1], value + value[-1:]]
    return [GONE]


def changed(body: dict[str, Any], way: Way, value: Any) -> dict[str, Any]:
    """The body with another value at the end of a way."""
    made = copy.deepcopy(body)
    place: Any = made
    for key in way[:-1]:
        place = place[key]
    if value is GONE:
        del place[way[-1]]
    else:
        place[way[-1]] = value
    return made


def stated_model(folder: Path) -> str:
    """The model that certificate.json names; any name where there is none."""
    try:
        return str(json.loads((folder / "certificate.json").read_text(encoding="utf-8"))["model"])
    except (OSError, KeyError):
        return "toy-counter"


def recheck(folder: Path, model: str = "") -> tuple[int, str]:
    """The exit code of the checker, asked about a model (the one stated if none is given), and what it says."""
    written, before = io.BytesIO(), sys.argv
    sys.argv = ["recheck", model or stated_model(folder), str(folder)]
    try:
        with redirect_stdout(io.TextIOWrapper(written, encoding="utf-8")) as stream:
            runpy.run_path(str(Path(isrcheck.recheck.__file__)), run_name="__main__")
            stream.flush()
            said = written.getvalue().decode()
    except SystemExit as refusal:
        assert written.getvalue() == b""
        return 1, f"{refusal.code}\n"
    finally:
        sys.argv = before
    return 0, said


def restate(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    file = folder / "certificate.json"
    body = json.loads(file.read_text(encoding="utf-8"))
    change(body)
    file.write_text(json.dumps(body), encoding="utf-8")


def rewrite(folder: Path, name: str, data: bytes) -> None:
    """Changes a file, and the hash of it that is stated."""
    (folder / name).write_bytes(data)
    restate(folder, lambda body: body["files"].update({name: hashlib.sha256(data).hexdigest()}))


def relist(folder: Path, change: Callable[[list[bytes]], list[bytes]], size: int = 8) -> None:
    """Changes the states listed, and how many are stated."""
    words = gzip.decompress((folder / "states.gz").read_bytes())
    states = change([words[i : i + size] for i in range(0, len(words), size)])
    rewrite(folder, "states.gz", gzip.compress(b"".join(states)))
    restate(folder, lambda body: body["states"].update(distinct=len(states)))


WORDS = {"version", "command", "place", "text"}  # for people: no line of a recheck depends on them


def wrongly_confirmed(folder: Path) -> list[str]:
    """The changes of certificate.json with which a recheck says a line that it does not say without them."""
    file = folder / "certificate.json"
    body = json.loads(file.read_text(encoding="utf-8"))
    model = stated_model(folder)
    code, said = recheck(folder, model)
    assert code == 0, said
    wrong = []
    for way in ways(body):
        value = body
        for key in way:
            value = value[key]
        for other in others(value):
            if WORDS.isdisjoint(way) and repr(other) != repr(value):
                file.write_text(json.dumps(changed(body, way, other)), encoding="utf-8")
                again, lines = recheck(folder, model)
                fewer = way[0] == "properties" and {*lines.splitlines()} < {*said.splitlines()}
                if again == 0 and (way[0] == "states" or not (fewer or lines == said)):
                    wrong.append(f"{way} = {other!r}")
    file.write_text(json.dumps(body), encoding="utf-8")
    return wrong
