"""How traces of a partition across changes of leader are drawn."""

from isrcheck import Drawing, arrow, blame, cells, change, note, since
from isrmodel.drawing import AWAITED, LEADERS_BY_REQUEST

DRAWING = Drawing(
    *LEADERS_BY_REQUEST,
    cells("log", colour="epoch"),
    note("version", "version"),
    note("quorum_version", "version", on="controller"),
    arrow("leader_shrinks_isr", "leader", "controller", "smaller ISR"),
    arrow("follower_fetches", "leader", "follower", "fetch answered"),
    arrow("response_is_lost", "follower", "leader", "fetch; the answer is lost"),
    change("lag.caught_up", "ticks since {key} caught up: {value}", action="tick"),
    AWAITED,
    change(
        "list_passed_over",
        "HW does not wait for {members}, which is late and still in the ISR",
        absent="HW waits for the whole ISR",
    ),
    blame("committed_survives", "r", "is in the ISR without what was committed"),
    since(
        "committed_survives",
        "list_passed_over",
        "{culprit} is late and in the ISR since step {number}: HW does not wait for it",
    ),
    blame("hw_never_decreases", "r", "lowers its high watermark while it leads"),
    blame("exposed_never_decreases", "leader", "exposes less than was exposed before"),
    blame("isr_at_least_hw", "r", "is in the ISR and below the high watermark of {leader}"),
    blame("no_bad_expand", "f", "joins the ISR of {leader}, which must remove it at once"),
    blame("new_leader_spares_isr", "leader", "takes office, and must remove {f} from the ISR at once"),
)
