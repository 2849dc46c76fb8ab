"""Rules that events must keep in every release: no model is asked, and one partition is judged at a time.

What was not seen proves nothing: a rule is broken by lines that contradict each other, never by one that is missing.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby

from isrlogs.observe.event import Event
from isrlogs.observe.facts import CLOCKS_MS, Begin, Broken, Facts, number, report_broken
from isrlogs.observe.node_rules import NodeRules
from isrlogs.observe.order import once

# What each rule says, by its name.
RULES = {
    "hw_never_decreases": "within a leader epoch a broker's high watermark never goes back",
    "hw_within_log": "a high watermark is never beyond the broker's log end",
    "hw_within_isr": "a leader's high watermark is never beyond the log end of a member of its ISR",
    "committed_stays": "a broker never truncates below its own high watermark",
    "leader_has_committed": "a leader begins with every record that was committed in earlier epochs",
    "logs_agree": "a leader epoch begins at one offset in all logs",
    "acked_present": "a record that was acknowledged to acks=all keeps its place",
}
# The kinds that the rules read.
KINDS = (
    "append", "truncate", "truncates_below", "truncate_fully", "log_created", "log_loaded", "loaded", "hw_set", "hw_up",
    "hw_back", "hw_same", "known", "leads", "leads_at", "leads_on", "follows", "isr_settled", "fetched", "epoch_starts",
    "send", "ack", "read",
)  # fmt: skip


def judge(events: Iterable[Event]) -> Iterator[Broken]:
    """Yield the broken rules in events that are sorted by run, topic, partition, node, source and order."""
    for (_, topic, partition), own in groupby(events, key=lambda e: (e.run, e.topic, e.partition)):
        if topic is None or partition is None:
            continue
        facts = Facts()
        for (_, source), lines in groupby(own, key=lambda e: (e.node, e.source)):
            if source == "log":
                yield from NodeRules(facts).judge(once(lines))
            elif source == "client":
                facts.journal += lines
        yield from compare_nodes(facts)


def compare_nodes(facts: Facts) -> Iterator[Broken]:
    """The rules that compare what several nodes wrote. A topic that was created again is another one with this name."""
    if not facts.one_topic():
        return
    for leader in facts.leaders:
        yield from _leader_has_committed(leader, facts)
    yield from _logs_agree(facts.begins)
    yield from _check_acked_present(facts)


def _leader_has_committed(leader: Begin, facts: Facts) -> Iterator[Broken]:
    """A leader has all that earlier epochs committed. Later lines are of another epoch, whose beginning is missing."""
    until = (leader.event.wall_ms or 0) + CLOCKS_MS
    earlier = [
        commit
        for (epoch, _), written in facts.committed.items()
        if epoch < leader.epoch
        for commit in written
        if commit.offset > leader.offset and commit.wall_ms <= until
    ]
    if not earlier:
        return
    most = max(earlier, key=lambda latest: latest.offset)
    yield report_broken(
        "leader_has_committed",
        leader.event,
        f"it leads epoch {leader.epoch} from offset {leader.offset}, and all records below {most.offset} "
        f"were committed in epoch {most.epoch}, as {most.node} wrote",
    )


def _logs_agree(begins: Iterable[Begin]) -> Iterator[Broken]:
    known: dict[int, Begin] = {}
    for begin in begins:
        other = known.setdefault(begin.epoch, begin)
        if other.offset != begin.offset:
            why = f"epoch {begin.epoch} begins at {begin.offset} in its log, and at {other.offset} in that of "
            yield report_broken("logs_agree", begin.event, f"{why}{other.event.node}")


def _check_acked_present(facts: Facts) -> Iterator[Broken]:
    acked: dict[int, Event] = {}
    for event in sorted(facts.journal, key=_time):
        offset = number(event, "offset")
        if offset is None or "error" in event.fields:
            continue
        to_all = event.kind == "ack" and _asks_all(event, facts)
        before = acked.get(offset)
        if before is None:
            acked |= {offset: event} if to_all else {}
        # An acknowledgement to acks=1 may come from a leader that does not know yet that it is none.
        elif (to_all or event.kind == "read") and before.fields.get("value") != event.fields.get("value"):
            values = [each.fields.get("value") for each in (before, event)]
            yield report_broken(
                "acked_present", event, f"offset {offset} was acknowledged as {values[0]}, and is {values[1]}"
            )
    for leader in facts.leaders:
        later = [o for o, ack in acked.items() if o >= leader.offset and _certainly_before(ack, leader.event)]
        if later:
            begins = f"it leads epoch {leader.epoch} from offset {leader.offset}"
            yield report_broken(
                "acked_present", leader.event, f"{begins}, and offset {max(later)} was acknowledged before"
            )


def _time(event: Event) -> tuple[int, int, int]:
    return event.start_ns or 0, event.wall_ms or 0, event.order


def _asks_all(ack: Event, facts: Facts) -> bool:
    """Whether an acknowledgement is to acks=all: as it says itself, else as its record was sent."""
    acks = ack.fields.get("acks") or facts.sent.get(ack.fields.get("value", ""))
    return acks in ("all", "-1")


def _certainly_before(ack: Event, other: Event) -> bool:
    return ack.wall_ms is not None and other.wall_ms is not None and ack.wall_ms + CLOCKS_MS < other.wall_ms
