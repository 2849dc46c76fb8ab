"""How traces of the original design are drawn: the LeaderAndISR path, the brokers, and the commands under way."""

from isrcheck import Drawing, arrow, cells, crown, lane, mark, note, ribbon

DRAWING = Drawing(
    lane("path"),
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
    ribbon("path_isr", "ISR", on="path", electable=True),
    note("path_leader", "leader", on="path"),
    note("path_version", "version", on="path"),
    ribbon("assigned", "assigned", on="path"),
    arrow("command_arrives", "path", "replica", "command {place} arrives"),
    arrow("command_is_repeated", "path", "replica", "command {place} arrives again"),
    arrow("follower_fetches", "leader", "follower", "fetch answered"),
    arrow("response_is_lost", "follower", "leader", "fetch; the answer is lost"),
)
