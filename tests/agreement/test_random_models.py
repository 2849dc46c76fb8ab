"""Random models in the whole language: the scalar evaluator does what CPython does, state by state.

Agreement on shallow models says little, so the table at the end of the run says how deep they were, and the tests ask
for a minimum.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, note, settings
from tests.models.compare import Seen, compare, median, percentile
from tests.models.generate import models
from tests.models.loading import load

from isrcheck.errors import ModelError
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, check_domains, lower

MOST_STATES = 250


class Tally:
    """What the models of one test were like."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.refused: list[str] = []

    def shares(self) -> dict[str, int]:
        """The figures that the quality of the models is judged by."""
        distinct = [s.distinct for s in self.seen]
        return {
            "models": len(self.seen),
            "refused": len(self.refused),
            "states, median": median(distinct),
            "states, 90th percentile": percentile(distinct, 90),
            "one state only, %": 100 * sum(d == 1 for d in distinct) // max(1, len(distinct)),
            "depth, median": median([s.depth for s in self.seen]),
            "actions that fired, median": median([len(s.fired) for s in self.seen]),
            "properties decided by a trace, median": median([len(s.found) for s in self.seen]),
            "with pruned steps": sum(s.pruned > 0 for s in self.seen),
            "with errors when run": sum(s.undecided > 0 for s in self.seen),
            f"compared up to {MOST_STATES} states": sum(s.cut for s in self.seen),
        }


def agree_on_random_models(examples: int, derandomize: bool) -> Tally:
    tally = Tally()

    @settings(
        max_examples=examples,
        derandomize=derandomize,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(models())
    def agree(text: str) -> None:
        note(text)
        with tempfile.TemporaryDirectory() as folder:
            cls = load(text, Path(folder))
            try:
                read = read_model(cls)
                check_domains(read)
                lower(bind(read, {}))
            except ModelError as error:
                tally.refused.append(str(error))
                return
            tally.seen.append(compare(cls, MOST_STATES))

    agree()
    return tally


def show(tally: Tally, record: Callable[[str, object], None]) -> dict[str, int]:
    shares = tally.shares()
    record("random models", "; ".join(f"{what}: {figure}" for what, figure in shares.items()))
    return shares


def judge(shares: dict[str, int], tally: Tally) -> None:
    """Whether models written by chance have enough to them."""
    assert shares["refused"] * 20 <= shares["models"], tally.refused[:5]
    assert shares["states, median"] >= 10  # each sample is another, and 16 was seen
    assert shares["one state only, %"] <= 15
    assert shares["depth, median"] >= 4
    assert shares["actions that fired, median"] >= 3
    assert 1 <= shares["with errors when run"] <= shares["models"] // 4


def test_random_models_agree(record_property: Callable[[str, object], None]) -> None:
    """Too few to be judged by their figures: Hypothesis begins with the plainest."""
    tally = agree_on_random_models(15, derandomize=True)
    show(tally, record_property)
    assert len(tally.seen) > 8


@pytest.mark.slow
def test_many_random_models_agree(record_property: Callable[[str, object], None]) -> None:
    tally = agree_on_random_models(1500, derandomize=False)
    judge(show(tally, record_property), tally)
