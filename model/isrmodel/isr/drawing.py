"""How traces of the ISR admission family are drawn: one leader, its followers, and their clocks against T."""

from isrcheck import Drawing, arrow, blame, cells, change, crown, lane, mark, note, ribbon, since
from isrmodel.drawing import AWAITED

TIME_ALONE = (
    "{gone} is late and outside the ISR since step {number}: HW no longer waits for it, but time alone does not move HW"
)
DRAWING = Drawing(
    lane("leader"),
    lane(each="follower_end"),
    crown(on="leader"),
    cells("log_end", on="leader"),
    mark("hw", "HW", on="leader", commits=True),
    ribbon("isr", "ISR", on="leader", electable=True),
    note("timer", "expiration timer", on="leader", limit="expiration_period"),
    cells("follower_end"),
    mark("known", "last fetch"),
    note("caught_up_age", "caught up ago", limit="lag_time_max"),
    note("fetch_age", "fetched ago", limit="lag_time_max"),
    note("lag_begin_age", "lagging since", limit="lag_time_max"),
    note("fetch_leo", "LEO at last fetch"),
    note("reading", "being read"),
    arrow("follower_fetches", "leader", "follower", "fetch answered"),
    arrow("follower_fetches_during_append", "leader", "follower", "fetch answered, record appended"),
    arrow("fetch_arrives", "follower", "leader", "fetch"),
    arrow("fetch_is_served", "leader", "follower", "fetch answered", sent="reading[follower]"),
    change("log_end", "LEO {end} on the leader"),
    change("follower_end", "LEO {end} on {key}"),
    change("caught_up_age", "ticks since {key} caught up: {value}", action="time_passes"),
    change("t_exceeded", "T is {value}", action="time_passes"),
    change("list_silent", "for more than T no fetch of {members}", action="time_passes"),
    change("hw", "HW {value}"),
    change("isr", "ISR {value}"),
    change("lag_begin_age", "{key} began to lag {value} ago", absent="{key} does not lag"),
    AWAITED,
    # Who violates a property
    blame("hw_never_decreases", "leader", "lowers its high watermark"),
    blame("isr_at_least_hw", "f", "is in the ISR and below the high watermark"),
    blame(
        "hw_not_stalled",
        "leader",
        "leaves the record at offset {hw} uncommitted, though its whole ISR {isr} has it",
    ),
    since("hw_not_stalled", "list_all_but_late", TIME_ALONE),
    blame("keep_up_stays", "f", "fetches in time and receives everything, and is out of the ISR"),
    blame("reading_to_end_stays", "f", "has read to the end of the log within T, and is taken out of the ISR"),
    blame("dead_evicted", "f", "has made no fetch for T and misses a record, and is still in the ISR"),
    blame("lagging_leaves", "f", "lags for more than T, and is still in the ISR"),
    blame("keeping_up_belongs", "f", "lags by T or less and has reached the high watermark, and is out of the ISR"),
    blame("keeping_up_in_fact_belongs", "f", "has a log that lags by T or less, and is out of the ISR"),
    blame("no_bad_expand", "f", "joins the ISR, and the test for leaving would take it out again at once"),
    blame("joins_at_high_watermark", "f", "joins the ISR below the high watermark"),
    blame("joins_at_log_end", "f", "joins the ISR without all that the leader has"),
    blame("caught_up_rejoins", "follower", "fetches at the leader's log end, and stays out of the ISR"),
    blame("measured_lag_is_safe", "f", "lags by more than the leader measures"),
    blame("caught_up_fetch_counts", "follower", "fetches at the leader's log end, and does not count as caught up"),
    blame("no_eviction_while_reading", "f", "was caught up, and is taken out of the ISR while the leader reads for it"),
    blame("candidate_remains", "leader", "is alone in the ISR"),
    blame("acks_all_accepted", "leader", "has fewer in the ISR than min.insync.replicas"),
    blame("read_does_not_pin", "f", "stays in the ISR by a fetch that has been read for longer than T"),
)
