"""One side of a difference, in a process of its own: models as they were, or as they are, never both."""

import inspect
import json
from pathlib import Path
from typing import Any

from isrcheck.catalogue import find_model
from isrcheck.compare.cells import gate_cell, report_of
from isrcheck.engines.common.growth import run_with_growth
from isrcheck.engines.contract import FoundFault, Limits
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.explore import mark_back
from isrcheck.engines.registry import ReachableStates, engine
from isrcheck.errors import AssumptionFalse, ModelError, UsageError
from isrcheck.evidence.report.entry import Failed, ReportedRun, sentence_of
from isrcheck.evidence.report.facts import facts_of
from isrcheck.gate.cells import GateCell
from isrcheck.gate.worker import result_of
from isrcheck.grid.cells import GridCell
from isrcheck.ir import property_kinds as kinds
from isrcheck.ir.domains import describe
from isrcheck.ir.frozen import replace, tree_of
from isrcheck.ir.pack import pack_scalars
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.lang.declare import Model
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, check_domains, lower
from isrcheck.passes.bind import BoundModel
from isrcheck.run.replay import replay_fault, retrace
from isrcheck.version import __version__

Answer = dict[str, Any]


def main(task: dict[str, Any]) -> None:
    Path(task["answer"]).write_text(json.dumps(list(map(answer, task["runs"]))), encoding="utf-8")


def answer(run: dict[str, Any]) -> Answer:
    """Answer for one model: `run`, its facts, `variables` and `states`; or `absent`, a sentence."""
    try:
        cls, inside = find_model(run["load"]), run.get("inside")
        if inside and not Path(inspect.getfile(cls)).resolve().is_relative_to(inside):
            raise UsageError(f"{cls.__name__} is not in the repository at that revision.")  # but installed
    except UsageError as error:
        return {"absent": str(error)}
    except ModelError as error:
        return {"run": _facts(Failed(run["model"], {}, 75, sentence_of(error)))}
    limits = Limits(**run["limits"])
    cell = _cell_of(run, cls, limits)
    if isinstance(cell, Failed):
        return {"run": _facts(cell)}
    report = report_of(cell, result_of(cell))
    if isinstance(report, Failed):
        return {"run": _facts(report)}
    bound = bind(read_model(cls), cell.constants)
    return {"run": _facts(report), "variables": _variables(bound), **_states(bound, run, limits)}


def _cell_of(run: dict[str, Any], cls: type[Model], limits: Limits) -> GateCell | Failed:
    try:
        ir = read_model(cls)
        check_domains(ir)
        constants = {n: v for n, v in run["constants"].items() if n in ir.constant_names}
        bound = bind(ir, constants)
    except (ModelError, AssumptionFalse, UsageError) as error:
        return Failed(run["model"], run["constants"], error.exit_code, sentence_of(error))
    asked = [p.name for p in bound.properties if not run["properties"] or p.name in run["properties"]]
    return gate_cell(GridCell("", run["load"], constants, tuple(asked), limits))


def _facts(report: ReportedRun) -> dict[str, Any]:
    run: dict[str, Any] = facts_of([report], __version__, "")["runs"][0]
    return run


def _variables(bound: BoundModel) -> dict[str, str]:
    """Everything that packing depends on, by variable: packed states mean the same only if these are the same."""
    shapes = {name: tree_of(domain, ["make"]) for name, domain in bound.domains.items()}
    return {name: f"{describe(domain)} {shapes[name]!r}" for name, domain in bound.domains.items()}


def _states(bound: BoundModel, run: dict[str, Any], limits: Limits) -> Answer:
    """Keeps old states, tells new ones."""
    try:
        reached = run_with_growth(bound, lambda: engine("native").states(lower(bound), limits))
    except FoundFault as fault:
        return {"unknown": sentence_of(replay_fault(bound, fault, "native"))}
    if reached.cut:
        return {"unknown": f"the search for all states ended {reached.cut}"}
    system = lower(bound)
    states, size = sum(map(len, reached.levels)), pack_scalars(system.scalars).words * 8
    file = Path(run["states"])
    if run.get("inside"):
        file.write_bytes(b"".join(state for level in reached.levels for state in level))
        return {"states": states, "state_bytes": size}
    before = run["before"]
    if before is None or _variables(bound) != before["variables"] or before["state_bytes"] != size:
        return {"states": states}
    content = file.read_bytes()
    old = frozenset(content[at : at + size] for at in range(0, len(content), size))
    news = [level - old for level in reached.levels]
    count = sum(map(len, news))
    if count:
        Path(run["trace"]).write_text(_way(bound, system, reached, news, run["model"]), encoding="utf-8")
    return {"states": states, "news": count, "gone": len(old) - (states - count)}


def _way(
    bound: BoundModel, system: ScalarSystem, reached: ReachableStates, news: list[frozenset[bytes]], name: str
) -> str:
    layout = pack_scalars(system.scalars)
    level = next(number for number, states in enumerate(news) if states)

    def unpack(states: frozenset[bytes]) -> set[tuple[int, ...]]:
        return {layout.unpack([int.from_bytes(s[at : at + 8], "little") for at in range(0, len(s), 8)]) for s in states}

    way = mark_back(ScalarStepper(system), [unpack(s) for s in reached.levels[:level]], unpack(news[level]))
    trace = retrace(bound, way.first(), name, "native")
    sentence = "A state that could not be reached before."
    return replace(trace, name="new_state", kind=kinds.REACHABLE, sentence=sentence).to_json()
