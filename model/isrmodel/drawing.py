"""Drawings of partitions: what those of several families share."""

from isrcheck import arrow, cells, change, crown, lane, mark, note, ribbon, truncation

LEADERS_BY_REQUEST = (
    lane("controller"),
    lane(each="log"),
    crown("leader", elected="quorum_leader"),
    mark("hw", "HW", commits=True),
    ribbon("isr", "ISR"),
    note("leader", "leader"),
    note("leader_epoch", "epoch"),
    ribbon("quorum_isr", "ISR", on="controller", electable=True),
    note("quorum_leader", "leader", on="controller"),
    note("quorum_epoch", "epoch", on="controller"),
    change("quorum_leader", "", absent="no leader"),
    change("quorum_epoch", "leader epoch {value}"),
    change("quorum_isr", "ISR {value}"),
    change("log", "LEO {end} on {key}"),
    change("hw", "HW {value} on {key}"),
    arrow("replica_becomes_leader", "controller", "leader", "you lead in epoch {epoch}", sent="requests[epoch]"),
    arrow(
        "replica_becomes_follower",
        "controller",
        "follower",
        "follow {leader} in epoch {epoch}",
        sent="requests[epoch]",
    ),
    truncation("replica_becomes_follower", "follower", "truncation_point"),
)

REPLICAS = (
    lane(each="log"),
    crown("known.leader", elected="now.leader"),
    cells("log", colour="epoch"),
    mark("hw", "HW", commits=True),
    ribbon("known.isr", "ISR"),
    note("known.epoch", "epoch"),
)
ELECTIONS = (
    change("now.leader", "{value} is elected{among}", absent="no leader"),
    change("now.epoch", "leader epoch {value}"),
    change("now.isr", "ISR {value}"),
)
LOGS = (
    change("log", "LEO {end} on {key}"),
    change("hw", "HW {value} on {key}"),
)
