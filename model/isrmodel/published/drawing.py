"""How traces of the published designs are drawn."""

from isrcheck import Drawing, arrow, cells, crown, lane, mark, note, ribbon

DRAWING = Drawing(
    lane("controller"),
    lane(each="log"),
    crown("leader"),
    cells("log", label="id", colour="epoch"),
    mark("hw", "HW", commits=True),
    ribbon("isr", "ISR"),
    note("leader", "leader"),
    note("leader_epoch", "epoch"),
    ribbon("quorum_isr", "ISR", on="controller", electable=True),
    note("quorum_leader", "leader", on="controller"),
    note("quorum_epoch", "epoch", on="controller"),
    arrow("replica_becomes_leader", "controller", "leader", "you lead in epoch {epoch}"),
    arrow("replica_becomes_follower", "controller", "follower", "follow {leader} in epoch {epoch}"),
    arrow("leader_expands_isr", "leader", "controller", "add {replica} to the ISR"),
    arrow("leader_shrinks_isr", "leader", "controller", "drop {replica} from the ISR"),
    arrow("follower_replicates", "leader", "follower", "next record, and HW"),
)
