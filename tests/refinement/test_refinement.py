"""What a refinement says, in every engine and on both levels, against a naive check of all steps."""

import tempfile
from pathlib import Path
from typing import Annotated

import pytest
from hypothesis import HealthCheck, assume, given, note, settings
from tests.models.compare import results
from tools.random_models.author import models
from tools.random_models.loading import load

import isrcheck
from isrcheck import Limits, Model, Outcome, UpTo, Verdict, action, constant, refines, require
from isrcheck.engines.contract import Request
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.explore import Explorer
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import ModelError, UsageError
from isrcheck.evidence.outcome_document import trace_document
from isrcheck.evidence.writers.terminal import plain_text
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, check_domains, lower
from isrcheck.run.trace import trace_of
from isrmodel.published.replicated_log import (
    ConsumedKip101,
    ConsumedKip320,
    ConsumedKip320UnfencedHighWatermark,
    ConsumedKip320WithoutEpochStart,
    ConsumedTruncateToHighWatermark,
)


class Counter(Model):
    most: int = constant(3, "the largest number")
    n: Annotated[int, UpTo("most")] = 0

    @action
    def up(self) -> None:
        self.n += 1

    @action
    def reset(self) -> None:
        require(self.n == self.most)
        self.n = 0


class Halves(Model):
    """Counts halves: every other step is none of the counter."""

    most: int = constant(3, "the largest number of the counter")
    halves: Annotated[int, UpTo("2 * most + 1")] = 0

    @action
    def step(self) -> None:
        require(self.halves < 2 * self.most + 1)
        self.halves += 1

    @action
    def reset(self) -> None:
        require(self.halves // 2 == self.most)
        self.halves = 0

    @refines(Counter)
    def counts(self, abstract: Counter) -> None:
        """Whole numbers are those of the counter."""
        whole: int = self.halves // 2
        abstract.n = whole


class Jumps(Model):
    """Goes on by two, which the counter cannot."""

    most: int = constant(3, "the largest number of the counter")
    n: Annotated[int, UpTo("most")] = 0

    @action
    def one(self) -> None:
        self.n += 1

    @action
    def two(self) -> None:
        require(self.n == 1)
        self.n += 2

    @refines(Counter)
    def counts(self, abstract: Counter) -> None:
        """By name."""


class Wide(Model):
    """Beyond what the counter can hold."""

    most: int = constant(2, "the largest number of the counter")
    n: Annotated[int, UpTo("most + 1")] = 0

    @action
    def up(self) -> None:
        self.n += 1

    @refines(Counter)
    def counts(self, abstract: Counter) -> None:
        """By name."""


class Late(Model):
    """Begins elsewhere."""

    most: int = constant(2, "the largest number of the counter")
    n: Annotated[int, UpTo("most")] = 1

    @action
    def up(self) -> None:
        self.n += 1

    @refines(Counter)
    def counts(self, abstract: Counter) -> None:
        """By name."""


class Still(Model):
    """Begins elsewhere and stays there."""

    most: int = constant(2, "the largest number of the counter")
    n: Annotated[int, UpTo("most")] = 1

    @action
    def up(self) -> None:
        require(self.n > self.most)
        self.n += 1

    @refines(Counter)
    def counts(self, abstract: Counter) -> None:
        """By name."""


class Pair(Model):
    """One number at a time."""

    a: Annotated[int, UpTo(2)] = 0
    b: Annotated[int, UpTo(2)] = 0

    @action
    def first(self) -> None:
        self.a += 1

    @action
    def second(self) -> None:
        self.b += 1


class Both(Model):
    """Both at once."""

    n: Annotated[int, UpTo(2)] = 0

    @action
    def up(self) -> None:
        self.n += 1

    @refines(Pair)
    def pairs(self, abstract: Pair) -> None:
        abstract.a = self.n
        abstract.b = self.n


class Short(Model):
    """A sequence."""

    some: Annotated[tuple[bool, ...], UpTo(1)] = ()

    @action
    def more(self) -> None:
        self.some += (True,)


class Long(Model):
    """A longer one, whose end the other has no place for."""

    some: Annotated[tuple[bool, ...], UpTo(2)] = ()

    @action
    def more(self) -> None:
        self.some += (True,)

    @refines(Short)
    def grows(self, abstract: Short) -> None:
        """By name."""


class Leap(Model):
    """Leaves 0, and never comes back."""

    far: Annotated[int, UpTo(9)] = 0

    @action
    def turn(self) -> None:
        require(self.far <= 3)
        self.far = 5 - self.far


class Flip(Model):
    """Has one bit in place of the abstract number."""

    bit: Annotated[int, UpTo(1)] = 0

    @action
    def flip(self) -> None:
        self.bit = 1 - self.bit

    @refines(Leap)
    def leaps(self, abstract: Leap) -> None:
        abstract.far = 5 * self.bit


TWO_PHASE = f"{Path(__file__).parents[2]}/examples/two_phase.py:TwoPhase"
HASTY = TWO_PHASE.replace("TwoPhase", "Hasty")
ENGINES = ("reference", "evaluator", "native")


def found(
    cls: type[Model] | str, name: str, engine: str = "native", **constants: int
) -> tuple[Verdict, int | None, Outcome]:
    outcome = isrcheck.check(cls, engine=engine, properties=(name,), constants=constants)
    seen = outcome.property(name)
    return seen.verdict, seen.trace.length if seen.trace else None, outcome


@pytest.mark.parametrize("engine", ENGINES)
def test_two_phase_commit_refines_transaction_commit(engine: str) -> None:
    """The counts are TLC's."""
    verdict, length, outcome = found(TWO_PHASE, "commits", engine)
    assert (verdict, length) == (Verdict.HOLDS, None)
    assert (outcome.distinct, outcome.generated, outcome.depth) == (288, 1146, 11)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_hasty_manager_commits_where_nobody_may(engine: str) -> None:
    verdict, length, outcome = found(HASTY, "commits", engine)
    assert (verdict, length, outcome.exit) == (Verdict.VIOLATED, 5, 13)
    trace = outcome.property("commits").trace
    assert trace is not None
    levels = [step.abstract for step in trace.steps]
    assert [level["taken"] for level in levels] == [
        "",
        "prepare(rm=r0)",
        "nothing changes",
        "nothing changes",
        "no step leads there",
    ]
    assert {level["model"] for level in levels} == {"TransactionCommit"}
    assert levels[-1]["state"] == {"state": {"map": [["r0", "committed"], ["r1", "working"], ["r2", "working"]]}}
    text = plain_text(trace_document(trace))
    assert "TransactionCommit: no step leads there" in text
    assert "TransactionCommit: state[r0]: prepared → committed" in text


def test_a_trace_keeps_both_levels(tmp_path: Path) -> None:
    import json

    trace = found(HASTY, "commits")[2].property("commits").trace
    assert trace is not None
    assert trace_of(json.loads(trace.to_json())) == trace


def test_the_symbolic_engine_finds_the_same() -> None:
    outcome = isrcheck.check(HASTY, engine="symbolic", properties=("commits",), limits=Limits(depth=6), rms=2)
    trace = outcome.property("commits").trace
    assert trace is not None
    assert trace.length == 5


def test_symmetry_keeps_a_refinement() -> None:
    assert (
        isrcheck.check(TWO_PHASE, properties=("commits",), symmetry=True).property("commits").verdict is Verdict.HOLDS
    )


NAME = "is_a_replicated_log"


def at(*sizes: int) -> dict[str, int]:
    return dict(zip(("replicas", "log_size", "max_records", "max_leader_epoch"), sizes, strict=True))


def test_kip_320_refines_a_log_that_only_grows() -> None:
    verdict, _, outcome = found(ConsumedKip320, NAME, "native", **at(2, 1, 2, 2))
    assert (verdict, outcome.distinct) == (Verdict.HOLDS, 4697)
    outcome = isrcheck.check(ConsumedKip320, properties=(NAME,), symmetry=True, constants=at(3, 1, 2, 2))
    assert (outcome.property(NAME).verdict, outcome.distinct) == (Verdict.HOLDS, 60_891)


@pytest.mark.parametrize(
    ("cls", "sizes", "length"),
    [
        (ConsumedTruncateToHighWatermark, (2, 1, 2, 2), 17),
        (ConsumedKip101, (3, 1, 2, 2), 20),
        (ConsumedKip320WithoutEpochStart, (3, 1, 2, 2), 20),
        (ConsumedKip320UnfencedHighWatermark, (3, 1, 2, 3), 20),
    ],
)
def test_designs_that_lose_data_do_not(cls: type[Model], sizes: tuple[int, ...], length: int) -> None:
    """Consumers read two records at one offset."""
    outcome = isrcheck.check(cls, properties=(NAME,), symmetry=True, constants=at(*sizes))
    seen = outcome.property(NAME)
    assert (seen.verdict, outcome.exit) == (Verdict.VIOLATED, 13)
    assert seen.trace is not None
    assert (seen.trace.length, seen.trace.steps[-1].action) == (length, "consumer_reads")
    assert seen.trace.steps[-1].abstract["taken"] == "no step leads there"
    assert {step.abstract["model"] for step in seen.trace.steps} == {"ReplicatedLog"}


@pytest.mark.parametrize("engine", ENGINES)
def test_steps_may_be_none_there(engine: str) -> None:
    assert found(Halves, "counts", engine)[:2] == (Verdict.HOLDS, None)
    assert found(Halves, "counts", engine, most=5)[:2] == (Verdict.HOLDS, None)  # the constant is the counter's too


@pytest.mark.parametrize("engine", ENGINES)
def test_a_step_that_the_abstract_model_lacks_is_a_violation(engine: str) -> None:
    verdict, length, outcome = found(Jumps, "counts", engine)
    assert (verdict, length) == (Verdict.VIOLATED, 3)
    trace = outcome.property("counts").trace
    assert trace is not None
    assert [step.action for step in trace.steps] == ["", "one", "two"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("cls", "said"),
    [
        (Wide, r"^n is outside its domain in Counter"),
        (Long, r"^some is outside its domain in Short"),
        (Late, r"^an initial state of Late is not one of Counter under counts\(\)\.$"),
        (Still, r"^an initial state of Still is not one of Counter under counts\(\)\.$"),
    ],
)
def test_a_mapping_that_leaves_the_abstract_states_is_an_error(cls: type[Model], said: str, engine: str) -> None:
    with pytest.raises(ModelError) as error:
        isrcheck.check(cls, engine=engine)
    import re

    assert re.match(said, error.value.sentence)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_abstract_variable_is_as_wide_as_it_says(engine: str) -> None:
    assert found(Flip, "leaps", engine)[:2] == (Verdict.VIOLATED, 3)


@pytest.mark.parametrize("engine", ENGINES)
def test_two_variables_change_together(engine: str) -> None:
    assert found(Both, "pairs", engine)[:2] == (Verdict.VIOLATED, 2)


def test_a_symbolic_constant_of_both_is_refused() -> None:
    with pytest.raises(UsageError, match=r"^counts is asked for one value of most at a time, not for 1\.\.3: leave"):
        isrcheck.check(Jumps, engine="symbolic", limits=Limits(depth=3), most="1..3")


MOST_STATES = 300
OTHER = '''class Other(Base):
    """Decides otherwise."""

    def decide(self) -> bool:
        return {answer}


'''
REFINES = '''

    @refines(Other)
    def like_another(self, abstract: Other) -> None:
        """Each variable by its name."""
'''


def beside(text: str, answer: bool) -> str:
    """The model, refining one that always answers this."""
    other = OTHER.format(answer=answer)
    lines = text.replace("constant, each", "constant, refines, each").replace("class Chosen(", f"{other}class Chosen(")
    return f"{lines.rstrip()}{REFINES}"


def test_random_refinements_agree() -> None:
    verdicts: list[bool] = []

    @settings(max_examples=40, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(models())
    def agree(text: str) -> None:
        note(text)
        assume("def decide(self) -> bool" in text)
        with tempfile.TemporaryDirectory() as folder:
            try:
                read = read_model(load(beside(text, len(verdicts) % 2 == 0), Path(folder)))
                check_domains(read)
                model = bind(read, {})
                steppers = ReferenceStepper(model), ScalarStepper(lower(model))
                kinds = {p.name: p.kind for p in model.properties}
                request = Request(properties=("like_another",), limits=Limits(states=MOST_STATES))
                one = Explorer(steppers[0], kinds, request).run()
            except ModelError:
                assume(False)
            assert results(one) == results(Explorer(steppers[1], kinds, request).run())
            verdicts.append("like_another" in one.paths)

    agree()
    assert sum(verdicts) >= 3
    assert verdicts.count(False) >= 3
