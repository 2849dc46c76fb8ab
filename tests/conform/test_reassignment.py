"""Reassignments as records tell them: which begins a change, who holds the partition, and what is not modelled."""

import pytest
from tests.conform.hand_written import CONTROLLER, LOADER, events, judged

from isrlogs.conform.event import Event
from isrlogs.conform.kraft_assignment import name_reassignments
from isrlogs.conform.run import NotModelled

CREATED = "replicas=1,2 isr=1,2 leader=1 epoch=0 version=0"


def records(*changes: str) -> list[Event]:
    lines = [("partition_record", "", CREATED), *(("elects", "", change) for change in changes)]
    return [event for event in events(controller=lines) if event.node == "controller"]


def named(*changes: str) -> list[tuple[str, str | None, str | None, str]]:
    return [
        (e.kind, e.fields.get("added"), e.fields.get("removed"), e.fields["holders"])
        for e in name_reassignments(records(*changes))
    ]


def test_a_broker_in_the_place_of_another() -> None:
    assert named("replicas=1,3,2 adding=3 removing=2", "isr=1,3", "replicas=1,3 adding= removing=", "isr=1") == [
        ("partition_record", None, None, "1,2"),
        ("reassigns", "3", "2", "1,2,3"),
        ("elects", None, None, "1,2,3"),
        ("elects", None, None, "1,3"),
        ("elects", None, None, "1,3"),
    ]


@pytest.mark.parametrize(
    ("change", "added", "removed", "holders"),
    [
        ("replicas=1,2,3 adding=3", "3", None, "1,2,3"),
        ("removing=2", None, "2", "1,2"),
        ("replicas=1 isr=1", None, "2", "1"),
    ],
    ids=["one more", "one less", "one less at once"],
)
def test_a_replica_more_or_less(change: str, added: str | None, removed: str | None, holders: str) -> None:
    assert named(change)[1] == ("reassigns", added, removed, holders)


def test_without_a_reassignment_records_stay_as_they_are() -> None:
    without = records("isr=1", "isr=1,2")
    assert name_reassignments(without) == without


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (("replicas=1,2,3,4 adding=3,4",), "of one replica at a time"),
        (("replicas=2,1",), "of one replica at a time"),
        (("replicas=1,3,2 adding=3 removing=2", "replicas=1,2 adding= removing="), "cancelled or changed"),
        (("replicas=1,3,2 adding=3 removing=2", "replicas=1,4,2 adding=4"), "cancelled or changed"),
    ],
    ids=["two at once", "another order", "cancelled", "changed"],
)
def test_what_the_model_does_not_know_is_undetermined(changes: tuple[str, ...], why: str) -> None:
    with pytest.raises(NotModelled, match=why):
        named(*changes)
    lines = [*CONTROLLER, *(("partition_change", "", change) for change in changes)]
    assert judged(events(controller=lines)).verdict == "undetermined"


def test_a_reassignment_that_only_lines_tell_of_is_undetermined() -> None:
    found = events(controller=[("creates", LOADER, CREATED), ("elects", LOADER, "replicas=1,3,2 adding=3 removing=2")])
    told = [
        Event(e.node, e.kind, e.fields, e.order, e.wall_ms, "log" if e.source == "metadata" else e.source)
        for e in found
    ]
    verdict = judged(told)
    assert (verdict.verdict, verdict.why.partition(":")[0]) == ("undetermined", "the partition is reassigned")


def test_a_first_isr_of_some_replicas_is_undetermined_and_of_the_leader_alone_is_not() -> None:
    few = [("partition_record", "", "replicas=1,2,3,4 isr=1,2 leader=1 epoch=0 version=0")]
    assert judged(events(controller=few)).why.startswith("the first ISR has 2 of 4 replicas")
    alone = [("partition_record", "", "replicas=1,2 isr=1 leader=1 epoch=0 version=0")]
    lines = [("leads", LOADER, "epoch=0 offset=0 version=0 hw=0 isr=1")]
    assert judged(events(controller=alone, broker_1=lines, broker_2=[], client=[])).verdict == "conforms"
