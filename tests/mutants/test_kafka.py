"""What mutants say of the Kafka models, where it can be said in a second."""

from typing import Self

from isrcheck import step
from isrcheck.engines.contract import Limits
from isrcheck.gate.mutants.cache import Cache
from isrcheck.gate.mutants.judge import Terms
from isrcheck.gate.mutants.mutant import Mutant
from isrcheck.gate.mutants.survey import survey
from isrcheck.ir.nodes import ModelText
from isrcheck.lang.read import read_model
from isrmodel import AsyncIsr


class WithMonotoneHighWatermark(AsyncIsr):
    """KIP-497 with a promise that the module does not make."""

    @step
    def hw_never_decreases(self, before: Self) -> bool:
        """The leader never takes back what it has exposed."""
        return self.high_watermark() >= before.high_watermark()


def text() -> ModelText:
    return read_model(WithMonotoneHighWatermark)


def test_the_promise_that_async_isr_lacks_would_notice() -> None:
    """The reason in specs/mutants/unneeded-guards.toml for the guard of leader_requests_expand."""

    def is_that_guard(mutant: Mutant) -> bool:
        return mutant.guard == "leader_requests_expand: require(self.fetched[follower] >= self.high_watermark())"

    made = survey("async-isr", text, [{}], wanted=is_that_guard, terms=Terms(Limits()), cache=Cache(None))
    (result,) = made.results
    assert "hw_never_decreases" in made.baselines[0].asked
    assert [(n.name, n.length) for n in result.finding.notices] == [("hw_never_decreases", 5)]
