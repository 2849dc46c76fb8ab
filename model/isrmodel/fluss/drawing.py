"""How traces of a Fluss bucket are drawn."""

from isrcheck import Drawing, arrow, badge, blame, lane
from isrmodel.drawing import ELECTIONS, LOGS, REPLICAS, messages_of, receipts_of, record_of

LANES = (
    lane("coordinator"),
    *REPLICAS,
    *record_of("coordinator", "bucket epoch").words,
    badge("down", "down", stops=True),
    badge("without_epochs", "no leader epochs"),
)
BLAMES = (
    blame("acked_in_leader", "s", "leads without a record that was acknowledged"),
    blame("exposed_in_leader", "s", "leads without what readers have read"),
    blame("candidates_complete", "s", "may be elected without what readers have read"),
    blame("isr_agrees", "s", "is in the ISR with other records than {leader}"),
    blame("request_not_stuck", "s", "waits for an answer that will not come"),
    blame("leader_knows_isr", "s", "does not wait for a member of the ISR"),
)
STORY = (*ELECTIONS, *LOGS, *receipts_of("writer", "reader").words)
MESSAGES = (
    *messages_of("coordinator", "server").words,
    arrow("learn", "coordinator", "server", "NotifyLeaderAndIsr {version}"),
    arrow("ask_drop", "leader", "coordinator", "AdjustIsr: drop who is late"),
    arrow("refuse", "coordinator", "leader", "INELIGIBLE_REPLICA"),
    arrow("refuse_stale", "coordinator", "leader", "out of date"),
    arrow("lose_fetch", "follower", "leader", "fetch; the answer is lost"),
    arrow("cut_out_of_range", "leader", "follower", "out of range"),
    arrow("ask_and_truncate", "leader", "follower", "where the logs part"),
)
DRAWING = Drawing(*LANES, *STORY, *MESSAGES, *BLAMES)
