"""Why a step cannot be taken: the reference stepper, asked about every instance and not only about those enabled."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import TracebackType
from typing import Any

from isrcheck.engines.reference import ReferenceStepper, State
from isrcheck.errors import ModelError
from isrcheck.ir.codec import Above, Outside, codec
from isrcheck.lang.declare import NotEnabled
from isrcheck.lang.instance import Map, WroteAbove, running, undo
from isrcheck.place import Place, source_lines


@dataclass(frozen=True)
class Guard:
    """The `require` that said no: its condition as it is written, and the first part of it that was false.

    `reached` is the line of the action's own text: a step refused further down has come nearer.
    """

    at: Place
    condition: str
    part: str
    reached: int


@dataclass(frozen=True)
class Bound:
    """The variable whose bound the step would leave: such a step is pruned."""

    variable: str


Answer = State | Guard | Bound | ModelError  # the successor, why there is none, or what is wrong in the model's text


class AskingStepper(ReferenceStepper):
    """The reference, which also says of each instance that is not enabled which guard said no."""

    def answers(self, state: State) -> tuple[Answer, ...]:
        """What comes of every instance in a state, by position."""
        with running(self.model.sizes):
            loaded = self._load(self._own, state)
            return tuple(self._answer(state, loaded, position) for position in range(len(self.instances)))

    def _answer(self, state: State, loaded: dict[str, Any], position: int) -> Answer:
        method, arguments = self._calls[position]
        attributes = self._own.__dict__
        try:
            method(*arguments)
            after = self._successor(state, loaded, attributes, position)
            return self._beyond(attributes) if after is None else after
        except NotEnabled as refusal:
            return _guard(refusal)
        except WroteAbove as error:
            return self._written_above(error, loaded)
        except ModelError as error:
            return error
        except Exception as error:
            return self._blame(error, position)
        finally:
            undo(self._written)
            attributes.update(loaded)

    def _beyond(self, attributes: dict[str, Any]) -> Bound:
        """The first variable that a step has left with a value above its bound."""
        return Bound(next(n for n, d in zip(self.names, self.domains, strict=True) if _is_above(d, attributes[n])))

    def _written_above(self, error: WroteAbove, loaded: dict[str, Any]) -> Bound:
        """The variable with the map that was written under a key above its bound."""
        target = _frames(error.__traceback__)[-1].tb_frame.f_locals["self"]
        values = {**loaded, **{n: self._own.__dict__[n] for n in self.names}}
        return Bound(next(name for name, value in values.items() if any(part is target for part in _maps(value))))


def _is_above(domain: Any, value: Any) -> bool:
    try:
        codec(domain).flatten(value)
    except Above:
        return True
    except (Outside, KeyError):
        return False
    return False


def _maps(value: Any) -> Iterator[Map]:
    """A map with the maps in it."""
    if isinstance(value, Map):
        yield value
        for part in value.values():
            yield from _maps(part)


# The guard's text


def _frames(trace: TracebackType | None) -> list[TracebackType]:
    found = []
    while trace is not None:
        found.append(trace)
        trace = trace.tb_next
    return found


def _guard(refusal: NotEnabled) -> Guard:
    """The guard that raised this: the call of `require` is the frame before the last."""
    frames = _frames(refusal.__traceback__)
    action, caller = frames[1], frames[-2]
    code, frame = caller.tb_frame.f_code, caller.tb_frame
    spans = list(code.co_positions())
    line, _, column, _ = spans[caller.tb_lasti // 2]
    text = _texts(code.co_filename, line or caller.tb_lineno, column or 0)
    if text is None:
        at = Place(code.co_filename, caller.tb_lineno)
        return Guard(at, "a condition whose text cannot be read", "", action.tb_lineno)
    at, condition, parts = text
    names = {**frame.f_globals, **frame.f_locals}
    part = next((said for said, compiled in parts if not eval(compiled, names)), "") if len(parts) > 1 else ""
    return Guard(at, condition, part, action.tb_lineno)


@lru_cache(maxsize=4096)
def _texts(file: str, line: int, column: int) -> tuple[Place, str, tuple[tuple[str, Any], ...]] | None:
    """Where the guard at this place is, its condition, and each part of a conjunction as text and code."""
    call = _calls(file).get((line, column))
    if call is None or not call.args:
        return None
    text = "\n".join(source_lines(file))
    condition = call.args[0]
    parts = condition.values if isinstance(condition, ast.BoolOp) and isinstance(condition.op, ast.And) else [condition]
    compiled = tuple((_source(text, p), compile(ast.Expression(p), file, "eval", dont_inherit=True)) for p in parts)
    last = call.end_col_offset if call.end_lineno == call.lineno and call.end_col_offset is not None else 10_000
    return Place(file, line, column, last), _source(text, condition), compiled


@lru_cache(maxsize=64)
def _calls(file: str) -> dict[tuple[int, int], ast.Call]:
    """The guards of a file, by line and column."""
    nodes = ast.walk(ast.parse("\n".join(source_lines(file))))
    guards = (n for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))
    return {(node.lineno, node.col_offset): node for node in guards}


def _source(text: str, node: ast.expr) -> str:
    """A piece of source on one line."""
    return " ".join((ast.get_source_segment(text, node) or ast.unparse(node)).split())
