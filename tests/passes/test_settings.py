"""Kafka's own settings become constants, and say what rounding loses.

Ten times the text takes at most twelve times the work of reading, lowering and writing the program.
"""

import pytest
from tools.bench.lowering import SHAPES, compare

from isrcheck.errors import UsageError
from isrcheck.ir.domains import INT
from isrcheck.ir.model import ConstantIR
from isrcheck.passes.constants import apply_settings
from isrcheck.place import NOWHERE


def constant(name: str, default: int, setting: str, measure: str) -> ConstantIR:
    return ConstantIR(name, default, "", INT, 1, None, "Model", NOWHERE, setting, measure)


SETTINGS = {
    c.setting: c
    for c in (
        constant("lag_time_max", 2, "replica.lag.time.max.ms", "ticks"),
        constant("process_time_max", 1, "leader.fetch.process.time.max.ms", "ticks"),
        constant("min_isr", 1, "min.insync.replicas", "value"),
        constant("max_lag_messages", 1, "replica.lag.max.messages", "many"),
    )
}


def test_the_first_time_fixes_the_tick_and_others_are_rounded() -> None:
    given = {"replica.lag.time.max.ms": "30000", "leader.fetch.process.time.max.ms": "500"}
    chosen, notes = apply_settings(SETTINGS, given, {})
    assert chosen == {"process_time_max": 1}
    assert notes == (
        "replica.lag.time.max.ms=30000 is lag_time_max=2 ticks of 15,000 ms.",
        "leader.fetch.process.time.max.ms=500 is process_time_max=1 ticks of 15,000 ms, 14,500 ms more than it says.",
    )


def test_more_ticks_make_a_shorter_tick() -> None:
    given = {"replica.lag.time.max.ms": "30000", "leader.fetch.process.time.max.ms": "15000"}
    chosen, notes = apply_settings(SETTINGS, given, {"lag_time_max": 4})
    assert chosen == {"lag_time_max": 4, "process_time_max": 2}
    assert notes[1].endswith("process_time_max=2 ticks of 7,500 ms, exactly.")


def test_counts_are_taken_as_they_are_or_stand_for_many() -> None:
    chosen, notes = apply_settings(SETTINGS, {"min.insync.replicas": "2", "replica.lag.max.messages": "4000"}, {})
    assert chosen == {"min_isr": 2}
    assert notes == (
        "min.insync.replicas=2 is min_isr=2.",
        "replica.lag.max.messages=4000 is max_lag_messages=1: one in the model stands for 4,000.",
    )


def test_a_setting_and_its_constant_may_not_contradict_each_other() -> None:
    with pytest.raises(UsageError, match=r"^min.insync.replicas=2 and min_isr=1 contradict each other: give one\.$"):
        apply_settings(SETTINGS, {"min.insync.replicas": "2"}, {"min_isr": 1})


def test_a_setting_is_a_whole_number() -> None:
    with pytest.raises(UsageError, match=r"^the setting min.insync.replicas is a whole number above 0, not 'x'\.$"):
        apply_settings(SETTINGS, {"min.insync.replicas": "x"}, {})


MOST = 12


@pytest.mark.parametrize("shape", SHAPES)
def test_ten_times_the_text(shape: str) -> None:
    small, large = compare(shape)
    assert 5 < large.calls / small.calls < MOST
    assert 5 < large.nodes / small.nodes < MOST
