"""The table: which steps of a leader and its followers each event may be, in the family of the ISR admission policies.

The leader's ISR changes there at once; brokers ask the controller, and learn of it some milliseconds later.
"""

from typing import Any

from isrlogs.conform.event import Event
from isrlogs.conform.kraft_events import LONGER, NEVER, NOTHING, at_most, number
from isrlogs.conform.meaning import Check, Meaning, Step, View


def followers_end(view: View, event: Event) -> Any:
    """The log end offset of the follower that it names."""
    return view.of("follower_end", event.number("follower"))


def own_end(view: View, event: Event) -> Any:
    """The log end offset of the follower whose log it is in."""
    return view.of("follower_end", event.broker)


def may_advance(view: View, event: Event) -> bool:
    """Whether the leader may move its high watermark."""
    return bool(view.ask("may_advance"))


LOG_END = Check("log end offset of the leader", lambda view, event: view.log_end, number("end"))
BEFORE = Check(
    "log end offset of the leader before",
    lambda view, event: view.log_end,
    number("first"),
    falls_by=NEVER,
    grows_by=LONGER,
)
OFFSET_OF_FETCH = Check(
    "offset of the fetch",
    followers_end,
    number("offset"),
    subject=number("follower"),
    falls_by=NEVER,
    grows_by=LONGER,
)
OWN_END = Check("log end offset of broker {broker} before", own_end, number("first"), falls_by=NEVER, grows_by=LONGER)

TABLE: dict[str, Meaning] = {
    "tick": Meaning((Step("time_passes"),)),
    "leads": NOTHING,
    "append": Meaning(
        (Step("append_until", {"end": number("end")}),),
        (LOG_END,),
        before=(BEFORE,),
    ),
    "known": Meaning(
        (Step("fetch_is_noted", {"follower": number("follower")}),),
        before=(OFFSET_OF_FETCH,),
        helped=(
            Step("answer_arrives", {"follower": number("follower"), "end": number("offset")}),
            Step("append_until", {"end": number("offset")}),
        ),
    ),
    "copies": Meaning(
        (Step("answer_arrives", {"follower": lambda event: event.broker, "end": number("end")}),),
        before=(OWN_END,),
    ),
    "hw_up": Meaning(
        after=(
            Check("high watermark of the leader before", lambda view, event: view.hw, number("from"), falls_by=NEVER),
        ),
        helped=(Step("append_until", {"end": number("to")}),),
    ),
    "hw_same": Meaning(
        after=(Check("high watermark of the leader", lambda view, event: view.hw, number("candidate"), at_most),),
        may_be_nothing=True,
    ),
    "hw_blocked": Meaning(
        after=(Check("whether the leader moves its high watermark", may_advance, lambda event: False),),
        may_be_nothing=True,
    ),
    "shrinks": Meaning(helped=(Step("append_until", {"end": number("end")}),)),
    "expands": Meaning(),
    "isr_asked": NOTHING,
    "isr_answered": NOTHING,
    "isr_settled": NOTHING,
    "isr_late_answer": NOTHING,
    "leads_on": NOTHING,
}
