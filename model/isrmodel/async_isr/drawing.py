"""How traces of ISR changes by request are drawn."""

from isrcheck import Drawing, arrow, blame, cells, change, crown, lane, mark, note, ribbon

LANES = (
    lane("controller"),
    lane("leader"),
    lane(each="fetched"),
    crown(on="leader"),
    cells("log_end", on="leader"),
    mark("high_watermark", "HW", on="leader", commits=True),
    cells("fetched"),
    ribbon("controller.isr", "ISR", on="controller", electable=True, always="leader"),
    note("controller.version", "version", on="controller"),
    ribbon("leader.isr", "ISR", on="leader", always="leader"),
    note("leader.version", "version", on="leader"),
    ribbon("pending_isr", "asked for", on="leader"),
    note("pending_version", "asked at version", on="leader"),
)
STORY = (
    change("controller.isr", "ISR on record {value}"),
    change("leader.isr", "ISR of the leader {value}"),
    change("log_end", "LEO {end} on the leader"),
    change("fetched", "LEO {end} on {key}"),
)
MESSAGES = (
    arrow("leader_requests_shrink", "leader", "controller", "ISR without {follower}?", leaves=True),
    arrow("leader_requests_expand", "leader", "controller", "ISR with {follower}?", leaves=True),
    arrow(
        "controller_handles_request",
        "leader",
        "controller",
        "asked at version {request.version}",
        sent="requests[request]",
    ),
    arrow("leader_handles_update", "controller", "leader", "ISR of version {update.version}", sent="updates[update]"),
    arrow("follower_replicates", "leader", "follower", "next record"),
)
BLAMES = (
    blame("hw_never_decreases", "leader", "takes back what it has exposed: its high watermark goes down"),
    blame("followers_within_log", "f", "has more than its leader"),
)
DRAWING = Drawing(*LANES, *STORY, *MESSAGES, *BLAMES)
