"""The run of a partition under KRaft: its tracks, and the constants that come from it."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import inf
from operator import itemgetter
from typing import Any

from isrcheck.plugin import member, replace
from isrlogs.conform.event import Event
from isrlogs.conform.kraft_controller import MIN_ISR, controller_track, min_isr_changes
from isrlogs.conform.kraft_events import TABLE
from isrlogs.conform.kraft_lives import Lives
from isrlogs.conform.meaning import View
from isrlogs.conform.run import Demand, NotModelled, Run
from isrlogs.conform.track import Track
from isrmodel.vocabulary import Replica

# A line that metadata arrived may be lost with its broker; for whom a leader waits outside the ISR no line tells.
UNSEEN = ("learn", "apply_min_isr", "wait_for", "wait_no_more")
HELPING = ("start", "leave_out")  # the line that it makes possible tells of it
BEYOND = ("catch_up", "ask_add", "ask_drop")
# Budgets that _bounds() makes large enough for all, and what consumers have read.
FORGOTTEN = ("fenced_so_far", "elected_so_far", "stopped_so_far", "killed_so_far", "shrunk_so_far", "exposed")
AFTER_CAUSE = {"known": frozenset({"hw_up", "hw_same", "hw_blocked", "isr_asked", "expands"})}
_DISK_LOST = frozenset({"power_loss", "replace_disk"})  # in part, or as a whole
_FAULTS = _DISK_LOST | {"kill", "stop"}
_INELIGIBLE = "107"  # INELIGIBLE_REPLICA
_ACKED_WITHIN_MS = 30_000  # delivery.timeout.ms is 120 s; two records of one offset are further apart than this


def kraft_run(events: Iterable[Event], settings: Mapping[str, str]) -> Run:
    """A run from the events of one partition, and what brokers' configuration says."""
    by_node: dict[str, list[Event]] = {}
    for event in events:
        by_node.setdefault(event.node, []).append(event)
    acks = [e for e in by_node.get("client", ()) if e.kind == "ack" and e.has("offset") and not e.has("error")]
    if any(event.kind == "orders" for own in by_node.values() for event in own):
        raise NotModelled("brokers are told by LeaderAndIsr: models of KRaft know nothing of ZooKeeper's time")
    controller = controller_track(by_node.get("controller", ()))
    _require_records(controller)
    if not controller.tells("partition_record", "creates"):
        loggers = "the metadata log, or ReplicationControlManager at INFO, would tell of it"
        raise NotModelled(f"the partition's first record is missing: {loggers}")
    ids = _replicas(controller) or sorted(broker for name in by_node if (broker := _broker_of(name)) is not None)
    brokers = [broker_track(name, by_node.get(name, ()), acks) for name in (f"broker {broker}" for broker in ids)]
    tracks = (_of_replicas(controller, ids), *brokers, Track("client", tuple(acks)))
    min_isr, changes, doubt = min_isr_changes(by_node.get("controller", ()))
    doubt = doubt or _doubt_of_records(tracks[0], by_node)
    constants = {
        **_bounds(tracks),
        "replicas": len(ids),
        "spares": len(ids) - len(_first(controller, "replicas", ids)),
        "initial_isr": _initial_isr(controller, ids),
        "reassignments": sum(event.kind == "reassigns" for event in controller.events),
        "min_isr": min_isr if min_isr and changes else settings.get(MIN_ISR, min_isr or "1"),
        "min_isr_changes": len(changes),
        "largest_min_isr": most(changes, "value"),
    }
    logs = frozenset(name for name, lines in by_node.items() if any(event.kind == "hw_set" for event in lines))
    silent = {name: logger for track in tracks for name, logger in _silent(track, tracks, logs)}
    members = {broker: member(Replica, place) for place, broker in enumerate(ids)}
    demands = partial(_demands, tracks)
    lives = Lives(brokers)
    asked = (lives.is_due, FORGOTTEN, lives.may_be_later, BEYOND)
    return Run(members, tracks, constants, TABLE, demands, UNSEEN, silent, HELPING, *asked, doubt)


def _broker_of(node: str) -> int | None:
    return int(node.split()[-1]) if node.startswith("broker") else None


def _replicas(controller: Track) -> list[int]:
    """The brokers that hold the partition when it is created or later."""
    return sorted(frozenset().union(*(event.numbers("replicas") for event in controller.events)))


def _first(controller: Track, name: str, otherwise: Iterable[int]) -> frozenset[int]:
    """Brokers that the partition's first record lists; others where it does not say."""
    return frozenset().union(*(event.numbers(name) for event in controller.events[:1])) or frozenset(otherwise)


def _initial_isr(controller: Track, ids: Sequence[int]) -> int:
    """The size of the first ISR, 0 if it is all replicas: who is fenced is not in it. Raises NotModelled."""
    replicas = _first(controller, "replicas", ids)
    isr = len(_first(controller, "isr", replicas))
    if isr not in (1, len(replicas) - 1, len(replicas)):
        raise NotModelled(
            f"the first ISR has {isr} of {len(replicas)} replicas: the model has all, all but one, or one"
        )
    return isr if isr < len(replicas) else 0


def _require_records(controller: Track) -> None:
    """Require the metadata log of a partition that is reassigned. Raises NotModelled."""
    if any(e.source == "log" and e.numbers("adding") | e.numbers("removing") for e in controller.events):
        raise NotModelled("the partition is reassigned: only the metadata log tells of each step, and it is missing")


def _of_replicas(controller: Track, ids: Sequence[int]) -> Track:
    """The controller's track without events of brokers that do not hold the partition."""
    return Track(controller.node, tuple(e for e in controller.events if e.broker is None or e.broker in ids))


def _doubt_of_records(controller: Track, by_node: Mapping[str, Sequence[Event]]) -> str:
    """Whether brokers read of changes that the controller's track does not have: its log ends early, or has a hole."""
    brokers = [event for node, own in by_node.items() if node.startswith("broker") for event in own]
    recorded, read = most(controller.events, "version"), most(brokers, "version")
    missing = f"brokers read of partition epoch {read}, and the last on record is {recorded}: records are missing"
    return missing if recorded < read else ""


# Brokers


def broker_track(name: str, events: Sequence[Event], acks: Sequence[Event]) -> Track:
    """A broker's lines in order, with its stops where they happened."""
    log_lines = sorted((event for event in events if event.source == "log"), key=lambda event: event.order)
    lines = [event for event in _without_unsent(log_lines) if event.kind in TABLE]
    for fault, ended in _stops(events):
        place = next((i for i, e in enumerate(lines) if e.wall_ms > ended), len(lines))
        lines.insert(place, fault)
    lines = list(_with_lives(_with_versions(lines)))
    return Track(name, tuple(_with_acks(_rename_refusals(with_answers(lines)), acks)), AFTER_CAUSE)


def _without_unsent(events: Sequence[Event]) -> list[Event]:
    """The events without changes of the ISR that were not sent after all: the same thread says so."""
    sent: list[Event] = []
    unsent: set[str] = set()
    for event in reversed(events):
        if event.kind == "isr_not_sent":
            unsent.add(event.thread)
        elif event.kind == "isr_asked" and event.thread in unsent:
            unsent.remove(event.thread)
        else:
            sent.append(event)
    return sent[::-1]


def _with_versions(events: Sequence[Event]) -> Iterator[Event]:
    """Add to each load of a log the partition epoch that the broker's next line says: it has read that metadata."""
    for place, event in enumerate(events):
        if event.kind == "loaded":
            later_line = next((later for later in events[place + 1 :] if later.kind in ("leads", "follows")), None)
            event = _with_fields(event, later_line, "version")
        yield event


def _with_lives(events: Iterable[Event]) -> Iterator[Event]:
    """The end of a life without a line of the partition: it may not have come as far as to open its logs."""
    before: Event | None = None
    version = ""
    for event in events:
        is_unseen = event.source == "faults" and before is not None and before.source == "faults"
        if is_unseen and f"unseen_{event.kind}" in TABLE:
            yield replace(event, kind=f"unseen_{event.kind}", fields={**event.fields, "version": version})
        else:
            yield event
        before = event
        version = event.fields.get("version", version)


def _stops(events: Iterable[Event]) -> Iterator[tuple[Event, float]]:
    """The end of each life, and the time after which no line is of that life.

    A broker that is asked to stop goes on until it has, and may be killed meanwhile. A journal may tell of a loss of
    power, or of a disk that is replaced, as a kill or a stop, and then of what the disk has lost.
    """
    faults: list[Event] = []
    for event in (*(event for event in events if event.kind in (*_FAULTS, "start")), None):
        if event is not None and event.kind != "start":
            faults.append(event)
        elif faults:
            last = next((fault for fault in faults if fault.kind in _DISK_LOST), faults[-1])
            ended = event.wall_ms if event else inf
            if last.kind == "kill" and faults[0].kind == "stop":
                last = replace(last, kind="killed_or_stopped")
            is_asked = "stop" in (last.kind, last.kind in _DISK_LOST and faults[0].kind)
            yield last, ended if is_asked else faults[0 if last.kind in _DISK_LOST else -1].wall_ms
            faults = []


def with_answers(events: Iterable[Event]) -> Iterator[Event]:
    """Repeat the values of a follower's line of an answer where the answer takes effect."""
    answer: Event | None = None
    for event in events:
        if event.kind == "fetched":
            answer = event
        elif event.kind == "append" and (answer is not None or "Fetcher" in event.thread):
            event = replace(_with_fields(event, answer, "leader", "leader_hw"), kind="copies")
        elif event.kind == "fetch_done":
            event = _with_fields(event, answer, "leader", "end")
            if answer is not None:
                event = replace(event, fields={**event.fields, "answer_hw": answer.fields.get("leader_hw", "")})
            answer = None
        yield event


def _with_fields(event: Event, answer: Event | None, *names: str) -> Event:
    added = {name: answer.fields[name] for name in names if name in answer.fields} if answer else {}
    return replace(event, fields={**event.fields, **added})


def _rename_refusals(events: Iterable[Event]) -> Iterator[Event]:
    """The answer tells of a refusal. The leader's own line comes after it; mostly it waits for newer metadata."""
    for event in events:
        refused = event.kind == "isr_answered" and event.fields.get("error") == _INELIGIBLE
        if refused or event.kind != "isr_refused":
            yield replace(event, kind="isr_refused") if refused else event


def _with_acks(events: Iterable[Event], acks: Sequence[Event]) -> Iterator[Event]:
    """Add the acks that the producer asked for to each batch of which its journal names the records."""
    by_offset = sorted(((ack.number("offset") or 0, ack) for ack in acks), key=itemgetter(0))
    for event in events:
        first, end = event.number("first"), event.number("end")
        if event.kind == "append" and first is not None and end is not None:
            places = range(
                bisect_left(by_offset, first, key=itemgetter(0)), bisect_left(by_offset, end, key=itemgetter(0))
            )
            near = [
                ack for _, ack in (by_offset[i] for i in places) if 0 <= ack.wall_ms - event.wall_ms < _ACKED_WITHIN_MS
            ]
            if near and all(ack.fields.get("acks") in ("all", "-1") for ack in near):
                event = replace(event, fields={**event.fields, "acks": "all"})
        yield event


# What comes from the run


def _bounds(tracks: Iterable[Track]) -> dict[str, Any]:
    """Bounds that the run does not reach; as many faults as there are events."""
    events = [event for track in tracks for event in track.events]
    highest = partial(most, events)
    return {
        "max_records": max(1, highest("end"), highest("to"), highest("offset", 1)),
        "max_epoch": 2 + highest("epoch"),
        "max_version": 2 + highest("version"),
        "max_session": 1 + highest("session"),
        "acks": "0",  # the journal tells of each record: see acknowledge
        "tail": True,
        "late_fetches": True,
        "hw_waits": True,
        "late_answers": True,
        "registers_early": True,
        "disks": sum(event.kind == "replace_disk" for event in events),
        **dict.fromkeys(("fences", "elections", "clean_stops", "kills", "power_losses", "shrinks"), len(events)),
    }


def most(events: Iterable[Event], name: str, plus: int = 0) -> int:
    """The greatest number that a field holds in any event, and so much more; 0 if in none."""
    return max((value + plus for event in events if (value := event.number(name)) is not None), default=0)


def _demands(tracks: Sequence[Track], before: View, after: View) -> Iterator[Demand]:
    """A leader that moves its high watermark says so, and the controller whom it registers, fences and unfences."""
    for place, track in enumerate(tracks):
        broker = track.broker
        if broker is None or not track.tells("hw_up", "known") or not _leads(after, broker):
            continue
        if before.of("hw", broker) < after.of("hw", broker):
            yield Demand(place, "hw_up", {"from": before.of("hw", broker), "to": after.of("hw", broker)})
    if tracks[0].events:
        for kind, changed in _of_controller(before, after):
            for broker in changed:
                yield Demand(0, kind, {"broker": broker})


def _of_controller(before: View, after: View) -> Iterator[tuple[str, frozenset[int]]]:
    registered = frozenset(r for b, r in after.members.items() if before.of("session", b) != after.of("session", b))
    yield "registers", after.ids(registered)
    yield "fences", after.ids(after.fenced - before.fenced - registered)
    yield "unfences", after.ids(before.fenced - after.fenced)
    yield "leaves", after.ids(after.leaving - before.leaving)


def _leads(view: View, broker: int) -> bool:
    return bool(view.ids(view.of("known", broker).leader) == broker)


def _silent(track: Track, tracks: Sequence[Track], logs: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield what a broker would have logged had its logger spoken; `logs`: nodes whose log is told of."""
    node, broker = track.node, track.broker
    if broker is None:
        return
    if not any(event.source == "log" for event in track.events):
        yield f"all of {node}", f"{node}: its log is missing"
        return
    for before, after in _holes(track.events):
        yield f"a hole in the log of {node}", f"{node} of its log from offset {before} to {after}"
    has_records = any(_tells_of_records(event, broker) for each in tracks for event in each.events)
    if has_records and node not in logs and not track.tells("append", "copies"):
        for action in ("append_until", "answer_arrives"):
            yield f"{action} of {node}", f"UnifiedLog of {node} at TRACE"
    if track.tells("leads") and not track.tells("known", "hw_up", "hw_same", "hw_blocked"):
        yield f"fetch_arrives of {node}", f"kafka.cluster.Partition of {node} at DEBUG"


def _holes(events: Iterable[Event]) -> Iterator[tuple[int, int]]:
    """Yield the offsets between which a broker's own lines leave records out."""
    end: int | None = None
    for event in events:
        begins = event.number("first" if event.kind in ("append", "copies") else "offset")
        if event.kind in ("append", "copies", "leads", "follows") and begins is not None:
            if end is not None and begins > end:
                yield end, begins
            end = event.number("end") if event.has("end") else begins
        elif event.kind == "truncates":
            end = event.number("to")


def _tells_of_records(event: Event, broker: int) -> bool:
    """Whether a broker's log is not empty, as a line says."""
    if event.kind == "known" and event.number("follower") == broker:
        return bool(event.number("offset"))
    return (
        event.broker == broker
        and event.kind in ("hw_up", "leads", "follows", "shrinks")
        and any(event.number(name) for name in ("to", "offset", "end"))
    )
