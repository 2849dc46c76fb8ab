"""What mutants say of the Kafka models, where it can be said in a second."""

import pytest

from isrcheck.engines.contract import Limits
from isrcheck.gate.mutants.judge import Cache, JudgeOptions
from isrcheck.gate.mutants.survey import survey
from isrcheck.ir.model import ModelIR
from isrcheck.lang.read import read_model
from isrmodel import AsyncIsr


def text() -> ModelIR:
    return read_model(AsyncIsr)


@pytest.mark.parametrize(
    ("guard", "expected"),
    [
        ("leader_requests_expand: require(self.fetched[follower] >= self.high_watermark())", ("hw_never_decreases", 5)),
        ("follower_replicates: require(self.fetched[follower] < self.log_end)", ("followers_within_log", 2)),
    ],
)
def test_properties_that_the_published_module_lacks_need_a_guard(guard: str, expected: tuple[str, int]) -> None:
    """KIP-497's module has `valid_high_watermark` alone, which neither of these guards serves."""
    made = survey(
        "async-isr", text(), [{}], wanted=lambda m: m.guard == guard, options=JudgeOptions(Limits()), cache=Cache(None)
    )
    (result,) = made.results
    assert [(n.name, n.length) for n in result.outcome.kills] == [expected]
