"""How traces of the ISR admission family are drawn: one leader, its followers, and their clocks against T."""

from isrcheck import Drawing, arrow, cells, crown, lane, mark, note, ribbon

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
    arrow("fetch_is_served", "leader", "follower", "fetch answered"),
)
