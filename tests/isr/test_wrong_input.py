"""Settings that make no sense for an ISR policy get one sentence each."""

import pytest

from isrcheck import check
from isrcheck.errors import AssumptionFalse, UsageError


@pytest.mark.parametrize(
    ("constants", "sentence"),
    [
        ({"lag_time_max": 0}, "A lag time of 0 ticks puts every follower out at the first tick"),
        ({"expiration_period": 3}, "The isr-expiration task runs at least once in replica.lag.time.max.ms"),
        ({"min_isr": 3}, "A min.insync.replicas above the number of replicas could never be met."),
        ({"pace": "always-fetching"}, "No follower can keep the pace always-fetching where"),
        (
            {"fetch_steps": "two", "appends": "in-read-window"},
            "The window between a read and its account lies within one step",
        ),
    ],
)
def test_settings_that_contradict_each_other(constants: dict[str, object], sentence: str) -> None:
    with pytest.raises(AssumptionFalse, match=sentence) as told:
        check("isr-kafka-7152", constants=constants)
    assert told.value.exit_code == 10


def test_a_leader_that_may_read_for_longer_than_the_lag_time() -> None:
    with pytest.raises(AssumptionFalse, match=r"leader\.fetch\.process\.time\.max\.ms is below"):
        check("isr-kip-501", constants={"relinquish": True, "process_time_max": 2})


@pytest.mark.parametrize(
    ("constants", "sentence"),
    [
        ({"replicas": 1}, "the constant replicas (brokers that hold the partition, the leader included) is 2 or more"),
        ({"expiration_period": 0}, "is 1 or more, not 0"),
        ({"min_isr": 0}, "is 1 or more, not 0"),
        ({"pace": "sometimes"}, "the constant pace is one of free, every-tick, always-fetching, not 'sometimes'"),
        ({"prose_condition": True}, "Kafka7152 has no constant prose_condition"),
    ],
)
def test_settings_out_of_range(constants: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError) as told:
        check("isr-kafka-7152", constants=constants)
    assert sentence in str(told.value)


@pytest.mark.parametrize(
    ("model", "name", "constants", "why"),
    [
        ("isr-kafka-7152", "keep_up_stays", {}, "A follower keeps up only at a pace such as every-tick"),
        ("isr-kafka-7152", "keep_up_stays", {"pace": "every-tick", "fetch_size": "one"}, "fetch_size=all"),
        ("isr-max-messages", "measured_lag_is_safe", {}, "No lag is measured"),
        ("isr-max-messages", "caught_up_fetch_counts", {}, "No clock but one of lag"),
        ("isr-kafka-7152", "no_eviction_while_reading", {}, "only with fetch_steps=two"),
        ("isr-kip-501", "acks_all_accepted", {"pace": "every-tick"}, "The leader alone is enough with min_isr=1"),
        ("isr-kip-501", "leader_relinquishes", {}, "only with relinquish=true"),
        ("isr-kafka-4485-v2", "somebody_leaves", {"max_records": 0}, "A run without a record commits nothing"),
    ],
)
def test_a_promise_that_means_nothing_says_why(model: str, name: str, constants: dict[str, object], why: str) -> None:
    with pytest.raises(UsageError) as told:
        check(model, properties=[name], constants=constants)
    assert f"{name} does not apply" in str(told.value)
    assert why in str(told.value)
