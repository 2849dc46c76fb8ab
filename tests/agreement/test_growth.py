"""A search that needs more slots begins again, and what it had found is not lost; the next run begins with them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import pytest
from tests.agreement.test_slots import slots_of
from tests.fixtures.command_line import as_process

from isrcheck import Model, Outcome, UpTo, Verdict, action, check, constant, invariant, require
from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.native import engine as native
from isrcheck.engines.registry import engine as engine_named
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrcheck.passes.bind import BoundModel
from isrcheck.process.budget import OutOfBudget

ENGINES = ("evaluator", "native")
Number = Annotated[int, UpTo("numbers")]


class Collector(Model):
    """Twelve of many numbers are collected, more than there are slots to begin with, while a clock ticks."""

    numbers: int = constant(2000, "numbers")
    most: int = constant(12, "collected at once")

    collected: frozenset[Number] = frozenset()
    ticks: Annotated[int, UpTo(15)] = 0

    @action
    def tick(self) -> None:
        require(self.ticks < 15)
        self.ticks += 1

    @action
    def collect(self, number: Number) -> None:
        require(number == len(self.collected) and number < self.most)
        self.collected |= {number}

    @invariant
    def fewer_than_three(self) -> bool:
        return len(self.collected) < 3

    @invariant
    def fewer_than_twenty(self) -> bool:
        return len(self.collected) < 20


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def lowerings(monkeypatch: pytest.MonkeyPatch) -> list[BoundModel]:
    """Each time that a system is made."""
    made: list[BoundModel] = []

    def counting(original: Callable[..., Any]) -> Callable[..., Any]:
        def counted(model: BoundModel, *asked: Any) -> Any:
            made.append(model)
            if len(made) == ends_at:
                raise OutOfBudget("after 1 second, while lowering")
            return original(model, *asked)

        return counted

    monkeypatch.setattr(native, "WORTH_KEEPING", float("inf"))
    monkeypatch.setattr("isrcheck.engines.native.engine.lower", counting(lower))
    monkeypatch.setattr("isrcheck.engines.evaluator.lower", counting(lower))
    return made


ends_at = 0


@pytest.fixture
def out_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.ends_at", 2)


def verdicts(outcome: Outcome) -> dict[str, Verdict]:
    return {p.name: p.verdict for p in outcome.properties}


@pytest.mark.parametrize("name", ENGINES)
def test_a_violation_found_before_slots_grew_is_not_lost(
    name: str, lowerings: list[BoundModel], out_of_time: None
) -> None:
    outcome = check(Collector, engine=name)
    assert len(lowerings) == 2
    assert verdicts(outcome) == {"fewer_than_three": Verdict.VIOLATED, "fewer_than_twenty": Verdict.UNDETERMINED}
    assert outcome.properties[0].trace is not None
    assert outcome.properties[0].trace.length == 4
    assert (outcome.cut, outcome.exit) == ("after 1 second, while lowering", 12)


@pytest.mark.parametrize("name", ENGINES)
def test_only_levels_whose_every_state_had_room_are_known(
    name: str, lowerings: list[BoundModel], out_of_time: None
) -> None:
    outcome = check(Collector, engine=name)
    assert isinstance(outcome.searched, Searched)
    assert (outcome.searched.depth, outcome.searched.levels, outcome.digest) == (9, tuple(range(1, 10)), None)


@pytest.mark.parametrize("name", ENGINES)
def test_the_next_run_begins_with_the_slots(name: str, lowerings: list[BoundModel]) -> None:
    def run() -> tuple[str | None, int]:
        del lowerings[:]
        seen = engine_named(name).search(bind(read_model(Collector), {}), Request())
        return seen.digest, len(lowerings)

    (first, began_again), (second, at_once) = run(), run()
    assert (first, began_again, at_once) == (second, 2, 1)


def test_a_model_that_grew_does_not_grow_again() -> None:
    model = bind(read_model(Collector), {})
    for _ in range(3):
        engine_named("evaluator").search(model, Request())
        assert slots_of(model) == {"collected": 16}


@pytest.mark.slow
def test_other_constants_are_remembered_apart(lowerings: list[BoundModel]) -> None:
    for most, wanted in ((12, 2), (11, 2), (3, 1), (12, 1), (3, 1)):
        del lowerings[:]
        engine_named("evaluator").search(bind(read_model(Collector), {"most": most}), Request())
        assert len(lowerings) == wanted


COMMON = """
from typing import Annotated

from isrcheck import Model, UpTo, action, require

Number = Annotated[int, UpTo(2000)]


class Common(Model):
    collected: frozenset[Number] = frozenset()

    @action
    def collect(self, number: Number) -> None:
        require(number == len(self.collected) and number < MOST)
        self.collected |= {number}
"""


@pytest.mark.slow
def test_slots_of_another_text_are_not_remembered(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.py").write_text("from common import Common\n\n\nclass Own(Common):\n    pass\n")

    def digest(most: int, place: str) -> str:
        (tmp_path / "common.py").write_text(COMMON.replace("MOST", str(most)))
        monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path / place))
        done = as_process("check", "own.py:Own", "--json", "-", cwd=tmp_path)
        return str(json.loads(done.stdout)["states"]["digest"])

    assert digest(12, "kept") != digest(2, "kept") == digest(2, "new")


@pytest.mark.parametrize("content", [b'{"collected": 99, "other": 3}', b"{}"])
def test_what_is_remembered_is_a_hint(content: bytes, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = bind(read_model(Collector), {})
    wanted = engine_named("evaluator").search(model, Request()).distinct
    monkeypatch.setattr("isrcheck.user_cache.CacheFolder.get", lambda *_: content)
    assert engine_named("evaluator").search(bind(read_model(Collector), {}), Request()).distinct == wanted == 13 * 16
