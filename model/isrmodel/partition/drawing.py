"""How traces of a partition across changes of leader are drawn."""

from isrcheck import Drawing, arrow, cells, crown, lane, mark, note, ribbon

DRAWING = Drawing(
    lane("controller"),
    lane(each="log"),
    crown("leader"),
    cells("log", colour="epoch"),
    mark("hw", "HW", commits=True),
    ribbon("isr", "ISR"),
    note("leader", "leader"),
    note("leader_epoch", "epoch"),
    note("version", "version"),
    ribbon("quorum_isr", "ISR", on="controller", electable=True),
    note("quorum_leader", "leader", on="controller"),
    note("quorum_epoch", "epoch", on="controller"),
    note("quorum_version", "version", on="controller"),
    arrow("replica_becomes_leader", "controller", "leader", "you lead in epoch {epoch}"),
    arrow("replica_becomes_follower", "controller", "follower", "follow {leader} in epoch {epoch}"),
    arrow("leader_shrinks_isr", "leader", "controller", "smaller ISR"),
    arrow("follower_fetches", "leader", "follower", "fetch answered"),
    arrow("response_is_lost", "follower", "leader", "fetch; the answer is lost"),
)
