"""The table: which steps of a published design each event of ZooKeeper's time may be (Kafka 0.10 and 0.11)."""

from typing import Any

from isrlogs.conform.event import Event
from isrlogs.conform.kraft_events import LONGER, SHORTER, end, followers_end, node, number, of
from isrlogs.conform.meaning import Check, Meaning, Step


def came_or_went(event: Event) -> int | None:
    """The broker that enters the ISR or leaves it."""
    return max(event.numbers("from") ^ event.numbers("to"), default=None)


def quorum_value(field: str) -> Any:
    """The leader, or the ISR, that the controller has on record."""
    return lambda view, event: view.ids(view.value(f"quorum_{field}"))


def at_most(modelled: Any, observed: Any) -> bool:
    """Whether a log is not longer than what it was cut to."""
    return bool(modelled <= observed)


LEADER, EPOCH = number("leader"), number("epoch")
LOG_END = Check("log end offset of broker {broker}", end, number("end"))
BEFORE = Check("log end offset of broker {broker} before", end, number("first"), falls_by=SHORTER, grows_by=LONGER)
OFFSET = Check("log end offset of broker {broker}", end, number("offset"), falls_by=SHORTER, grows_by=LONGER)
IN_EPOCH = Check("leader epoch of broker {broker}", of("leader_epoch"), EPOCH)
OFFSET_OF_FETCH = Check(
    "offset of the fetch to broker {broker}",
    followers_end,
    number("offset"),
    subject=number("follower"),
    falls_by=SHORTER,
    grows_by=LONGER,
)
ITS_LEADER = Check("leader of broker {broker}", lambda view, event: view.ids(view.of("leader", event.broker)), LEADER)
CUT = Check("log end offset of broker {broker}", end, number("to"), at_most)
ANSWERED = Step("answer_arrives", {"follower": node, "leader": LEADER, "end": number("end"), "hw": number("leader_hw")})
FOLLOWS = {"follower": node, "leader": LEADER, "epoch": EPOCH}
NEW_LEADER = Step("replica_becomes_follower", FOLLOWS)

TABLE: dict[str, Meaning] = {
    # the controller
    "orders": Meaning(
        (Step("controller_orders", {"chosen": LEADER}),),
        (
            Check("leader epoch on record", lambda view, event: view.quorum_epoch, EPOCH),
            Check("leader on record", quorum_value("leader"), LEADER),
            Check("ISR on record", quorum_value("isr"), lambda event: event.numbers("isr")),
        ),
    ),
    # a leader
    "leads": Meaning((Step("replica_becomes_leader", {"leader": node, "epoch": EPOCH}),), (IN_EPOCH,)),
    "leads_at": Meaning(after=(IN_EPOCH, OFFSET), may_be_nothing=True),
    "append": Meaning(
        (Step("append_until", {"leader": node, "end": number("end")}),),
        (LOG_END,),
        before=(BEFORE,),
    ),
    "known": Meaning(
        (Step("fetch_is_noted", {"leader": node, "follower": number("follower")}),),
        before=(OFFSET_OF_FETCH,),
        helped=(
            Step("append_until", {"leader": node, "end": number("offset")}),
            Step("answer_arrives", {"follower": number("follower"), "leader": node, "end": number("offset")}),
        ),
    ),
    "hw_up": Meaning((Step("high_watermark_reaches", {"leader": node, "end": number("to")}),)),
    "expands": Meaning((Step("leader_expands_isr", {"leader": node, "replica": came_or_went}),)),
    "shrinks": Meaning((Step("leader_shrinks_isr", {"leader": node, "replica": came_or_went}),)),
    # a follower
    "follows": Meaning((NEW_LEADER, Step("follower_waits", FOLLOWS))),
    "truncates": Meaning((NEW_LEADER,), (ITS_LEADER,), may_be_nothing=True),
    "truncate": Meaning(after=(CUT,), may_be_nothing=True),
    "fetch_sent": Meaning(after=(OFFSET,), may_be_nothing=True),
    "copies": Meaning((ANSWERED,), (LOG_END,), before=(BEFORE,)),
    "fetch_done": Meaning(
        (ANSWERED,),
        (Check("high watermark of broker {broker}", of("hw"), number("hw")),),
        may_be_nothing=True,
    ),
    # a start
    "log_loaded": Meaning((Step("replica_starts", {"replica": node}),), (LOG_END,)),
}
