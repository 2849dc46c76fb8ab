"""The controller's track: records of a partition and its brokers, by the metadata log or the controller's lines."""

from collections.abc import Iterable, Iterator, Sequence

from isrcheck.plugin import replace
from isrlogs.conform.event import Event
from isrlogs.conform.kraft_assignment import name_reassignments
from isrlogs.conform.kraft_events import TABLE
from isrlogs.conform.track import Track

MIN_ISR = "min.insync.replicas"
_TOPIC = "2"  # of a configuration's resource types


def controller_track(events: Sequence[Event]) -> Track:
    """The controller's track from the partition's first record on: the metadata log if there is one, else its lines."""
    by_source = {source: [e for e in events if e.source == source] for source in ("metadata", "log")}
    chosen = (
        _versions([*_records(by_source["metadata"]), *min_isr_changes(events)[1]])
        if by_source["metadata"]
        else _records(by_source["log"])
    )
    chosen.sort(key=lambda event: event.order)
    begin = next((i for i, event in enumerate(chosen) if event.kind in ("partition_record", "creates")), 0)
    named = name_reassignments(chosen[begin:]) if by_source["metadata"] else chosen[begin:]
    numbered = _number_sessions(_name_reporters(named))
    return Track("controller", tuple(event for event in numbered if event.kind in TABLE))


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
            unchanged = eligible if event.has("directories") else {}
            event = replace(event, fields={**event.fields, **unchanged, "version": str(version), "epoch": str(epoch)})
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


def _name_reporters(events: Iterable[Event]) -> Iterator[Event]:
    """Yield a record of directories as such, with the broker that reported where the directory of one alone changed."""
    replicas: list[str] = []
    known = ""
    for event in events:
        if event.has("replicas"):
            replicas = event.fields["replicas"].split(",")
        if event.has("directories"):
            before, known = event.fields.get("directories_before", known), event.fields["directories"]
            places = zip(replicas, before.split(","), known.split(","), strict=False)
            changed = [broker for broker, old, new in places if old != new]
            reports = {"reports": changed[0]} if len(changed) == 1 else {}
            if event.kind == "elects" and not event.has("replicas"):
                event = replace(event, kind="records_dir", fields={**event.fields, **reports})
        yield event


def _number_sessions(events: Iterable[Event]) -> Iterator[Event]:
    """Registrations with their number among the broker's, of which the first was before the partition.

    A broker whose answer is late asks again, and is put on record again as the same incarnation: that is none.
    """
    sessions: dict[int | None, int] = {}
    last: dict[int | None, str] = {}
    for event in events:
        if event.kind == "registers":
            incarnation = event.fields.get("incarnation", "")
            if incarnation and last.get(event.broker) == incarnation:
                continue
            last[event.broker] = incarnation
            sessions[event.broker] = sessions.get(event.broker, 0) + 1
            event = replace(event, fields={**event.fields, "session": str(sessions[event.broker])})
        yield event


def _settings(events: Iterable[Event]) -> list[Event]:
    """Records of min.insync.replicas for all topics or for the partition's own, in order."""
    metadata = [event for event in events if event.source == "metadata"]
    names = {event.fields.get("topic_id"): event.fields.get("name") for event in metadata if event.kind == "topic"}
    created = next((event for event in metadata if event.kind == "partition_record"), None)
    own = created and names.get(created.fields.get("topic_id"))
    configs = [e for e in metadata if e.kind == "config" and e.fields.get("name") == MIN_ISR]
    configs = [e for e in configs if e.fields.get("resourceType") != _TOPIC or e.fields.get("resourceName") == own]
    return sorted(configs, key=lambda event: event.order)


def min_isr_changes(events: Sequence[Event]) -> tuple[str | None, list[Event], str]:
    """The partition's first value if a record tells it, the changes after that, and what cannot be told of them."""
    begins = min((e.order for e in events if e.kind == "partition_record"), default=0)
    settings = _settings(events)
    first = [e.fields["value"] for e in settings if e.order < begins and e.fields.get("resourceType") == _TOPIC]
    later = [e for e in settings if e.order >= begins]
    changes = [e for e in later if e.fields.get("resourceType") == _TOPIC and e.number("value") is not None]
    other = [e for e in later if e not in changes]
    doubt = f"{MIN_ISR} changed otherwise than by a value for the topic, as of {other[0]}" if other else ""
    return first[-1] if first else None, [replace(event, kind="min_isr") for event in changes], doubt
