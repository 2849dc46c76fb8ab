"""One model text through the reader and both engines: refused, or compared in all that they say."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from traceback import extract_tb
from typing import Any

from tests.models.compare import results
from tools.mutants.difference import first_difference
from tools.random_models.loading import load

from isrcheck.engines.contract import FoundFault, Limits, Request, Searched
from isrcheck.engines.native.engine import search as optimized_native
from isrcheck.engines.native.lanes import TooWide
from isrcheck.engines.reference.engine import search as reference
from isrcheck.engines.registry import engine
from isrcheck.errors import Disagreement, IsrcheckError
from isrcheck.ir.check.expressions import ExpressionChecker, Locals
from isrcheck.ir.check.statements import StatementChecker
from isrcheck.ir.domains import Domain
from isrcheck.ir.nodes import Comprehension, Gathering
from isrcheck.lang.declare import Model
from isrcheck.lang.read import read_model
from isrcheck.passes import BoundModel, bind, check_domains, lower
from isrcheck.run.replay import replay, replay_fault

STATES = 400  # a level beyond this ends a run; both engines stop at the end of a level
LIMITS = Limits(states=STATES)
AFTER_READING = "after_reading"  # a function of the text that is called once its model was read


@dataclass(frozen=True, slots=True)
class Trial:
    """How it ended, and what both engines said, if they did.

    It is refused, agreed, disagreed, too large, or unordered: an error that one engine meets and the other does not, in
    a model that asks any() or all() of a set, which CPython looks through in no defined order (docs/limits.md).
    """

    ended: str
    digest: str | None = None
    verdicts: Mapping[str, bool] | None = None  # what is decided, by property; None after an error in the model
    report: str = ""


def decide(source: str, constants: Mapping[str, Any], folder: Path, optimize: bool = False) -> Trial:
    """Both engines on a text; `optimize` compiles as users do, which takes eight times as long."""
    try:
        cls = load(source, folder)
    except BaseException as error:
        return Trial("refused", report=f"the file does not import: {error!r}")
    try:
        _accept(cls, constants)
        getattr(sys.modules[cls.__module__], AFTER_READING, lambda: None)()
        model = _accept(cls, constants)  # as whoever asks again
    except BaseException as error:
        if not isinstance(error, IsrcheckError) and not _is_of(folder, error):
            raise
        return Trial("refused", report=str(error))
    return _compare(model, optimized_native if optimize else _hasty_native)


def _accept(cls: type[Model], constants: Mapping[str, Any]) -> BoundModel:
    """A model that the reader and the passes take. Raises ModelError or UsageError."""
    read = read_model(cls)
    check_domains(read)
    model = bind(read, constants)
    lower(model)
    return model


def _is_of(folder: Path, error: BaseException) -> bool:
    """Whether an error was raised by the text itself, in what Python let it hook."""
    frames = [frame.filename for frame in extract_tb(error.__traceback__)]
    return bool(frames) and frames[-1].startswith(str(folder))


def _hasty_native(model: BoundModel, request: Request) -> Searched:
    system = lower(model)
    return engine("native").prepare(system, request.properties, hasty=True).search(request)


def _compare(model: BoundModel, native: Callable[[BoundModel, Request], Searched]) -> Trial:
    """First everything asked at once; the whole graph alone where that ended early, or in an error."""
    names = tuple(p.name for p in model.properties)
    asked = _both(model, native, Request(properties=names, deadlock=True, limits=LIMITS))
    if isinstance(asked, Trial):
        return asked
    graph = asked if asked is not None and asked.complete else _both(model, native, Request(limits=LIMITS))
    if isinstance(graph, Trial):
        return graph
    digest = None if graph is None else graph.digest
    return Trial("agreed", digest, None if asked is None else _verdicts(asked, names))


def _both(
    model: BoundModel, native: Callable[[BoundModel, Request], Searched], request: Request
) -> Searched | Trial | None:
    """Return what both say of a request: None if it is an error in the model, a Trial if they disagree."""
    one, two = (_answer(model, search, request) for search in (reference, native))
    if two == TooWide.__name__:
        return Trial("refused", report="the native engine computes in 64 bits, and says so")
    if isinstance(one, str) or isinstance(two, str):
        same = one == two
    else:
        same = results(one) == results(two)
    if not same and _is_error_of_one(one, two) and _asks_a_set(model):
        return Trial("unordered")
    if not same:
        said = [each if isinstance(each, str) else str(results(each)) for each in (one, two)]
        lines = [f"asked: {request}", f"reference: {said[0]}", f"native:    {said[1]}", first_difference(model)]
        return Trial("disagreed", report="\n".join(lines))
    return None if isinstance(one, str) else one


def _is_error_of_one(one: Searched | str, two: Searched | str) -> bool:
    """Whether one engine meets an error of the model that the other does not meet there."""
    return isinstance(one, str) != isinstance(two, str) or "has no value after" in str(two)


def _asks_a_set(model: BoundModel) -> bool:
    """Whether some any() or all() of a model runs over a set that is no sort or enumeration."""
    unordered: list[bool] = []

    class Looking(ExpressionChecker):
        def comprehension(self, node: Comprehension, scope: Locals) -> Domain | None:
            if node.gathering in (Gathering.ALL, Gathering.ANY):
                inner = dict(scope)
                for clause in node.clauses:
                    inner[clause.target], ordered = self.source(clause.source, inner)
                    unordered.append(not ordered)
            return super().comprehension(node, scope)

    checker = StatementChecker(model.ir)
    checker.expressions = Looking(model.ir)
    for method in (*model.ir.helpers.values(), *model.ir.actions, *model.ir.properties):
        checker.method(method)
    return any(unordered)


def _answer(model: BoundModel, search: Callable[[BoundModel, Request], Searched], request: Request) -> Searched | str:
    """Return what an engine says, its traces replayed, or the kind of error where the text goes wrong."""
    try:
        result = search(model, request)
        if search is not reference:
            for name, path in result.paths.items():
                replay(model, name, path, model.ir.name, "native")
    except FoundFault as fault:
        return _kind(replay_fault(model, fault, "native"))
    except IsrcheckError as error:
        return _kind(error)
    return result


def _kind(error: IsrcheckError) -> str:
    return str(error) if isinstance(error, Disagreement) else type(error).__name__


def _verdicts(result: Searched, names: tuple[str, ...]) -> dict[str, bool]:
    """Whether each property, or a deadlock, was found; those not decided are left out."""
    asked = (*names, "deadlock")
    return {name: name in result.paths for name in asked if result.complete or name in result.paths}
