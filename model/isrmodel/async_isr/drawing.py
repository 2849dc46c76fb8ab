"""How traces of ISR changes by request are drawn."""

from isrcheck import Drawing, arrow, cells, crown, lane, mark, note, ribbon

DRAWING = Drawing(
    lane("controller"),
    lane("leader"),
    lane(each="fetched"),
    crown(on="leader"),
    cells("log_end", on="leader"),
    mark("high_watermark", "HW", on="leader", commits=True),
    cells("fetched"),
    ribbon("controller.isr", "ISR", on="controller", electable=True),
    note("controller.version", "version", on="controller"),
    ribbon("leader.isr", "ISR", on="leader"),
    note("leader.version", "version", on="leader"),
    ribbon("pending_isr", "asked for", on="leader"),
    note("pending_version", "asked at version", on="leader"),
    arrow("leader_requests_shrink", "leader", "controller", "ISR without {follower}?"),
    arrow("leader_requests_expand", "leader", "controller", "ISR with {follower}?"),
    arrow("leader_handles_update", "controller", "leader", "{update}"),
    arrow("follower_replicates", "leader", "follower", "next record"),
)
