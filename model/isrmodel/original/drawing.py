"""How traces of the original design are drawn: the LeaderAndISR path, the brokers, and the commands under way."""

from isrcheck import Drawing, arrow, cells, crown, lane, mark, note, phrase, ribbon

_PATH = "LeaderAndISR path"

DRAWING = Drawing(
    lane(_PATH),
    lane(each="log"),
    crown("leader"),
    cells("log"),
    mark("hw", "HW", commits=True),
    ribbon("isr", "ISR"),
    note("leader", "leader"),
    note("version", "version"),
    note("present", "present"),
    note("checkpoint", "checkpoint"),
    note("commands", "under way"),
    phrase("commands", "StopReplica", field="kind", value="stop-replica"),
    phrase("commands", "LeaderAndISR v{version}: not listed{init?, INIT}", field="leader", value="None"),
    phrase("commands", "LeaderAndISR v{version}: {leader} leads{init?, INIT}"),
    ribbon("path_isr", "ISR", on=_PATH, electable=True),
    note("path_leader", "leader", on=_PATH),
    note("path_version", "version", on=_PATH),
    ribbon("assigned", "assigned", on=_PATH),
    arrow("command_arrives", _PATH, "replica", "{commands[replica][place]}"),
    arrow("command_is_repeated", _PATH, "replica", "{commands[replica][place]}, and will come again"),
    arrow("command_is_lost", _PATH, "replica", "lost: {commands[replica][place]}"),
    arrow("follower_fetches", "leader", "follower", "fetch answered"),
    arrow("response_is_lost", "follower", "leader", "fetch; the answer is lost"),
)
