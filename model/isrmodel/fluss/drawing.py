"""How traces of a Fluss bucket are drawn."""

from isrcheck import Drawing, arrow, badge, blame, lane, note, receipt, ribbon
from isrmodel.drawing import ELECTIONS, LOGS, REPLICAS

LANES = (
    lane("coordinator"),
    *REPLICAS,
    ribbon("now.isr", "ISR", on="coordinator", electable=True),
    note("now.leader", "leader", on="coordinator"),
    note("now.epoch", "epoch", on="coordinator"),
    note("version", "bucket epoch", on="coordinator"),
    badge("down", "down", stops=True),
    badge("without_epochs", "no leader epochs"),
)
STORY = (
    *ELECTIONS,
    *LOGS,
    receipt("acked", "acknowledged to the writer"),
    receipt("exposed", "exposed to readers"),
)
MESSAGES = (
    arrow("learn", "coordinator", "server", "NotifyLeaderAndIsr {version}"),
    arrow("register", "server", "coordinator", "registers"),
    arrow("leave", "server", "coordinator", "controlled shutdown"),
    arrow("ask_drop", "leader", "coordinator", "AdjustIsr: drop who is late"),
    arrow("grant", "coordinator", "leader", "granted"),
    arrow("refuse", "coordinator", "leader", "INELIGIBLE_REPLICA"),
    arrow("refuse_stale", "coordinator", "leader", "out of date"),
    arrow("fetch", "leader", "follower", "fetch answered"),
    arrow("lose_fetch", "follower", "leader", "fetch; the answer is lost"),
    arrow("cut_out_of_range", "leader", "follower", "out of range"),
    arrow("ask_and_truncate", "leader", "follower", "where the logs part"),
)
BLAMES = (
    blame("acked_in_leader", "s", "leads without a record that was acknowledged"),
    blame("exposed_in_leader", "s", "leads without what readers have read"),
    blame("candidates_complete", "s", "may be elected without what readers have read"),
    blame("isr_agrees", "s", "is in the ISR with other records than {leader}"),
    blame("request_not_stuck", "s", "waits for an answer that will not come"),
    blame("leader_knows_isr", "s", "does not wait for a member of the ISR"),
)
DRAWING = Drawing(*LANES, *STORY, *MESSAGES, *BLAMES)
