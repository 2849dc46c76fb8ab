"""Drawings of partitions: what those of several families share."""

from isrcheck import Drawing, arrow, cells, change, crown, lane, mark, note, receipt, ribbon, truncation

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
AWAITED = change(
    "list_awaited_outside",
    "HW also waits for {members}, outside the ISR but not late",
    absent="HW waits for nobody outside the ISR",
)
FETCHES = (arrow("fetch", "leader", "follower", "fetch answered"),)
TRUNCATIONS = (
    arrow("truncate", "leader", "follower", "diverging epoch"),
    truncation("truncate", "follower", "end_of_agreement", "where its log and that of {leader} part, by leader epochs"),
)
LOGS = (
    change("log", "LEO {end} on {key}"),
    change("hw", "HW {value} on {key}"),
)


def record_of(actor: str, counter: str) -> Drawing:
    """ISR, leader, epoch and number of changes that whoever elects leaders has on record."""
    return Drawing(
        ribbon("now.isr", "ISR", on=actor, electable=True),
        note("now.leader", "leader", on=actor),
        note("now.epoch", "epoch", on=actor),
        note("version", counter, on=actor),
    )


def receipts_of(writer: str, reader: str) -> Drawing:
    """Receipts of writers and readers."""
    return Drawing(receipt("acked", f"acknowledged to the {writer}"), receipt("exposed", f"exposed to {reader}s"))


def messages_of(actor: str, server: str) -> Drawing:
    """Messages between servers and whoever elects leaders, and a fetch between servers."""
    return Drawing(
        arrow("register", server, actor, "registers"),
        arrow("leave", server, actor, "controlled shutdown"),
        arrow("grant", actor, "leader", "granted"),
        *FETCHES,
    )
