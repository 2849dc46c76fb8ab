"""How traces of the original design are drawn: the LeaderAndISR path, the brokers, and the commands under way."""

from isrcheck import Drawing, arrow, blame, cells, change, crown, lane, mark, note, phrase, ribbon, truncation

_PATH = "LeaderAndISR path"

DRAWING = Drawing(
    lane(_PATH),
    lane(each="log"),
    crown("leader", elected="path_leader"),
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
    *(
        arrow(action, _PATH, "replica", caption, sent="commands[replica][place]")
        for action, caption in (
            ("command_arrives", "{commands[replica][place]}"),
            ("command_is_repeated", "{commands[replica][place]}, and will come again"),
            ("command_is_lost", "lost: {commands[replica][place]}"),
        )
    ),
    change("path_leader", "the path says that {value} leads", absent="no leader"),
    change("path_isr", "ISR {value}"),
    change("leader", "{key} follows {value}", absent="{key} follows nobody"),
    change("log", "LEO {end} on {key}"),
    change("hw", "HW {value} on {key}"),
    arrow("follower_fetches", "leader", "follower", "fetch answered"),
    arrow("response_is_lost", "follower", "leader", "fetch; the answer is lost"),
    *(
        cut
        for action in ("command_arrives", "command_is_repeated")
        for cut in (
            truncation(action, "replica", caption="its high watermark, {hw[replica]}", given="stays_listed"),
            truncation(action, "replica", caption="nothing: its directory is deleted"),
        )
    ),
    blame("hw_never_decreases", "r", "lowers its high watermark while it leads"),
    blame("exposed_never_decreases", "r", "leads, and exposes less than was exposed before"),
    blame("exposed_is_not_taken_back", "r", "leads, and takes back what it has exposed"),
    blame("isr_at_least_hw", "r", "is in the ISR and below the high watermark of {b}"),
    blame("consumer_is_in_range", "r", "leads, and refuses an offset that a consumer was given"),
    blame("hw_within_log", "r", "has a high watermark beyond its log's end"),
    blame("removal_stands", "slowest", "lags too much, and stays in the ISR"),
    blame("slowest_leaves", "r", "is taken out of the ISR of {b}, though {other} is behind it"),
    blame("nobody_joins_ahead", "r", "joins the ISR of {b} from too far ahead"),
    blame("silent_follower_leaves", "r", "lacks records and has not fetched for long, and is in the ISR of {b}"),
    blame("one_leader", "one", "and {other} lead at the same version"),
    blame("commands_are_not_outdated", "r", "acts on a command that is older than one it has acted on"),
    blame("isr_is_present", "r", "is in the ISR, and does not have the partition"),
    blame("logs_match", "one", "has another record than {other} below both high watermarks"),
)
