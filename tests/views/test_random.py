"""Random projections of random models: the states are those of a naive search, and what holds, holds of all states."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, Phase, assume, given, note, settings
from hypothesis import strategies as st
from tests.models.compare import results
from tests.models.generate import models
from tests.models.loading import load

from isrcheck.engines.contract import Limits, Request
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.explore import Explorer
from isrcheck.engines.native import engine as native
from isrcheck.engines.reference import ReferenceStepper, State
from isrcheck.errors import ModelError
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, check_domains, lower
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.views import hides_from
from isrcheck.run.traps import blinded

MOST = Limits(states=400)


def with_view(text: str, chosen: list[str]) -> str:
    parts = "".join(f"self.{name}, " for name in chosen)
    body = f"\n\n    @view\n    def seen_so(self) -> object:\n        return {parts.rstrip()}\n"
    return text.replace("constant, each", "constant, view, each").rstrip() + body


def bound(text: str, folder: Path) -> BoundModel:
    read = read_model(load(text, folder))
    check_domains(read)
    return bind(read, {})


def naive(model: BoundModel, chosen: list[str]) -> list[set[tuple[int, ...]]]:
    """Levels of states, one of each view: the least in the packing of those that its first level finds."""
    stepper = ReferenceStepper(model)
    places = [stepper.names.index(name) for name in chosen]
    levels, known = [{stepper.initial}], {tuple(stepper.initial[p] for p in places)}
    while levels[-1] and sum(map(len, levels)) < 400:
        found: dict[tuple[object, ...], State] = {}
        for state in levels[-1]:
            for _, after in stepper.steps(state):
                key = after and tuple(after[p] for p in places)
                if after is None or key is None or key in known:
                    continue
                rivals = [after, found.get(key, after)]
                found[key] = min(rivals, key=lambda s: stepper.packing.pack(stepper.scalars(s)))
        known |= found.keys()
        levels.append({*found.values()})
    return [{tuple(stepper.scalars(state)) for state in level} for level in levels if level]


def test_random_views_agree() -> None:
    tally = {"models": 0, "hidden": 0, "sound": 0}

    @settings(
        max_examples=25,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate],
    )
    @given(models(), st.data())
    def agree(text: str, data: st.DataObject) -> None:
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            try:
                free = bound(text, Path(one))
                names = list(free.domains)
                chosen = sorted(data.draw(st.sets(st.sampled_from(names), min_size=1)), key=names.index)
                if data.draw(st.integers(0, 2)):  # what may well be sound
                    told = [v.name for v in free.ir.variables if not v.is_history]
                    chosen = told if len(told) < len(names) else names[:-1] or names
                note(with_view(text, chosen))
                model = bound(with_view(text, chosen), Path(two))
                compare(free, model, chosen)
            except ModelError:
                assume(False)

    def compare(free: BoundModel, model: BoundModel, chosen: list[str]) -> None:
        system, kinds = lower(model), {p.name: p.kind for p in model.properties}
        request = Request(properties=tuple(kinds), limits=MOST)
        seen = [Explorer(s, kinds, request) for s in (ReferenceStepper(model), ScalarStepper(system))]
        first, second = (each.run() for each in seen)
        assert results(first) == results(second)
        graph = Explorer(ReferenceStepper(model), {}, Request(limits=MOST))
        whole = graph.run()
        kept = [{tuple(graph.stepper.scalars(state)) for state in level} for level in graph.levels]
        assert kept == naive(free, chosen)[: len(kept)]
        if tally["models"] % 10 == 0:
            assert results(native.explore(system, request)) == results(first)
        tally["models"] += 1
        tally["hidden"] += len(chosen) < len(free.domains)
        if whole.cut or blinded(model, whole) or len(chosen) == len(free.domains):
            return
        everything = Explorer(ReferenceStepper(free), kinds, Request(properties=tuple(kinds), limits=MOST)).run()
        alone = Explorer(ReferenceStepper(model), kinds, Request(properties=tuple(kinds))).run()
        for name in kinds:
            if not everything.cut and not hides_from(model, name):
                tally["sound"] += 1
                assert (name in everything.found) == (name in alone.found), name

    agree()
    assert tally["models"] >= 25
    assert tally["hidden"] >= 10
    assert tally["sound"] >= 3, tally
