"""Each rule finds the lines that contradict it; a line that is missing, or that changed places, breaks none."""

import random
from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.observe.runs import RECORDED, broken, by_partition

from isrlogs.observe.event import Event
from isrlogs.observe.facts import Broken
from isrlogs.observe.rules import KINDS
from isrlogs.observe.run import read_run

LEGAL = ["natural-4.1.1", "stall2-4.1.1", "zombie-3.9.1"]


Told = tuple[str, str, Mapping[str, object]] | tuple[str, str, Mapping[str, object], int]


def story(*told: Told) -> list[Event]:
    """(node, kind, fields, time in ms) of a partition; by default a line comes 20 ms after the one before."""
    events, wall = [], 0
    for order, (node, kind, fields, *at) in enumerate(told):
        wall = int(at[0]) if at else wall + 20
        source = "client" if node == "client" else "log"
        text = {name: str(value) for name, value in fields.items()}
        events.append(Event("r", node, source, order, None, None, wall, kind, "t", 0, text, ""))
    return events


def leads(epoch: int, offset: int, isr: str = "1,2", hw: int = 0) -> dict[str, object]:
    return {"epoch": epoch, "offset": offset, "isr": isr, "hw": hw, "version": epoch}


def rules(events: list[Event]) -> list[str]:
    return [each.rule for each in broken(events)]


def one(events: list[Event]) -> Broken:
    found = broken(events)
    assert len(found) == 1, found
    return found[0]


def test_a_leader_lacks_what_was_committed() -> None:
    events = story(
        ("broker 1", "leads", leads(0, 0)),
        ("broker 1", "hw_up", {"from": 0, "to": 5}),
        ("broker 2", "leads", leads(1, 3)),
    )
    found = one(events)
    assert (found.rule, found.node, found.kind, found.order) == ("leader_has_committed", "broker 2", "leads", 2)
    assert found.why == (
        "it leads epoch 1 from offset 3, and all records below 5 were committed in epoch 0, as broker 1 wrote"
    )
    assert rules([*events[:2], events[2]._replace(fields={**events[2].fields, "offset": "5"})]) == []


def test_what_is_written_long_after_a_leader_began_is_of_a_later_epoch() -> None:
    events = story(
        ("broker 1", "leads", leads(0, 0)),
        ("broker 2", "leads", leads(1, 3), 1000),
        ("broker 1", "hw_up", {"from": 0, "to": 5}, 9000),
    )
    assert rules(events) == []


def test_a_follower_wrote_how_much_is_committed() -> None:
    events = story(
        ("broker 2", "follows", {"epoch": 0, "offset": 5, "leader": 1}),
        ("broker 2", "fetched", {"leader": 1, "end": 5, "leader_hw": 5}),
        ("broker 3", "leads", leads(1, 3)),
    )
    assert rules(events) == ["leader_has_committed"]
    elsewhere = events[1]._replace(fields={**events[1].fields, "leader": "3"})
    assert rules([events[0], elsewhere, events[2]]) == []


def test_a_topic_that_is_created_again_begins_anew() -> None:
    events = story(
        ("broker 1", "leads", {**leads(0, 0), "topic_id": "a" * 22}),
        ("broker 1", "hw_up", {"from": 0, "to": 5}),
        ("broker 1", "leads", {**leads(1, 0), "topic_id": "b" * 22}),
    )
    assert rules(events) == []


def test_a_broker_truncates_what_it_knows_to_be_committed() -> None:
    events = story(
        ("broker 1", "loaded", {"hw": 0}),
        ("broker 1", "hw_set", {"hw": 5}),
        ("broker 1", "truncate", {"to": 3}),
        ("broker 1", "hw_back", {"from": 5, "to": 3}),
    )
    assert one(events).why == "it truncates to 3, and its high watermark was 5"
    assert rules([*events[:2], events[2]._replace(fields={"to": "5"})]) == []


def test_a_high_watermark_goes_back() -> None:
    events = story(
        ("broker 1", "hw_set", {"hw": 5}), ("broker 1", "hw_set", {"hw": 4}), ("broker 1", "hw_set", {"hw": 5})
    )
    assert one(events).why == "its high watermark goes back from 5 to 4"
    changed_places = story(*(("broker 1", "hw_set", {"hw": hw}) for hw in (4, 6, 5, 7)))
    assert rules(changed_places) == []
    assert rules(story(("broker 1", "hw_back", {"from": 5, "to": 4}))) == ["hw_never_decreases"]


def test_a_new_leader_may_know_less_of_the_high_watermark_than_who_led_before() -> None:
    begins, back = ("broker 1", "follows", {"epoch": 2, "leader": 2}), ("broker 1", "hw_back", {"from": 5, "to": 4})
    told = ("broker 1", "hw_set", {"hw": 4})
    assert rules(story(begins, back, told)) == []
    assert rules(story(begins, told, back)) == ["hw_never_decreases"]
    assert rules(story(begins, told, begins, back)) == ["hw_never_decreases"]


def test_a_replica_that_moves_to_another_disk_has_two_logs() -> None:
    both: list[Told] = [
        ("broker 1", "hw_set", {"hw": hw, "dir": disk})
        for hw, disk in ((5, "a"), (1, "b"), (2, "b"), (6, "a"), (3, "b"))
    ]
    assert rules(story(*both)) == []
    assert rules(story(*(("broker 1", "hw_set", {"hw": told[2]["hw"], "dir": "a"}) for told in both))) != []


def test_a_high_watermark_is_raised_twice() -> None:
    steps: list[Told] = [("broker 1", "hw_up", {"from": begin, "to": end}) for begin, end in ((3, 4), (4, 5), (3, 5))]
    assert rules(story(*steps)) == ["hw_never_decreases"]
    assert rules(story(steps[1], steps[0])) == []


def test_a_high_watermark_beyond_the_log() -> None:
    events = story(
        ("broker 1", "append", {"first": 0, "end": 2}),
        ("broker 1", "hw_set", {"hw": 4}),
        ("broker 1", "append", {"first": 2, "end": 3}),
    )
    assert one(events).why == "its high watermark is 4, and its log ends at 2, then at 3"
    late_line = [*events[:2], events[2]._replace(fields={"first": "2", "end": "4"})]
    silent = [*events[:2], events[2]._replace(fields={"first": "4", "end": "5"})]
    assert rules(late_line) == rules(silent) == []


def test_a_high_watermark_beyond_a_member_of_the_isr() -> None:
    lines: list[Told] = [
        ("broker 1", "leads", leads(0, 0)),
        ("broker 1", "known", {"follower": 2, "offset": 3}),
        ("broker 1", "hw_up", {"from": 0, "to": 4}),
        ("broker 1", "known", {"follower": 2, "offset": 3}),
    ]
    found = one(story(*lines))
    assert (found.rule, found.kind) == ("hw_within_isr", "hw_up")
    assert found.why == "its high watermark is raised to 4, and broker 2 of its ISR has 3"
    noted_after = ("broker 1", "known", {"follower": 2, "offset": 4})
    left_before = ("broker 1", "isr_settled", {"isr": "1", "version": 1})
    assert rules(story(*lines[:3], noted_after, lines[3])) == []
    assert rules(story(*lines, left_before)) == []
    assert rules(story(*lines, ("broker 1", "isr_settled", {"isr": "1,2,3", "version": 1}))) == ["hw_within_isr"]


def test_an_epoch_begins_at_two_offsets() -> None:
    events = story(
        ("broker 1", "log_created", {}),
        ("broker 1", "epoch_starts", {"epoch": 1, "start": 5}),
        ("broker 2", "log_created", {}),
        ("broker 2", "epoch_starts", {"epoch": 1, "start": 6}),
    )
    assert one(events).why == "epoch 1 begins at 6 in its log, and at 5 in that of broker 1"
    begins_later = story(("broker 2", "truncate_fully", {"to": 6}))[0]
    assert rules([*events[:3], begins_later._replace(order=2), events[3]]) == []


def test_a_log_on_a_new_disk_is_of_the_same_topic_where_its_id_says_so() -> None:
    def lines(first: str, second: str) -> list[Told]:
        return [
            ("broker 1", "log_created", {}),
            ("broker 1", "leads", {"epoch": 1, "offset": 0, "isr": "1"} | ({"topic_id": first} if first else {})),
            ("broker 1", "hw_up", {"from": 0, "to": 5}),
            ("broker 1", "log_created", {}),
            ("broker 1", "leads", {"epoch": 2, "offset": 0, "isr": "1"} | ({"topic_id": second} if second else {})),
        ]

    assert rules(story(*lines("T", "T"))) == ["leader_has_committed"]
    assert rules(story(*lines("T", "U"))) == rules(story(*lines("", ""))) == []


def test_an_acknowledged_record_is_replaced() -> None:
    lines: list[Told] = [
        ("client", "ack", {"offset": 0, "value": "m1", "acks": "all"}),
        ("client", "ack", {"offset": 0, "value": "m2", "acks": "all"}),
    ]
    assert one(story(*lines)).why == "offset 0 was acknowledged as m1, and is m2"
    assert rules(story(lines[0], ("client", "read", {"offset": 0, "value": "m2"}))) == ["acked_present"]
    from_a_zombie = ("client", "ack", {"offset": 0, "value": "m2", "acks": "1"})
    assert rules(story(lines[0], from_a_zombie)) == rules(story(from_a_zombie, lines[1])) == []
    as_sent = story(
        ("client", "send", {"value": "m1", "acks": "all"}), ("client", "ack", {"offset": 0, "value": "m1"}), lines[1]
    )
    assert rules(as_sent) == ["acked_present"]


def test_a_leader_begins_below_an_acknowledged_record() -> None:
    ack: Told = ("client", "ack", {"offset": 4, "value": "m", "acks": "all"})
    later = story(ack, ("broker 2", "leads", leads(1, 3), 60_000))
    assert one(later).why == "it leads epoch 1 from offset 3, and offset 4 was acknowledged before"
    assert rules(story(ack, ("broker 2", "leads", leads(1, 3), 500))) == []  # clocks differ by as much


def judged(name: str) -> list[Event]:
    events = by_partition(read_run(RECORDED / name)[0])
    return [event for event in events if event.kind in KINDS and event.source in ("log", "client")]


EVENTS = {name: judged(name) for name in LEGAL}


def left(events: list[Event], seed: random.Random) -> list[Event]:
    if seed.random() < 0.5:
        share = seed.choice([0.5, 0.1, 0.02])
        return [event for event in events if seed.random() > share]
    for node in seed.sample(nodes := sorted({e.node for e in events}), seed.randint(1, len(nodes))):
        own = [event for event in events if event.node == node]
        begin = seed.randrange(len(own))
        gone = set(map(id, own[begin : seed.randint(begin, len(own))]))
        events = [event for event in events if id(event) not in gone]
    return events


def swapped(events: list[Event], seed: random.Random) -> Iterator[Event]:
    """Some neighbours of different threads change places, as threads that print at one time do."""
    rest = iter(events)
    for one in rest:
        two = next(rest, None)
        near = two is not None and (two.node, two.source) == (one.node, one.source)
        if two is not None and near and two.fields.get("thread") != one.fields.get("thread") and seed.random() < 0.2:
            one, two = two._replace(order=one.order), one._replace(order=two.order)
        yield from (one, two) if two is not None else (one,)


@pytest.mark.parametrize("name", LEGAL)
@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False))
def test_missing_and_misplaced_lines_break_no_rule(name: str, seed: random.Random) -> None:
    assert broken(left(EVENTS[name], seed)) == []
    assert broken(swapped(EVENTS[name], seed)) == []
