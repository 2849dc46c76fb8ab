"""How traces of KRaft's Raft are drawn."""

from isrcheck import Drawing, arrow, blame, cells, change, crown, lane, mark, note, ribbon
from isrmodel.drawing import FETCHES, LOGS, TRUNCATIONS

LANES = (
    lane("network"),
    lane(each="log"),
    crown("role.leader"),
    cells("log", colour="epoch"),
    mark("hw", "HW", commits=True),
    note("role.state", "is"),
    note("role.epoch", "epoch"),
    note("vote", "voted for"),
    ribbon("votes", "votes"),
    ribbon("pre_votes", "pre-votes"),
    ribbon("isolated", "cut off", on="network"),
)
STORY = (
    change("role.epoch", "epoch of {key} {value}"),
    *LOGS,
)
MESSAGES = (
    arrow("give_pre_vote", "voter", "server", "pre-vote"),
    arrow("give_vote", "voter", "candidate", "vote"),
    arrow("learn_epoch", "other", "server", "a later epoch"),
    arrow("follow", "leader", "server", "BeginQuorumEpoch"),
    *FETCHES,
    arrow("lose_answer", "follower", "leader", "fetch; the answer is lost"),
    *TRUNCATIONS,
)
BLAMES = (
    blame("no_illegal_state", "s", "is told what its role does not allow"),
    blame("committed_in_leader", "s", "leads without what was committed"),
    blame("leader_complete", "s", "may be elected without what was committed"),
    blame("one_leader_an_epoch", "a", "knows another leader of its epoch than {b}"),
    blame("majorities_meet", "s", "leads with voters whose majorities need not meet those committed"),
    blame("epoch_rises_once", "s", "is cut off, and epochs ahead"),
    blame("followers_stay_with_their_leader", "v", "follows a leader, and helps {s} to depose it"),
)
DRAWING = Drawing(*LANES, *STORY, *MESSAGES, *BLAMES)
