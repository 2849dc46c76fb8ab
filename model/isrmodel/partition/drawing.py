"""How traces of a partition across changes of leader are drawn."""

from isrcheck import Drawing, arrow, blame, cells, crown, lane, mark, note, ribbon, truncation

DRAWING = Drawing(
    lane("controller"),
    lane(each="log"),
    crown("leader", elected="quorum_leader"),
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
    arrow("replica_becomes_leader", "controller", "leader", "you lead in epoch {epoch}", sent="requests[epoch]"),
    arrow(
        "replica_becomes_follower",
        "controller",
        "follower",
        "follow {leader} in epoch {epoch}",
        sent="requests[epoch]",
    ),
    arrow("leader_shrinks_isr", "leader", "controller", "smaller ISR"),
    arrow("follower_fetches", "leader", "follower", "fetch answered"),
    arrow("response_is_lost", "follower", "leader", "fetch; the answer is lost"),
    truncation("replica_becomes_follower", "follower", "truncation_point"),
    blame("hw_never_decreases", "r", "lowers its high watermark while it leads"),
    blame("exposed_never_decreases", "leader", "exposes less than was exposed before"),
    blame("isr_at_least_hw", "r", "is in the ISR and below the high watermark of {leader}"),
    blame("no_bad_expand", "f", "joins the ISR of {leader}, which must remove it at once"),
    blame("new_leader_spares_isr", "leader", "takes office, and must remove {f} from the ISR at once"),
)
