"""The run of a partition in ZooKeeper's time: its tracks, and the constants of a published design."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from isrcheck.plugin import member, replace
from isrlogs.conform.event import Event
from isrlogs.conform.kraft_run import AFTER_CAUSE, most, with_answers
from isrlogs.conform.meaning import View
from isrlogs.conform.published_events import TABLE
from isrlogs.conform.run import Demand, NotModelled, Run
from isrlogs.conform.track import Track
from isrmodel.vocabulary import Replica

UNSEEN = ("follower_truncates",)  # of the first draft of KIP-320, which no release has


def run_of_zookeeper(events: Iterable[Event], settings: Mapping[str, str]) -> Run:
    """A run from the events of one partition. Raises NotModelled if no controller's orders are among them."""
    by_node: dict[str, list[Event]] = {}
    for event in sorted(events, key=lambda event: event.order):
        if event.source == "log":
            by_node.setdefault(event.node, []).append(event)
    controller = Track("controller", tuple(_first_of_each_epoch(by_node.get("controller", ()))))
    if not controller.events:
        logger = "state.change.logger at TRACE would tell of them"
        raise NotModelled(f"no order of a controller to a broker, as in ZooKeeper's time, is in the run: {logger}")
    brokers = [_broker(name, by_node[name]) for name in sorted(by_node) if name.startswith("broker")]
    assigned = {broker for track in brokers for event in track.events for broker in event.numbers("replicas")}
    ids = sorted(assigned or controller.events[0].numbers("isr"))
    tracks = (controller, *(track for track in brokers if track.broker in ids))
    members = {broker: member(Replica, place) for place, broker in enumerate(ids)}
    silent = _silent(tracks) | _logs_missing(ids, brokers)
    return Run(
        members=members,
        tracks=tracks,
        constants=_bounds(tracks, len(ids)),
        table=TABLE,
        demands=partial(_demands, tracks),
        unseen=UNSEEN,
        silent=silent,
    )


def _first_of_each_epoch(events: Iterable[Event]) -> Iterator[Event]:
    """The controller repeats its order to each replica, and to whoever comes back."""
    epochs: set[int | None] = set()
    for event in events:
        if event.kind == "orders" and event.number("epoch") not in epochs:
            epochs.add(event.number("epoch"))
            yield event


def _broker(name: str, events: Sequence[Event]) -> Track:
    """A broker's lines in order, without orders that it has heeded before, and the line by which its log was made."""
    return Track(name, tuple(_drop_repetitions(with_answers(events))), AFTER_CAUSE)


def _drop_repetitions(events: Iterable[Event]) -> Iterator[Event]:
    epoch, is_made = -1, False  # whether the log is there already
    for event in events:
        if event.kind == "log_loaded":
            if is_made:
                epoch = -1
                yield event
            is_made = True
        elif event.kind in ("leads", "follows"):
            if (newer := event.number("epoch") or 0) > epoch:
                epoch = newer
                yield event
        elif event.kind in ("expands", "shrinks"):
            yield from _one_by_one(event)
        elif event.kind in TABLE:
            yield event


def _one_by_one(event: Event) -> Iterator[Event]:
    """A change of the ISR, one replica at a time."""
    isr = event.numbers("from")
    for broker in sorted(isr ^ event.numbers("to")):
        after = isr ^ {broker}
        yield replace(event, fields={**event.fields, "from": _list_brokers(isr), "to": _list_brokers(after)})
        isr = after


def _list_brokers(brokers: frozenset[int]) -> str:
    return ",".join(map(str, sorted(brokers)))


def _bounds(tracks: Sequence[Track], replicas: int) -> dict[str, Any]:
    events = [event for track in tracks for event in track.events]
    batches = [(event.number("end") or 0) - (event.number("first") or 0) for event in events if event.kind == "append"]
    return {
        "replicas": replicas,
        "log_size": max(1, *(most(events, name) for name in ("end", "to", "offset"))),
        "max_records": max(1, sum(batches)),
        "max_leader_epoch": most(events, "epoch"),
    }


def _demands(tracks: Sequence[Track], before: View, after: View) -> Iterator[Demand]:
    """A broker whose log gets shorter says so."""
    for place, track in enumerate(tracks):
        if track.broker is not None and track.tells("truncate", "append", "copies"):
            kept = len(after.of("log", track.broker))
            if kept < len(before.of("log", track.broker)):
                yield Demand(place, "truncate", {"to": kept})


def _silent(tracks: Sequence[Track]) -> dict[str, str]:
    """The events that leaders and followers would have logged, had kafka.log.Log spoken."""
    silent = [t for t in tracks if t.tells("leads", "follows") and not t.tells("append", "copies", "truncate")]
    actions = ("append_until", "answer_arrives")
    return {f"{action} of {t.node}": f"kafka.log.Log of {t.node} at TRACE" for t in silent for action in actions}


def _logs_missing(ids: Iterable[int], brokers: Iterable[Track]) -> dict[str, str]:
    """The brokers that hold the partition, as others say, and wrote no line."""
    nodes = {f"broker {broker}" for broker in ids} - {track.node for track in brokers if track.events}
    return {f"all of {node}": f"{node}: its log is missing" for node in sorted(nodes)}
