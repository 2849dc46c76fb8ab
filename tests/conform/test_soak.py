"""Lives of brokers in soaks on 4.1.1, each cut to one partition and less than a minute; and the whole, if it is here.

The whole is not checked in: ISRCHECK_SOAK names the folder of such a run (`./dev brokers`, docs/brokers.md).
"""

import os
from pathlib import Path

import pytest
from tests.conform.hand_written import FETCHER, FOLLOWER, HANDLER, LEADER, LOADER, events, judged
from tests.observe.runs import of_archive

from isrcheck.ir.frozen import replace
from isrlogs.conform.event import Event
from isrlogs.conform.judge import judge
from isrlogs.conform.kraft_events import TABLE
from isrlogs.conform.kraft_lives import Lives
from isrlogs.conform.kraft_run import AFTER_CAUSE, broker_track
from isrlogs.conform.reading import events_of, settings_of
from isrlogs.conform.search import Limits
from isrlogs.conform.track import Track
from isrlogs.conform.verdict import Verdict

SOAK = of_archive("broker-soaks", "soak-4.1.1")
CUT = of_archive("broker-soaks", "soak-30-4.1.1")


def verdict(folder: Path = CUT, partition: str = "tv-3") -> Verdict:
    ((name, found),) = events_of(folder, partition).items()
    return judge(name, found, settings_of(folder, found), "kraft-4.1", {}, Limits(seconds=None, nodes=2_000))


def test_a_broker_that_fetches_before_the_controller_registers_it() -> None:
    found = verdict(SOAK, "tv-0")
    assert (found.verdict, found.why) == ("conforms", "")
    assert found.trace is not None
    actions = [step.action for step in found.trace.steps]
    assert actions.index("kill") < actions.index("start") < actions.index("register_started")
    between = found.trace.steps[actions.index("start") : actions.index("register_started")]
    assert any(step.action == "fetch_arrives" and step.arguments["follower"] == "r2" for step in between)


def test_a_killed_broker_fetches_again_from_where_it_was() -> None:
    """The leader's line of that fetch agrees with what it knew before the kill, too."""
    found = verdict()
    assert (found.verdict, found.events, found.inferred) == ("conforms", 364, 1)
    assert found.positions < 1_000


def test_the_line_of_the_first_fetch_of_a_life_is_no_repetition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lives, "may_be_later", lambda *_: False)
    assert verdict().verdict == "departs"


def fault(kind: str, place: int) -> Event:
    return Event("broker 2", kind, {"broker": "2"}, place, 10.0 * place - 5, "faults")


def of_two_lives() -> list[Event]:
    leader = [
        *LEADER,
        ("known", HANDLER, "follower=2 offset=1"),
        ("append", HANDLER, "first=1 last=1 end=2"),
        ("hw_up", HANDLER, "from=1 to=2"),
        ("known", HANDLER, "follower=2 offset=2"),
    ]
    follower = [
        *FOLLOWER,
        ("loaded", LOADER, "hw=0"),
        ("follows", LOADER, "epoch=0 offset=1 version=0 hw=0 leader=1"),
        ("fetch_sent", FETCHER, "leader=1 offset=1 epoch=0"),
        ("fetched", FETCHER, "leader=1 end=1 bytes=70 leader_hw=1"),
        ("append", FETCHER, "first=1 last=1 end=2"),
        ("fetch_done", FETCHER, "leader=1 leader_hw=1"),
    ]
    second = {"broker 1": len(LEADER), "broker 2": len(FOLLOWER)}  # the first line after the restart, 5 s later
    return [
        replace(event, wall_ms=event.wall_ms + 5_000 * (event.order >= second.get(event.node, 99)))
        for event in events(broker_1=leader, broker_2=follower)
    ]


@pytest.mark.parametrize("faults", [["kill"], ["stop"], ["stop", "kill"], ["kill", "stop"]])
def test_a_life_without_a_line_may_be_none(faults: list[str]) -> None:
    told = [fault("start", 0)]
    for kind in faults:
        told += [fault(kind, len(FOLLOWER)), fault("start", len(FOLLOWER))]
    found = judged([*told, *of_two_lives()])
    assert (found.verdict, found.why) == ("conforms", "")
    assert found.trace is not None
    assert [step.action for step in found.trace.steps].count("start") == 1


def test_the_end_of_a_life_without_a_line_has_a_name_of_its_own() -> None:
    told = [fault("stop", 1), fault("start", 2), fault("kill", 3)]
    lines = [e for e in of_two_lives() if e.node == "broker 2" and e.order in (0, 9)]
    assert [e.kind for e in broker_track("broker 2", [*told, *lines], ()).events] == [
        "follows",
        "stop",
        "unseen_kill",
        "fetched",
    ]
    assert TABLE["unseen_kill"].or_nothing
    assert [step.action for step in (*TABLE["unseen_kill"].helped, *TABLE["unseen_kill"].steps)] == ["start", "kill"]


def test_who_has_stopped_writes_nothing() -> None:
    line = Event("broker 2", "follows", {"thread": "a"}, 0, 100.0)
    track = Track("broker 2", (line, fault("stop", 10)))
    assert not track.may_swap(0, 1)
    assert Track("broker 2", (fault("kill", 10), line)).may_swap(0, 1)


@pytest.mark.parametrize("who", ["3,2", "2,3"])
def test_two_followers_who_are_dropped_may_be_told_in_any_order(who: str) -> None:
    event = Event("broker 1", "isr_asked", {"broker": "1", "who": who})
    drop = TABLE["isr_asked"].steps[1]
    assert {drop.arguments[name](event) for name in ("follower", "also")} == {2, 3}
    alone = Event("broker 1", "isr_asked", {"broker": "1", "who": "3"})
    assert [drop.arguments[name](alone) for name in ("follower", "also")] == [3, 3]


@pytest.mark.slow
@pytest.mark.skipif("ISRCHECK_SOAK" not in os.environ, reason="ISRCHECK_SOAK names no run")
def test_every_partition_of_a_soak_conforms_to_its_own_release() -> None:
    folder = Path(os.environ["ISRCHECK_SOAK"])
    limits = Limits(seconds=None, nodes=100_000)
    for name, found in events_of(folder, None).items():
        assert judge(name, found, settings_of(folder, found), "kraft-4.1", {}, limits, is_traced=False).verdict == (
            "conforms"
        ), name


def test_a_thread_that_is_paused_within_a_call_still_writes_its_lines_after_their_cause() -> None:
    """The high watermark moves, the process stands still, and what moved it is written 16 s later."""

    def write(kind: str, thread: str, wall_ms: float) -> Event:
        return Event("broker 3", kind, {"thread": thread}, 0, wall_ms)

    paused = (write("hw_up", "a", 0), write("leads", "b", 500), write("known", "a", 16_000))
    assert Track("broker 3", paused, AFTER_CAUSE).may_swap(0, 2)
    other_call = (write("hw_up", "a", 0), write("append", "a", 500), write("known", "a", 16_000))
    assert not Track("broker 3", other_call, AFTER_CAUSE).may_swap(0, 2)
