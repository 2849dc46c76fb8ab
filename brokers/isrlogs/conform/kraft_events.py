"""The table: which steps of a partition under KRaft each event may be, and what it tells of the state after it.

A run's leader and partition epochs are the model's minus one: the model begins before the partition has a leader.
"""

from typing import Any

from isrlogs.conform.event import Event
from isrlogs.conform.meaning import Check, Meaning, Step, Telling, View
from isrmodel.kraft.state import Acks

# What an event tells


def node(event: Event) -> int | None:
    """The broker whose log it is in."""
    return event.broker


def number(name: str, plus: int = 0) -> Telling:
    """A field that holds one number."""

    def tell(event: Event) -> int | None:
        value = event.number(name)
        return None if value is None else value + plus

    return tell


def other(name: str) -> Telling:
    """The broker of a field's list that is not its first; the first if it is alone."""
    return lambda event: max(event.numbers(name) - {event.number(name)}, default=event.number(name))


def ids(name: str) -> Telling:
    """A field that lists brokers."""
    return lambda event: event.numbers(name) if name in event.fields else None


def broker_field(name: str) -> Telling:
    """The broker that a field names; -1 is none."""

    def tell(event: Event) -> int | None:
        value = event.number(name)
        return None if value is None or value < 0 else value

    return tell


leader = broker_field("leader")


def leader_after(event: Event) -> int | None:
    """The leader by the controller's record, or by an earlier one if it does not say."""
    known: int | None = broker_field("leader_after")(event) if event.has("leader_after") else leader(event)
    return known


def leader_if_unclean(event: Event) -> int | None:
    """The leader that it names, if the record says that the election was unclean; else nobody's number."""
    return leader(event) if event.fields.get("recovery") == "1" else -1


def acks(event: Event) -> Acks:
    """The acks that a producer asked for with its record."""
    return {"all": Acks.ALL, "-1": Acks.ALL, "0": Acks.NONE}.get(event.fields.get("acks", ""), Acks.ONE)


def acks_all(event: Event) -> bool | None:
    """Whether the producer of the batch asked for acks=all, as far as that is known."""
    return True if event.fields.get("acks") == "all" else None


VERSION = number("version")
EPOCH = number("epoch")


# What the state says of it


def of(name: str) -> Any:
    """The value of a variable for the event's broker."""
    return lambda view, event: view.of(name, event.broker)


def image(field: str) -> Any:
    """The partition as the event's broker knows it."""
    return lambda view, event: view.ids(getattr(view.of("known", event.broker), field))


def epoch_of_broker(view: View, event: Event) -> int:
    """The leader epoch in which the event's broker is."""
    return int(view.of("known", event.broker).epoch) - 1


def partition_epoch_of_broker(view: View, event: Event) -> int:
    """The partition epoch that the event's broker has read of."""
    return int(view.of("seen", event.broker)) - 1


def end(view: View, event: Event) -> int:
    """The log end offset of the event's broker."""
    return len(view.of("log", event.broker))


def followers_end(view: View, event: Event) -> int:
    """The log end offset of the follower that it names, or where it was if this is a late fetch."""
    follower, offset = event.number("follower"), event.number("offset")
    is_late = hasattr(view, "late") and any(late.offset == offset for late in view.of("late", follower))
    return offset if is_late and offset is not None else len(view.of("log", follower))


def offset_heard_by_leader(view: View, event: Event) -> int | None:
    """The leader's knowledge of the follower that the event names: the offset of its last fetch."""
    follower = event.number("follower")
    heard, sent = view.of("heard", event.broker)[view.members[follower or 0]], view.of("sent", follower)
    is_new = heard is None or heard.session != view.of("session", follower)
    return None if is_new or sent is None or view.ids(sent.leader) != event.broker else int(heard.offset)


def is_up(view: View, event: Event) -> bool:
    """Whether the event's broker is up."""
    return view.members[event.broker or 0] not in view.down


def isr_awaited(view: View, event: Event) -> Any:
    """The ISR for which the event's broker waits."""
    request = view.of("request", event.broker)
    return None if request is None else view.ids(request.isr)


def isr_left(view: View, event: Event) -> Any:
    """The ISR that the event's broker knows, without those that it names as out."""
    return image("isr")(view, event) - event.numbers("out")


def behind_answer(view: View, event: Event) -> int:
    """How far the high watermark of the event's broker is from what the answer to its fetch makes it."""
    return int(view.of("hw", event.broker)) - min(event.number("leader_hw") or 0, end(view, event))


def earlier_leader_hw(view: View, event: Event) -> int | None:
    """The leader's high watermark as the follower's line before this one tells it."""
    return event.number("answer_hw" if event.has("answer_hw") else "leader_hw")


def own_end_told(event: Event) -> int | None:
    """The leader's own log end among those that its line tells."""
    return event.pairs("ends").get(event.broker or 0)


def may_expose(view: View, event: Event) -> bool:
    """Whether the event's broker may move its high watermark."""
    return bool(view.ask("may_expose", leader=view.members[event.broker or 0]))


def takes_acks_all(view: View, event: Event) -> bool:
    """Whether the event's broker takes records with acks=all."""
    leader = view.members[event.broker or 0]
    return bool(view.ask("accepts", leader=leader, isr=view.known[leader].isr))


def assignment(view: View, event: Event) -> Any:
    """The brokers that hold the partition as the controller has it."""
    return view.ids(view.ask("assignment", version=view.version))


def at_most(modelled: Any, observed: Any) -> bool:
    """Whether a candidate is not above what there is."""
    return bool(observed <= modelled)


NEVER: frozenset[str] = frozenset()
SHORTER = frozenset({"truncates", "power_loss", "replace_disk"})
LONGER = frozenset({"append", "copies"})

UP = Check("broker {broker} is up", is_up, lambda event: True)
DOWN = Check("broker {broker} is up", is_up, lambda event: False)
LOG_END = Check("log end offset of broker {broker}", end, number("end"), falls_by=SHORTER, grows_by=LONGER)
STARTS_AT = Check("log end offset of broker {broker}", end, number("offset"), falls_by=SHORTER, grows_by=LONGER)
BEFORE = Check("log end offset of broker {broker} before", end, number("first"), falls_by=SHORTER, grows_by=LONGER)
OFFSET_OF_FETCH = Check(
    "offset of the fetch to broker {broker}",
    followers_end,
    number("offset"),
    subject=number("follower"),
    falls_by=SHORTER,
    grows_by=LONGER,
)
HW = Check("high watermark of broker {broker}", of("hw"), number("hw"))
HW_OF_ANSWER = Check(
    "high watermark of broker {broker} beyond what the leader told it",
    behind_answer,
    lambda event: 0 if event.has("leader_hw") else None,
)
PARTITION_EPOCH = Check(
    "partition epoch that broker {broker} knows", partition_epoch_of_broker, VERSION, falls_by=NEVER
)
IN_EPOCH = Check("leader epoch of broker {broker}", epoch_of_broker, EPOCH, falls_by=NEVER)
KNOWN_ISR = Check("ISR that broker {broker} knows", image("isr"), ids("isr"))
KNOWN_LEADER = Check("leader that broker {broker} knows", image("leader"), leader)
RECORDED = (
    Check("partition epoch on record", lambda view, event: view.version - 1, VERSION, falls_by=NEVER),
    Check("leader epoch on record", lambda view, event: view.now.epoch - 1, EPOCH, falls_by=NEVER),
    Check("ISR on record", lambda view, event: view.ids(view.now.isr), ids("isr")),
    Check("leader on record", lambda view, event: view.ids(view.now.leader), leader),
    Check("ELR on record", lambda view, event: view.ids(view.now.elr), ids("elr")),
    Check("last known leader on record", lambda view, event: view.ids(view.now.last_known), ids("last_known_elr")),
    Check("brokers that hold the partition on record", assignment, ids("holders")),
)

# Steps

LEARN = Step("learn", {"broker": node, "version": number("version", 1)})
START = Step("start", {"broker": node, "version": number("version", 1)})
KILL, STOP = Step("kill", {"broker": node}), Step("stop", {"broker": node})
ANSWER = tuple(
    Step(name, {"follower": node, "leader": leader, "end": number("end")})
    for name in ("answer_arrives", "late_answer_arrives")
)
OF_LEADER = (
    Step("append_until", {"leader": leader, "end": number("end")}),
    Step("fetch_arrives", {"leader": leader, "follower": node}),
)
LED_BY = {"chosen": leader_after}
LEFT = LED_BY | {"broker": number("left")}
REASSIGN = Step("reassign", LED_BY | {"added": number("added"), "removed": number("removed")})
REPORT = Step("record_dir", LED_BY | {"broker": number("reports")})
CONTROLLER = (
    Step("grant", LED_BY | {"leader": broker_field("leader_before")}),
    Step("fence", LEFT),
    Step("register", LEFT),
    Step("register_started", LEFT),
    Step("unfence", LED_BY),
    Step("leave", LEFT),
    Step("elect", {"chosen": leader}),
    Step("elect_unclean", {"chosen": leader_if_unclean}),
)


def broker(event: Event) -> int | None:
    """The broker that the controller's line names."""
    return event.number("broker")


def is_fenced(view: View, event: Event) -> bool:
    """Whether the broker that the controller's line names is fenced."""
    return view.members[broker(event) or 0] in view.fenced


def is_leaving(view: View, event: Event) -> bool:
    """Whether the broker that the controller's line names is shutting down."""
    return view.members[broker(event) or 0] in view.leaving


NOTHING = Meaning(may_be_nothing=True)

TABLE: dict[str, Meaning] = {
    # the controller
    "creates": Meaning((Step("begin", {"leader": leader}),), RECORDED),
    "partition_record": Meaning((Step("begin", {"leader": leader}),), RECORDED, helped=(Step("leave_out"),)),
    "reassigns": Meaning((REASSIGN,), RECORDED),
    "elects": Meaning(CONTROLLER, RECORDED, helped=(Step("ask_add"), Step("ask_drop")), may_be_nothing=True),
    "records_dir": Meaning((REPORT,), RECORDED),
    "fences": Meaning(
        (Step("fence", {"broker": broker}),),
        (Check("the broker is fenced", is_fenced, lambda event: True),),
        may_be_nothing=True,
    ),
    "unfences": Meaning(
        (Step("unfence", {"broker": broker}),),
        (Check("the broker is fenced", is_fenced, lambda event: False),),
        may_be_nothing=True,
    ),
    "leaves": Meaning(
        (Step("leave", {"broker": broker}),),
        (Check("the broker is shutting down", is_leaving, lambda event: True),),
        may_be_nothing=True,
    ),
    "registers": Meaning(
        (Step("register", {"broker": broker}), Step("register_started", {"broker": broker})),
        (Check("registrations of the broker since the first", of("session"), number("session")),),
        may_be_nothing=True,
    ),
    "min_isr": Meaning((Step("set_min_isr", {"value": number("value")}),)),
    # a broker and the metadata
    "leads": Meaning((LEARN,), (PARTITION_EPOCH, IN_EPOCH, KNOWN_ISR, STARTS_AT), helped=(START,), may_be_nothing=True),
    "leads_on": Meaning((LEARN,), (PARTITION_EPOCH, IN_EPOCH, KNOWN_ISR), may_be_nothing=True),
    "follows": Meaning(
        (LEARN,), (PARTITION_EPOCH, IN_EPOCH, KNOWN_LEADER, STARTS_AT, HW), helped=(START,), may_be_nothing=True
    ),
    "follows_on": Meaning((LEARN,), (PARTITION_EPOCH, IN_EPOCH), may_be_nothing=True),
    # a leader
    "append": Meaning(
        (Step("append_until", {"leader": node, "end": number("end")}),),
        (LOG_END,),
        before=(
            BEFORE,
            Check("ISR large enough for acks=all at broker {broker}", takes_acks_all, acks_all),
        ),
    ),
    "known": Meaning(
        (
            Step("fetch_arrives", {"leader": node, "follower": number("follower")}),
            Step("late_fetch_arrives", {"leader": node, "follower": number("follower")}),
        ),
        (
            OFFSET_OF_FETCH,
            Check("offset that broker {broker} knows of the follower", offset_heard_by_leader, number("offset")),
        ),
        before=(OFFSET_OF_FETCH,),
        helped=(
            Step("append_until", {"leader": node, "end": number("offset")}),
            Step("answer_arrives", {"follower": number("follower"), "leader": node, "end": number("offset")}),
        ),
        may_be_nothing=True,
    ),
    "hw_same": Meaning(
        after=(
            Check("high watermark of broker {broker}", of("hw"), number("candidate"), at_most),
            Check("log end offset of broker {broker}", end, own_end_told),
        ),
        may_be_nothing=True,
    ),
    "hw_up": Meaning(helped=(Step("append_until", {"leader": node, "end": number("to")}),)),
    "hw_blocked": Meaning(
        after=(KNOWN_ISR, Check("whether broker {broker} moves its high watermark", may_expose, lambda event: False)),
        may_be_nothing=True,
    ),
    "shrinks": Meaning(
        after=(
            LOG_END,
            HW,
            Check("ISR that broker {broker} knows", image("isr"), ids("from")),
            Check("ISR of broker {broker} without whom it drops", isr_left, ids("to")),
        ),
        helped=(Step("append_until", {"leader": node, "end": number("end")}),),
        may_be_nothing=True,
    ),
    "isr_asked": Meaning(
        (
            Step("ask_add", {"leader": node, "follower": number("who")}),
            Step("ask_drop", {"leader": node, "follower": number("who"), "also": other("who")}),
        ),
        (Check("ISR that broker {broker} asks for", isr_awaited, ids("isr")), PARTITION_EPOCH),
    ),
    "isr_answered": NOTHING,
    "isr_refused": Meaning((Step("refuse_ineligible", {"leader": node}),)),
    "isr_settled": Meaning((LEARN,), (PARTITION_EPOCH, KNOWN_ISR), may_be_nothing=True),
    "isr_late_answer": NOTHING,
    # a follower
    "copies": Meaning(
        ANSWER,
        (LOG_END, HW_OF_ANSWER),
        before=(BEFORE,),
        helped=OF_LEADER,
    ),
    "fetch_sent": Meaning(
        after=(
            STARTS_AT,
            IN_EPOCH,
            KNOWN_LEADER,
        ),
        may_be_nothing=True,
    ),
    "fetched": Meaning(after=(LOG_END, KNOWN_LEADER), may_be_nothing=True),
    "fetch_done": Meaning(
        ANSWER,
        (HW_OF_ANSWER, HW, Check("high watermark in the line before", earlier_leader_hw, number("leader_hw"))),
        helped=OF_LEADER,
        may_be_nothing=True,
    ),
    "truncates": Meaning(
        (Step("truncate", {"follower": node}), Step("take_late", {"follower": node})),
        (Check("log end offset of broker {broker}", end, number("to")),),
        may_be_nothing=True,
    ),
    # stops and starts
    "kill": Meaning((KILL,)),
    "power_loss": Meaning((Step("cut_power", {"broker": node}), KILL)),
    "replace_disk": Meaning((Step("lose_disk", {"broker": node}),)),
    "killed_or_stopped": Meaning((KILL, STOP)),
    "stop": Meaning((STOP,)),
    "unseen_kill": Meaning((KILL,), (DOWN,), helped=(START,), or_nothing=True),
    "unseen_killed_or_stopped": Meaning((KILL, STOP), (DOWN,), helped=(START,), or_nothing=True),
    "unseen_stop": Meaning((STOP,), (DOWN,), helped=(START,), or_nothing=True),
    "loaded": Meaning(
        (Step("start_from_checkpoint", {"broker": node, "hw": number("hw")}),),
        (UP, HW),
        helped=(START,),
        may_be_nothing=True,
    ),
    # a producer
    "ack": Meaning(
        (Step("acknowledge", {"offset": number("offset"), "acks": acks}),),
        helped=(Step("append_until", {"end": number("offset", 1)}),),
        eager=True,
    ),
}
