"""How traces of the published designs are drawn."""

from isrcheck import Drawing, arrow, blame, cells, crown, lane, mark, note, ribbon, truncation

DRAWING = Drawing(
    lane("controller"),
    lane(each="log"),
    crown("leader", elected="quorum_leader"),
    cells("log", label="id", colour="epoch"),
    mark("hw", "HW", commits=True),
    ribbon("isr", "ISR"),
    note("leader", "leader"),
    note("leader_epoch", "epoch"),
    ribbon("quorum_isr", "ISR", on="controller", electable=True),
    note("quorum_leader", "leader", on="controller"),
    note("quorum_epoch", "epoch", on="controller"),
    arrow("replica_becomes_leader", "controller", "leader", "you lead in epoch {epoch}", sent="requests[epoch]"),
    arrow(
        "replica_becomes_follower",
        "controller",
        "follower",
        "follow {leader} in epoch {epoch}",
        sent="requests[epoch]",
    ),
    arrow("leader_expands_isr", "leader", "controller", "add {replica} to the ISR"),
    arrow("leader_shrinks_isr", "leader", "controller", "drop {replica} from the ISR"),
    arrow("follower_replicates", "leader", "follower", "next record, and HW"),
    truncation("replica_becomes_follower", "follower", "truncation_point"),
    blame("keep_up_stays", "leader", "drops {follower} from the ISR, which is in its epoch and has its whole log"),
    blame("log_matching", "one", "has another record than {other} below both high watermarks"),
)
