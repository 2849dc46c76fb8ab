"""How traces of the published designs are drawn."""

from isrcheck import Drawing, arrow, blame, cells
from isrmodel.drawing import LEADERS_BY_REQUEST

DRAWING = Drawing(
    *LEADERS_BY_REQUEST,
    cells("log", label="id", colour="epoch"),
    arrow("leader_expands_isr", "leader", "controller", "add {replica} to the ISR"),
    arrow("leader_shrinks_isr", "leader", "controller", "drop {replica} from the ISR"),
    arrow("follower_replicates", "leader", "follower", "next record, and HW"),
    blame("keep_up_stays", "leader", "drops {follower} from the ISR, which is in its epoch and has its whole log"),
    blame("log_matching", "one", "has another record than {other} below both high watermarks"),
)
