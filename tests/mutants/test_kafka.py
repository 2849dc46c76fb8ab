"""What mutants say of the Kafka models, where it can be said in a second."""

import pytest

from isrcheck.engines.contract import Limits
from isrcheck.gate.mutants.cache import Cache
from isrcheck.gate.mutants.judge import JudgeOptions
from isrcheck.gate.mutants.survey import survey
from isrcheck.ir.model import ModelIR
from isrcheck.lang.read import read_model
from isrmodel import AsyncIsr


def text() -> ModelIR:
    return read_model(AsyncIsr)


@pytest.mark.parametrize(
    ("guard", "notices"),
    [
        ("leader_requests_expand: require(self.fetched[follower] >= self.high_watermark())", ("hw_never_decreases", 5)),
        ("follower_replicates: require(self.fetched[follower] < self.log_end)", ("followers_within_log", 2)),
    ],
)
def test_promises_that_the_published_module_lacks_notice_a_guard(guard: str, notices: tuple[str, int]) -> None:
    """KIP-497's module promises `valid_high_watermark` alone, which neither of these guards serves."""
    made = survey(
        "async-isr", text(), [{}], wanted=lambda m: m.guard == guard, terms=JudgeOptions(Limits()), cache=Cache(None)
    )
    (result,) = made.results
    assert [(n.name, n.length) for n in result.finding.notices] == [notices]
