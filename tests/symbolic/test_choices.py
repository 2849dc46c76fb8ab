"""Symbolic constants: for small ranges, what z3 says of all choices is what explicit search says of each."""

import json
import textwrap
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tools.random_models.loading import HEADER, load

from isrcheck.api import check
from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Limits
from isrcheck.errors import AssumptionFalse, ModelError, UsageError
from isrcheck.evidence.outcome_document import outcome_document
from isrcheck.evidence.writers.terminal import plain_text
from isrcheck.ir.property_kinds import Verdict
from isrcheck.lang.read import read_model
from isrcheck.passes.symbolic import symbolic_constants
from isrcheck.run.outcome import Outcome

CASES: dict[str, tuple[str, dict[str, Any], tuple[str, ...], int]] = {
    "evicted": (
        "isr-kafka-4485-v1",
        {"max_records": 1, "lag_time_max": "1..2", "expiration_period": "1..2", "pace": "every-tick,free"},
        ("keep_up_stays", "no_bad_expand", "something_commits"),
        6,
    ),
    "records": (
        "isr-kip-16-text",
        {"max_records": "0..2", "prose_condition": "false,true"},
        ("reading_to_end_stays", "joins_at_log_end", "somebody_returns"),
        6,
    ),
    "replicas": (
        "isr-kafka-4485-v1",
        {"replicas": "2..3", "max_records": 1, "lag_time_max": "1..2", "min_isr": "1..3", "pace": "every-tick"},
        ("keep_up_stays", "hw_never_decreases"),
        6,
    ),
    "published": (
        "truncate-to-high-watermark",
        {"log_size": 1, "max_records": "1..2", "max_leader_epoch": 1},
        ("log_matching", "weak_isr"),
        9,
    ),
}


@cache
def one_by_one(name: str) -> dict[str, dict[tuple[Any, ...], int]]:
    """The length of the shortest trace, by property and by choice, from a run of its own for each choice."""
    model, given, properties, depth = CASES[name]
    ranges = symbolic_constants(read_model(find_model(model)), given)
    found: dict[str, dict[tuple[Any, ...], int]] = {p: {} for p in properties}
    for positions in product(*(range(choice.size) for choice in ranges.values())):
        values = {n: choice.value(p) for (n, choice), p in zip(ranges.items(), positions, strict=True)}
        try:
            outcome = check(model, engine="evaluator", limits=Limits(depth=depth), constants={**given, **values})
        except AssumptionFalse:
            continue
        for property_ in outcome.properties:
            if property_.name in found and property_.trace:
                found[property_.name][positions] = property_.trace.length
    return found


def symbolic(name: str, **options: Any) -> Outcome:
    model, given, properties, depth = CASES[name]
    return check(
        model, engine="symbolic", limits=Limits(depth=depth), properties=properties, constants=given, **options
    )


@pytest.mark.parametrize("name", CASES)
def test_all_choices(name: str) -> None:
    expected = one_by_one(name)
    assert any(expected.values())
    outcome = symbolic(name, all_choices=True)
    assert outcome.choices is not None
    for found in outcome.choices.properties:
        assert {c.rank: c.length for c in found.choices} == expected[found.name], found.name
        assert [(c.length, c.rank) for c in found.choices] == sorted((c.length, c.rank) for c in found.choices)


@pytest.mark.parametrize("name", CASES)
def test_the_smallest_choice(name: str) -> None:
    expected = one_by_one(name)
    outcome = symbolic(name)
    assert outcome.choices is not None
    for found in outcome.choices.properties:
        smallest = min(((length, rank) for rank, length in expected[found.name].items()), default=None)
        assert (smallest is None) == (not found.choices)
        decided = outcome.property(found.name)
        if smallest is None:
            assert decided.verdict is Verdict.UNDETERMINED
        else:
            assert (found.choices[0].length, found.choices[0].rank) == smallest
            if found.kind.is_violation:
                assert decided.verdict is Verdict.VIOLATED
                assert decided.trace is not None
                assert decided.trace.constants.items() >= found.choices[0].constants.items()


def test_a_claim_holds_only_if_every_choice_meets_it() -> None:
    given = {"max_records": "0..1", "lag_time_max": 1}
    options: dict[str, Any] = {"engine": "symbolic", "properties": ["something_commits"]}
    some = check("isr-kafka-4485-v2", limits=Limits(depth=3), constants={**given, "lag_time_max": "1..2"}, **options)
    assert some.properties[0].verdict is Verdict.UNDETERMINED
    every = check("isr-kafka-4485-v2", limits=Limits(depth=6), constants=given, **options)
    assert every.properties[0].verdict is Verdict.HOLDS  # it does not apply to max_records=0


def test_no_choice_violates() -> None:
    given = {"max_records": 1, "lag_time_max": "1..3"}
    options: dict[str, Any] = {"engine": "symbolic", "limits": Limits(depth=5), "properties": ["hw_never_decreases"]}
    outcome = check("isr-kafka-4485-v2", constants=given, **options)
    assert (outcome.verdict, outcome.exit) == (Verdict.UNDETERMINED, 20)
    assert "hw_never_decreases: no choice of lag_time_max=1..3 violates it within 4 steps." in shown(outcome)
    assert outcome.constants["lag_time_max"] == "1..3"
    assert "-c lag_time_max=1..3" in outcome.command


def shown(outcome: Outcome) -> str:
    return plain_text(outcome_document(outcome), 300)


def test_what_is_shown() -> None:
    text = shown(symbolic("evicted", all_choices=True))
    ranges = "lag_time_max=1..2, expiration_period=1..2, pace=free,every-tick"
    assert (
        f"keep_up_stays: 1 choice of {ranges} violates it within 5 steps, "
        "the smallest lag_time_max=1, expiration_period=1, pace=every-tick in 5 states." in text
    )
    assert f"something_commits: every choice of {ranges} meets it within 5 steps" in text
    rows = [line.split() for line in text.splitlines() if line.split()[-1:] == ["5"]]
    assert ["1", "1", "every-tick", "5", "5"] in rows
    assert "The search ended after 6 levels; what is longer was not looked at." in text


def test_json() -> None:
    found = json.loads(symbolic("evicted").to_json())
    assert found["states"]["distinct"] is None
    assert found["choices"]["ranges"] == {
        "lag_time_max": "1..2",
        "expiration_period": "1..2",
        "pace": "free,every-tick",
    }
    first = found["choices"]["properties"][0]
    assert (first["name"], first["every"]) == ("keep_up_stays", False)
    chosen = {"lag_time_max": 1, "expiration_period": 1, "pace": "every-tick"}
    assert first["found"] == [{"constants": chosen, "rank": [0, 0, 1], "length": 5}]


# Faults in the model's text

CARELESS = '''
class Careless(Model):
    """Reads an element that is not there, with a large limit only."""

    limit: int = constant(1, "how far it counts")
    count: Annotated[int, UpTo("limit")] = 0
    shelf: Annotated[tuple[Annotated[int, UpTo(3)], ...], UpTo(3)] = (1, 2, 3)

    @action
    def take(self) -> None:
        require(self.shelf[self.count] > 0)
        self.count += 1

    @invariant
    def low(self) -> bool:
        return self.count < 9
'''


def test_a_fault_with_some_choice(tmp_path: Path) -> None:
    careless = load(HEADER + textwrap.dedent(CARELESS), tmp_path)
    assert check(careless, engine="symbolic", limits=Limits(depth=9), limit=2).exit == 20
    with pytest.raises(ModelError) as explicit:
        check(careless, engine="reference", limit=3)
    for given in (3, "1..5"):
        with pytest.raises(ModelError) as symbolic_:
            check(careless, engine="symbolic", limits=Limits(depth=9), limit=given)
        assert symbolic_.value.place == explicit.value.place
    assert check(careless, engine="symbolic", limits=Limits(depth=3), limit=3).exit == 20  # it goes wrong a step later


# What is refused


@pytest.mark.parametrize(
    ("constants", "sentence"),
    [
        ({"lag_time_max": "3..1"}, "the range 3..1 of the constant lag_time_max is empty: write the lower end first."),
        ({"lag_time_max": "1.."}, "the range 1.. of the constant lag_time_max has no upper end: give it one"),
        ({"replicas": "2.."}, "the range 2.. of the constant replicas has no upper end: give it one"),
        ({"replicas": "1..3"}, r"the constant replicas \(.*\) is 2 or more, not 1."),
        ({"pace": "free,soon"}, "the constant pace is one of free, every-tick, always-fetching, not 'soon'."),
        ({"min_isr": "one..two"}, "the constant min_isr is a whole number, not 'one..two'."),
        ({"replica.lag.time.max.ms": "1..8"}, "the setting replica.lag.time.max.ms is a whole number above 0"),
    ],
)
def test_refused(constants: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=f"^{sentence}"):
        check(
            "isr-kafka-4485-v2",
            engine="symbolic",
            limits=Limits(depth=3),
            constants={"lag_time_max": "1..2", **constants},
        )


def test_every_choice_contradicts_an_assumption() -> None:
    given = {"lag_time_max": 1, "expiration_period": "2..3"}
    with pytest.raises(AssumptionFalse, match="period_within_lag_time holds for no choice of the constants: The isr"):
        check("isr-kafka-4485-v2", engine="symbolic", limits=Limits(depth=3), constants=given)


@pytest.mark.parametrize("given", [{"lag_time_max": "1..8"}, {"pace": "free,every-tick"}])
def test_other_engines_take_single_values(given: dict[str, str]) -> None:
    ((name, value),) = given.items()
    with pytest.raises(UsageError, match=f"^{name}={value} makes {name} a symbolic constant: use check --engine symb"):
        check("isr-kafka-4485-v2", constants=given)
