"""How traces of the published designs are drawn."""

from isrcheck import Drawing, arrow, blame, cells, change
from isrmodel.drawing import LEADERS_BY_REQUEST

DRAWING = Drawing(
    change("odd_id", "id {value}", action="leader_writes"),
    *LEADERS_BY_REQUEST,
    cells("log", label="id", colour="epoch"),
    change(
        "list_agreeing_at_end",
        "the log of {members} is kept up to its last record, which the leader has there too, "
        "though the logs differ before it",
        action="replica_becomes_follower",
    ),
    change(
        "list_continued_apart",
        "{members} has the record after one that the leader does not have there",
        action="follower_replicates",
    ),
    arrow("leader_expands_isr", "leader", "controller", "add {replica} to the ISR"),
    arrow("leader_shrinks_isr", "leader", "controller", "drop {replica} from the ISR"),
    arrow("follower_replicates", "leader", "follower", "next record, and HW"),
    blame("keep_up_stays", "leader", "drops {follower} from the ISR, which is in its epoch and has its whole log"),
    blame("log_matching", "one", "has another record than {other} below both high watermarks"),
)
