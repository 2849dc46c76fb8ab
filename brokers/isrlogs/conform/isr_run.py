"""A run of one leader's admission to the ISR: its tracks, ticks of its clock, and constants."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from isrcheck.plugin import member, replace
from isrlogs.conform.event import Event
from isrlogs.conform.isr_events import TABLE
from isrlogs.conform.kraft_run import AFTER_CAUSE, broker_track, most
from isrlogs.conform.meaning import View
from isrlogs.conform.run import Demand, NotModelled, Run
from isrlogs.conform.track import Track
from isrmodel.vocabulary import Follower

TICKS = 3  # in the task's period: at 1, an age at a fetch is known to T/2 only
PHASES = 6  # of the task's period that are tried where no line tells when the task ran
_LATE = frozenset({"hw_up"})  # lines that come when the controller has answered
_CAUSES = {
    **AFTER_CAUSE,
    "hw_blocked": frozenset({"expands"}),
    "hw_up": frozenset({"isr_settled", "leads_on"}),
}
_CLOCK = "isr-expiration"


def isr_runs(events: Iterable[Event], settings: Mapping[str, str]) -> Iterator[Run]:
    """The run with each possible phase of the expiration task. Raises NotModelled if it has several leaders."""
    by_node: dict[str, list[Event]] = {}
    for event in events:
        by_node.setdefault(event.node, []).append(event)
    leaders = {node for node, own in by_node.items() if any(event.kind == "leads" for event in own)}
    if len(leaders) != 1 or any(
        (event.number("epoch") or 0) for event in by_node[min(leaders)] if event.kind == "leads"
    ):
        raise NotModelled("models of this family have one leader epoch, and this run has more, or none")
    leader = leaders.pop()
    lag_ms = int(settings.get("replica.lag.time.max.ms", "30000"))
    tick_ms = lag_ms / 2 / TICKS
    lines = list(_leaders_lines(broker_track(leader, by_node[leader], ()).events))
    followers = [node for node in sorted(by_node) if node.startswith("broker") and node != leader]
    tracks = tuple(_follower(node, by_node[node]) for node in followers)
    ids = [track.broker for track in tracks]
    for phase in _phases(lines, tick_ms):
        ticking = Track(leader, tuple(_with_ticks(lines, phase, tick_ms)), _CAUSES, _LATE)
        every = (ticking, *tracks)
        yield Run(
            {broker: member(Follower, place) for place, broker in enumerate(ids) if broker is not None},
            every,
            _constants(every, len(ids) + 1, settings),
            TABLE,
            _demands,
            (),
            silent=dict(_silent(every)),
        )


def _leaders_lines(events: Iterable[Event]) -> Iterator[Event]:
    """Yield a leader's events from when it leads; a request to let a follower in is an event of its own."""
    begun = False
    for event in events:
        begun = begun or event.kind == "leads"
        if event.kind == "isr_asked" and event.fields.get("what") == "Expand":
            event = replace(event, kind="expands")
        if begun and event.kind in TABLE and event.kind != "copies":
            yield event


def _follower(node: str, events: Sequence[Event]) -> Track:
    return Track(node, tuple(e for e in broker_track(node, events, ()).events if e.kind == "copies"))


def _phases(lines: Sequence[Event], tick_ms: float) -> list[float]:
    """The phase of the task, to the millisecond where it took somebody out, else some phases of its period."""
    begin, period = lines[0].wall_ms, tick_ms * TICKS
    phases = [(event.wall_ms - begin) % period for event in lines if event.kind == "shrinks"]
    return phases[:1] or [phase * period / PHASES for phase in range(PHASES)]


def _with_ticks(lines: Sequence[Event], phase: float, tick_ms: float) -> list[Event]:
    """Ticks such that the task runs at its times; the first runs take nobody out, as all were in sync."""
    first = lines[0].wall_ms + phase
    while first < lines[0].wall_ms + (TICKS - 1) * tick_ms:
        first += TICKS * tick_ms
    first -= (TICKS - 1) * tick_ms
    count = int((lines[-1].wall_ms - first) / tick_ms) + 1
    ticks = [
        Event(lines[0].node, "tick", {"thread": _CLOCK}, wall_ms=first + n * tick_ms, source="clock")
        for n in range(count)
    ]
    return sorted((*lines, *ticks), key=lambda event: event.wall_ms)


def _constants(tracks: Sequence[Track], replicas: int, settings: Mapping[str, str]) -> dict[str, Any]:
    events = [event for track in tracks for event in track.events]
    return {
        "replicas": replicas,
        "max_records": max(1, most(events, "end"), most(events, "to"), most(events, "offset")),
        "lag_time_max": 2 * TICKS,
        "expiration_period": TICKS,
        "min_isr": min(int(settings.get("min.insync.replicas", "1")), replicas),
    }


def _demands(before: View, after: View) -> Iterator[Demand]:
    """The leader says that it moves its high watermark, takes somebody out, and asks to let somebody in."""
    if after.hw != before.hw:
        yield Demand(0, "hw_up", {"from": before.hw, "to": after.hw})
    if gone := before.isr - after.isr:
        yield Demand(0, "shrinks", {"out": after.ids(gone), "end": before.log_end, "hw": before.hw})
    if come := after.isr - before.isr:
        yield Demand(0, "expands", {"who": after.ids(come)})


def _silent(tracks: Sequence[Track]) -> Iterator[tuple[str, str]]:
    leader, *followers = tracks
    if not leader.tells("append"):
        yield "append_until of broker None", f"UnifiedLog of {leader.node} at TRACE"
    for track in followers:
        if not track.tells("copies"):
            yield f"answer_arrives of {track.node}", f"UnifiedLog of {track.node} at TRACE"
