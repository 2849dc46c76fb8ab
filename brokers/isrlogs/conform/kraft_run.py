"""The run of a partition under KRaft: its tracks, and the constants that come from it."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import inf
from operator import itemgetter
from typing import Any

from isrcheck.plugin import member, replace
from isrlogs.conform.event import Event
from isrlogs.conform.kraft_events import TABLE
from isrlogs.conform.kraft_lives import Lives
from isrlogs.conform.meaning import View
from isrlogs.conform.run import Demand, NotModelled, Run
from isrlogs.conform.track import Track
from isrmodel.vocabulary import Replica

# A line that metadata arrived may be lost with its broker; for whom a leader waits outside the ISR no line tells.
UNSEEN = ("learn", "apply_min_isr", "wait_for", "wait_no_more")
HELPING = ("start",)  # the line that it makes possible tells of it
# Budgets that _bounds() makes large enough for all, and what consumers have read.
FORGOTTEN = ("fenced_so_far", "elected_so_far", "stopped_so_far", "killed_so_far", "shrunk_so_far", "exposed")
AFTER_CAUSE = {"known": frozenset({"hw_up", "hw_same", "hw_blocked", "isr_asked", "expands"})}
_FAULTS = frozenset({"kill", "stop", "power_loss"})
_MIN_ISR = "min.insync.replicas"
_TOPIC = "2"  # of a configuration's resource types
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
    controller = _controller(by_node.get("controller", ()))
    _check_assignment(controller)
    if not controller.tells("partition_record", "creates"):
        loggers = "the metadata log, or ReplicationControlManager at INFO, would tell of it"
        raise NotModelled(f"the partition's first record is missing: {loggers}")
    ids = _replicas(controller) or sorted(broker for name in by_node if (broker := _broker_of(name)) is not None)
    brokers = [broker_track(name, by_node.get(name, ()), acks) for name in (f"broker {broker}" for broker in ids)]
    tracks = (_of_replicas(controller, ids), *brokers, Track("client", tuple(acks)))
    min_isr, changes, doubt = _min_isr(by_node.get("controller", ()))
    doubt = doubt or _doubt_of_records(tracks[0], by_node)
    constants = {
        **_bounds(tracks),
        "replicas": len(ids),
        "min_isr": min_isr if min_isr and changes else settings.get(_MIN_ISR, min_isr or "1"),
        "min_isr_changes": len(changes),
        "largest_min_isr": most(changes, "value"),
    }
    logs = frozenset(name for name, lines in by_node.items() if any(event.kind == "hw_set" for event in lines))
    silent = {name: logger for track in tracks for name, logger in _silent(track, tracks, logs)}
    members = {broker: member(Replica, place) for place, broker in enumerate(ids)}
    demands = partial(_demands, tracks)
    lives = Lives(brokers)
    asked = (lives.is_due, FORGOTTEN, lives.may_be_later)
    return Run(members, tracks, constants, TABLE, demands, UNSEEN, silent, HELPING, *asked, doubt)


def _broker_of(node: str) -> int | None:
    return int(node.split()[-1]) if node.startswith("broker") else None


def _replicas(controller: Track) -> list[int]:
    """The replicas of the partition when it was created."""
    return sorted(broker for event in controller.events[:1] for broker in event.numbers("replicas"))


def _settings(events: Iterable[Event]) -> list[Event]:
    """Records of min.insync.replicas for all topics or for the partition's own, in order."""
    metadata = [event for event in events if event.source == "metadata"]
    names = {event.fields.get("topic_id"): event.fields.get("name") for event in metadata if event.kind == "topic"}
    created = next((event for event in metadata if event.kind == "partition_record"), None)
    own = created and names.get(created.fields.get("topic_id"))
    configs = [e for e in metadata if e.kind == "config" and e.fields.get("name") == _MIN_ISR]
    configs = [e for e in configs if e.fields.get("resourceType") != _TOPIC or e.fields.get("resourceName") == own]
    return sorted(configs, key=lambda event: event.order)


def _min_isr(events: Sequence[Event]) -> tuple[str | None, list[Event], str]:
    """The partition's first value if a record tells it, the changes after that, and what cannot be told of them."""
    begins = min((e.order for e in events if e.kind == "partition_record"), default=0)
    settings = _settings(events)
    first = [e.fields["value"] for e in settings if e.order < begins and e.fields.get("resourceType") == _TOPIC]
    later = [e for e in settings if e.order >= begins]
    changes = [e for e in later if e.fields.get("resourceType") == _TOPIC and e.number("value") is not None]
    other = [e for e in later if e not in changes]
    doubt = f"{_MIN_ISR} changed otherwise than by a value for the topic, as of {other[0]}" if other else ""
    return first[-1] if first else None, [replace(event, kind="min_isr") for event in changes], doubt


def _check_assignment(controller: Track) -> None:
    """Require one set of replicas. Raises NotModelled if replicas come and go."""
    if any(event.numbers("adding") | event.numbers("removing") for event in controller.events):
        raise NotModelled("the partition is reassigned: conform knows one set of replicas")


def _of_replicas(controller: Track, ids: Sequence[int]) -> Track:
    """The controller's track without events of brokers that do not hold the partition."""
    return Track(controller.node, tuple(e for e in controller.events if e.broker is None or e.broker in ids))


# The controller


def _controller(events: Sequence[Event]) -> Track:
    """The controller's track from the partition's first record on: the metadata log if there is one, else its lines."""
    by_source = {source: [e for e in events if e.source == source] for source in ("metadata", "log")}
    chosen = (
        _versions([*_records(by_source["metadata"]), *_min_isr(events)[1]])
        if by_source["metadata"]
        else _records(by_source["log"])
    )
    chosen.sort(key=lambda event: event.order)
    begin = next((i for i, event in enumerate(chosen) if event.kind in ("partition_record", "creates")), 0)
    return Track("controller", tuple(_number_sessions(event for event in chosen[begin:] if event.kind in TABLE)))


def _records(events: Iterable[Event]) -> list[Event]:
    """Records, and lines that tell of them, under one name."""
    kinds = {"partition_change": "elects", "register_broker": "registers"}
    records: list[Event] = []
    for event in events:
        if event.kind in ("broker_registration_change", "registration_changes"):
            fenced = {1: ["fences"], -1: ["unfences"]}.get(event.number("fenced") or 0, [])
            leaves = ["leaves"] if event.number("shutdown") == 1 else []
            records += [replace(event, kind=kind) for kind in leaves + fenced]
        else:
            records.append(replace(event, kind=kinds.get(event.kind, event.kind)))
    return records


def _versions(events: Iterable[Event]) -> list[Event]:
    """Changes with the partition and leader epochs to which they lead: records do not hold them.

    With a new min.insync.replicas the ELR is cleared, if there is one, and that is a partition epoch too. And with who
    led before and leads now, and who alone left the ISR: of a step that the record may be, these are arguments.
    """
    changes: list[Event] = []
    version = epoch = 0
    leader, isr = "-1", frozenset[int]()
    eligible: dict[str, str] = {}
    for event in sorted(events, key=lambda event: event.order):
        if event.kind == "partition_record":
            version, epoch = event.number("version") or 0, event.number("epoch") or 0
        elif event.kind == "elects":
            version, epoch = version + 1, epoch + ("leader" in event.fields)
            eligible |= {name: event.fields[name] for name in ("elr", "last_known_elr") if name in event.fields}
            event = replace(event, fields={**event.fields, "version": str(version), "epoch": str(epoch)})
        elif event.kind == "min_isr":
            version += any(eligible.values())
            eligible = {}
        if event.kind in ("partition_record", "elects"):
            before, gone = leader, isr
            leader = event.fields.get("leader", leader)
            isr = event.numbers("isr") if "isr" in event.fields else isr
            left = {"left": str(*(gone - isr))} if isr < gone and len(gone - isr) == 1 else {}
            event = replace(event, fields={**event.fields, **left, "leader_before": before, "leader_after": leader})
        changes.append(event)
    return changes


def _number_sessions(events: Iterable[Event]) -> Iterator[Event]:
    """Registrations with their number among the broker's, of which the first was before the partition."""
    sessions: dict[int | None, int] = {}
    for event in events:
        if event.kind == "registers":
            sessions[event.broker] = sessions.get(event.broker, 0) + 1
            event = replace(event, fields={**event.fields, "session": str(sessions[event.broker])})
        yield event


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
    power as a kill, and then of what the disk has lost.
    """
    faults: list[Event] = []
    for event in (*(event for event in events if event.kind in (*_FAULTS, "start")), None):
        if event is not None and event.kind != "start":
            faults.append(event)
        elif faults:
            last = next((fault for fault in faults if fault.kind == "power_loss"), faults[-1])
            ended = event.wall_ms if event else inf
            if last.kind == "kill" and faults[0].kind == "stop":
                last = replace(last, kind="killed_or_stopped")
            yield last, ended if last.kind == "stop" else faults[0 if last.kind == "power_loss" else -1].wall_ms
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
