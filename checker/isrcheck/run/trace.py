"""A trace: the states and steps that show a violation, or how a claim was met.

Its JSON, schema `isrcheck.trace/1`, needs neither the model nor an engine to be read or drawn.
"""

from collections.abc import Iterator
from dataclasses import MISSING, asdict, field, fields
from pathlib import Path
from typing import Any, get_args

from isrcheck.errors import UsageError, quantity
from isrcheck.files import as_json, read_json
from isrcheck.ir.frozen import Frozen
from isrcheck.ir.property_kinds import TraceKind, kind_by_name
from isrcheck.ir.show import show
from isrcheck.lang.drawing import Drawing, DrawingMark
from isrcheck.lang.network import InFlight
from isrcheck.run.displayed import Tabular

SCHEMA = "isrcheck.trace/1"


class Induction(TraceKind):
    """A counterexample to induction: its first state is not known to be reachable."""

    name = "induction"
    verb = "is not kept"


class PlainRun(TraceKind):
    """A run that shows only itself."""

    name = "run"
    verb = "a run"
    is_violation = False


INDUCTION, RUN = Induction(), PlainRun()
_KINDS = {kind.name: kind for kind in (INDUCTION, RUN)}
_WORDS: dict[str, type[DrawingMark]] = {w.__name__.lower(): w for w in get_args(DrawingMark)}

Value = Any  # JSON: a number, a truth value, null, a name, a list, or {"set" | "map" | "record": ...}


class TraceStep(Frozen):
    """One state and how it came about, encoded; the first has no action."""

    action: str
    arguments: dict[str, Value]
    state: dict[str, Value]
    answers: dict[str, Value] = field(default_factory=dict)  # what the drawing asks, not variables
    truncation: str = ""  # of which log
    renumbered: str = ""  # what its canonical form replaced
    # of a refinement: the abstract `model`, its `state`, and the step `taken` there
    abstract: dict[str, Value] = field(default_factory=dict)

    @property
    def call(self) -> str:
        """The action with its arguments, as in fetch(follower=r1)."""
        return f"{self.action}({', '.join(f'{n}={show_encoded(v)}' for n, v in self.arguments.items())})"

    def __repr__(self) -> str:
        """The step alone: a state takes many lines."""
        return f"<TraceStep {self.call if self.action else 'initial state'}>"


class Trace(Frozen, Tabular):
    """The steps in order, and what they show of the property `name`, written at `place`."""

    model: str
    constants: dict[str, Value]
    name: str
    kind: TraceKind
    sentence: str
    place: str
    steps: tuple[TraceStep, ...]
    actions: dict[str, str] = field(default_factory=dict)  # the sentence of each action taken
    drawing: Drawing | None = None
    witness: dict[str, Value] = field(default_factory=dict)  # values for which the property is false
    # of a behaviour without end: from the last state it goes on as from this one; where that is the last, it stops
    loop: int | None = None
    defaults: tuple[str, ...] = ()  # names of the constants that are at their default
    follows: tuple[TraceStep, ...] = ()  # steps that can follow: not in the JSON
    omitted: int = 0  # steps that were taken before the first state: not in the JSON

    @property
    def length(self) -> int:
        return len(self.steps)

    @property
    def chosen(self) -> dict[str, Value]:
        """The constants that are not at their default."""
        return {name: value for name, value in self.constants.items() if name not in self.defaults}

    def __repr__(self) -> str:
        """Say what the trace shows, and after how many steps."""
        run = " ".join((self.model, *constant_options(self.constants)))
        return f"<Trace {run}: {f'{self.name} {self.verb} {self.when}'.strip()}>"

    @property
    def span(self) -> str:
        """The length as "9 steps", or how the behaviour goes on for ever."""
        return span(self.length, self.loop)

    @property
    def forever(self) -> str:
        """The part of a behaviour without end from state `loop` on, as a phrase; empty if the trace ends."""
        if self.loop is None:
            return ""
        cycle = self.length - 1 - self.loop
        return f"for ever: {quantity(cycle, 'step')}" if cycle else "for ever: no step"

    @property
    def verb(self) -> str:
        """The verb for what the last state shows."""
        return self.kind.verb

    @property
    def when(self) -> str:
        """The number of steps after which the last state is reached, as a phrase."""
        steps = self.length - 1
        if self.loop is not None:
            return f"when it {self.span}" if self.loop == steps else f"by {self.span}"
        if self.kind == RUN:
            return f"of {steps} step{'' if steps == 1 else 's'}"
        return f"after {steps} step{'' if steps == 1 else 's'}" if steps else self.where

    @property
    def where(self) -> str:
        """The first state is step 0."""
        if self.loop is not None:
            return self.when
        if self.length > 1:
            return f"{'to' if self.kind == RUN else 'in'} step {self.length - 1}"
        return f"in {self.beginning}" if self.kind == INDUCTION else f"in the {self.beginning}"

    @property
    def beginning(self) -> str:
        if self.omitted:
            return f"state after step {self.omitted}"
        return "a state not known to be reachable" if self.kind == INDUCTION else "initial state"

    def to_json(self) -> str:
        data = {
            "schema": SCHEMA,
            "model": self.model,
            "constants": self.constants,
            "property": {"name": self.name, "kind": self.kind.name, "sentence": self.sentence, "place": self.place},
            "defaults": list(self.defaults) or None,
            "witness": self.witness or None,
            "actions": self.actions,
            "drawing": drawing_to_json(self.drawing) if self.drawing else None,
            "length": self.length,
            "loop": self.loop,
            "steps": [_step_to_json(s) for s in self.steps],
        }
        return as_json({name: value for name, value in data.items() if value is not None})


_STEP_KEYS = {"answers": "seen"}  # schema 1 calls it so
_LEFT_OUT = ("seen", "truncation", "renumbered", "abstract")  # where they are empty


def _step_to_json(step: TraceStep) -> dict[str, Value]:
    named = ((_STEP_KEYS.get(name, name), value) for name, value in vars(step).items())
    return {name: value for name, value in named if value or name not in _LEFT_OUT}


def span(length: int, loop: int | None) -> str:
    """Say how long a trace of so many states is, or how it goes on for ever from one of them."""
    if loop is None:
        return quantity(length - 1, "step") if length > 1 else "the initial state"
    cycle = length - 1 - loop
    if not cycle:
        return f"stops for ever after {quantity(loop, 'step')}"
    return f"a cycle of {quantity(cycle, 'step')} after {loop}"


def encode(value: Any) -> Value:
    match value:
        case None | bool() | int():
            return value
        case frozenset():
            return {"set": [encode(v) for v in sorted(value, key=_order)]}
        case dict():  # of a network what is in flight, in one order
            if isinstance(value, InFlight):
                value = {message: value[message] for message in sorted(value, key=_order)}
            return {"map": [[encode(k), encode(v)] for k, v in value.items()]}
        case tuple() if hasattr(value, "_fields"):
            fields = {n: encode(getattr(value, n)) for n in value._fields}
            return {"record": type(value).__name__, "fields": fields}
        case tuple():
            return [encode(v) for v in value]
        case _:
            return show(value)


def encode_written(written: str) -> Value:
    """Encode a constant that is written as on the command line: replicas=3, relinquish=true."""
    if written in ("true", "false"):
        return written == "true"
    return int(written) if written.removeprefix("-").isdecimal() else written


def _order(value: Any) -> tuple[int, str]:
    shown_value = show(value)
    return len(shown_value), shown_value


def show_encoded(value: Value) -> str:
    """An encoded value as people write it, on one line."""
    match value:
        case {"set": elements}:
            return "{" + ", ".join(map(show_encoded, elements)) + "}"
        case {"map": entries}:
            return "{" + ", ".join(f"{show_encoded(k)}: {show_encoded(v)}" for k, v in entries) + "}"
        case {"record": name, "fields": fields}:
            return f"{name}({', '.join(f'{n}={show_encoded(v)}' for n, v in fields.items())})"
        case list():
            return "[" + ", ".join(map(show_encoded, value)) + "]"
        case _:
            return str(value)


def constant_options(constants: dict[str, Value]) -> list[str]:
    """Encoded constants as the command line takes them: replicas=3, relinquish=true."""
    return [f"{n}={str(v).lower() if isinstance(v, bool) else show_encoded(v)}" for n, v in constants.items()]


def differences(before: Value, after: Value, path: str) -> Iterator[tuple[str, str, str]]:
    """(path, value before, value after) of what changed, in maps and records too."""
    if before == after:
        return
    match before, after:
        case {"map": old}, {"map": new} if [k for k, _ in old] == [k for k, _ in new]:
            for (key, one), (_, two) in zip(old, new, strict=True):
                yield from differences(one, two, f"{path}[{show_encoded(key)}]")
        case {"record": name, "fields": old}, {"record": other, "fields": new} if name == other:
            for field in old:
                yield from differences(old[field], new[field], f"{path}.{field}")
        case _:
            yield path, show_encoded(before), show_encoded(after)


def read_trace(file: Path) -> Trace:
    """A trace from its file. Raises UsageError if it is not a whole one."""
    data = read_json(file, "a trace", "isrcheck check", SCHEMA)
    try:
        return trace_of(data)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise UsageError(f"{file} is not a whole trace: {error.args[0] if error.args else error} is missing.") from None


def trace_of(data: dict[str, Any]) -> Trace:
    steps = tuple(_step(s) for s in data["steps"])
    if not steps or len(steps) != data["length"]:
        raise ValueError(f"its length is stated as {data['length']}, and it has {len(steps)} states; the rest")
    if any(s.state.keys() != steps[0].state.keys() for s in steps):
        raise ValueError("a variable of some state")
    name, kind, sentence, place = (str(data["property"][n]) for n in ("name", "kind", "sentence", "place"))
    return Trace(
        model=str(data["model"]),
        constants=dict(data["constants"]),
        name=name,
        kind=_KINDS.get(kind) or kind_by_name(kind),
        sentence=sentence,
        place=place,
        steps=steps,
        actions={str(n): str(s) for n, s in data.get("actions", {}).items()},
        drawing=Drawing(*(_mark(dict(plain)) for plain in data["drawing"])) if "drawing" in data else None,
        witness=dict(data.get("witness", {})),
        loop=_loop(data, steps),
        defaults=tuple(map(str, data.get("defaults", ()))),
    )


def _loop(data: dict[str, Any], steps: tuple[TraceStep, ...]) -> int | None:
    loop = data.get("loop")
    if loop is None:
        return None
    if type(loop) is not int or not 0 <= loop < len(steps) or steps[loop].state != steps[-1].state:
        raise ValueError("the state to which the last one of a behaviour without end returns")
    return loop


def _step(data: dict[str, Any]) -> TraceStep:
    return TraceStep(
        str(data["action"]),
        dict(data["arguments"]),
        dict(data["state"]),
        dict(data.get("seen", {})),
        abstract=dict(data.get("abstract", {})),
        **{name: str(data.get(name, "")) for name in ("truncation", "renumbered")},
    )


_JSON_NAMES = {"caption": "text"}  # schema 1 calls it so
_FIELD_NAMES = {key: name for name, key in _JSON_NAMES.items()}


def drawing_to_json(drawing: Drawing) -> list[dict[str, Any]]:
    """Return the marks as plain data; a field that is left out has its default."""
    return [{"word": type(mark).__name__.lower(), **_fields_of(mark)} for mark in drawing.words]


def _fields_of(mark: DrawingMark) -> dict[str, Any]:
    defaults = {f.name: f.default for f in fields(mark)}
    given = {n: v for n, v in asdict(mark).items() if defaults[n] is MISSING or v != defaults[n]}
    return {_JSON_NAMES.get(n, n): v for n, v in given.items()}


def _mark(plain: dict[str, Any]) -> DrawingMark:
    kind = _WORDS[plain.pop("word")]
    plain = {_FIELD_NAMES.get(n, n): v for n, v in plain.items()}
    types = {f.name: f.type for f in fields(kind)}
    if any(type(value) is not types[name] for name, value in plain.items()):
        raise ValueError("a word of the drawing that can be read")
    return kind(**plain)
