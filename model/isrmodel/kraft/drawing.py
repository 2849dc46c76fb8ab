"""How traces of a partition under KRaft are drawn."""

from isrcheck import Drawing, arrow, badge, blame, change, lane, note, ribbon, since
from isrmodel.drawing import ELECTIONS, LOGS, REPLICAS, TRUNCATIONS, messages_of, receipts_of, record_of

LANES = (
    lane("controller"),
    *REPLICAS,
    *record_of("controller", "partition epoch").words,
    ribbon("now.elr", "ELR", on="controller", electable=True),
    ribbon("now.last_known", "last known leader", on="controller"),
    badge("down", "down", stops=True),
    badge("fenced", "fenced"),
    badge("leaving", "leaving"),
    note("changes", "reassigned", on="controller"),
)
OLD_FETCH = "the leader goes by an old fetch of {members}"
STORY = (
    *ELECTIONS,
    change("list_first_isr", "ISR {value}", action="begin"),
    change("now.elr", "ELR {value}"),
    change("isr_with_overrated", "the leader's ISR is {value}", action="learn"),
    change("list_overrated", OLD_FETCH, action="learn"),
    *LOGS,
    change("list_overrated", OLD_FETCH, action="ask_add"),
    change(
        "list_added_below_start",
        "the last fetch of {members} is below the start of the leader's epoch, which is not checked",
        action="ask_add",
    ),
    *receipts_of("producer", "consumer").words,
)
MESSAGES = (
    *messages_of("controller", "broker").words,
    arrow("begin", "controller", "leader", "leads first"),
    arrow("learn", "controller", "broker", "metadata {version}"),
    arrow("unfence", "controller", "broker", "live again"),
    arrow("fence", "controller", "broker", "fenced"),
    arrow("leave_out", "controller", "broker", "holds no replica yet"),
    arrow("report_dir", "broker", "controller", "reports its directory"),
    arrow("ask_add", "leader", "controller", "AlterPartition: add {follower}"),
    arrow("ask_drop", "leader", "controller", "AlterPartition: drop {follower}"),
    arrow("refuse_ineligible", "controller", "leader", "INELIGIBLE_REPLICA"),
    arrow("lose_response", "follower", "leader", "fetch; the answer is lost"),
    arrow("serve_late", "follower", "leader", "late fetch", sent="late[follower]"),
    arrow("delay_answer", "follower", "leader", "fetch; the answer is late"),
    *TRUNCATIONS,
)
BLAMES = (
    blame("acked_in_leader", "r", "leads without a record that was acknowledged"),
    blame("exposed_in_leader", "r", "leads without what consumers have read"),
    blame("candidates_complete", "r", "may be elected without what consumers have read"),
    since("candidates_complete", "list_outdated", "The last fetch of {culprit} that {now.leader} knows is from before"),
    since(
        "candidates_complete",
        "list_underrated",
        "{culprit} reaches the HW of {now.leader}, but not the end of what consumers have read, since",
    ),
    blame("isr_unfenced", "r", "is fenced and in the ISR"),
    since("isr_unfenced", "fenced", "{culprit} is fenced since"),
    since("isr_unfenced", "now.isr", "{culprit} is in the ISR since"),
    blame("leader_live", "r", "is fenced and leads"),
    since("leader_live", "fenced", "{culprit} is fenced since"),
    blame("isr_assigned", "r", "holds no replica and is in the ISR or leads"),
    blame("hw_within_isr", "r", "is below the high watermark of {leader}"),
    blame("epochs_known", "r", "has a leader-epoch cache that does not fit its log"),
    blame("fetches_answered", "f", "is told OFFSET_OUT_OF_RANGE by {leader} for ever"),
    blame("dead_are_fenced", "r", "is down, and the controller does not expect to hear of it"),
)
DRAWING = Drawing(*LANES, *STORY, *MESSAGES, *BLAMES)
