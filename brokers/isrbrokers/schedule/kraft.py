"""Actions of the kraft family: which are done to a cluster, which brokers take by themselves, which none can force."""

from collections.abc import Mapping
from typing import Any

from isrcheck.lang.declare import member
from isrmodel.vocabulary import Replica

LEARN = "learn"
AWAITED = ("ask_add", "grant", "refuse_ineligible")  # brokers and the controller take them as soon as they can
# Internal actions that are done to a cluster: a schedule may leave them out.
BACK = ("leave_out", "register", "unfence", LEARN)
DRIVEN = (
    *("begin", "write", "fetch", "truncate", "ask_drop", "elect", "leave", "stop", "kill"),
    *("lose_power", "lose_rack", "fence", "reassign", *BACK),
)
_WHY_NOT = {
    "lose_response": "the agent cannot take an answer away on its way",
    "delay_fetch": "the agent cannot hold a fetch that has been sent",
    "delay_answer": "the agent cannot hold an answer that has been sent",
    "take_late": "the agent cannot hold an answer that has been sent",
    "recreate_empty": "the cluster cannot take a directory away from a broker that runs",
    "replace_disk": "the cluster cannot give a broker a new disk",
    "report_dir": "the cluster cannot give a broker a new disk",
    "serve_late": "the agent cannot hold a fetch that has been sent",
    "check_follower": "a broker asks at once for whom it has checked",
    "roll_back": "the agent cannot have a request sent again",
    "answer": "the agent cannot hold an answer that has been sent",
    "wait_for": "no clock of the model says when a follower is waited for",
    "wait_no_more": "no clock of the model says when a follower is waited for",
    "cut_out_of_range": "the agent does not wait for a fetch that is out of range",
    "lose_epochs": "the cluster cannot empty the file of a leader-epoch cache",
    "write_epochs": "the agent cannot hold the thread that writes leader-epoch caches",
    "move_log": "each broker of the cluster has one directory",
    "take_over": "the cluster has one controller",
    "beat": "the agent cannot hold a heartbeat",
}
_STRANGE = "nothing is known of how it would be done to a cluster"


def why_never(action: str) -> str | None:
    """Why an action cannot be forced at all."""
    return None if action in DRIVEN or action in AWAITED else _WHY_NOT.get(action, _STRANGE)


def brokers(replicas: int) -> dict[Any, int]:
    """The model's replicas, and the brokers that play them: r0 is broker 1."""
    return {member(Replica, place): place + 1 for place in range(replicas)}


def why_not_here(action: str, given: Mapping[str, Any], values: Mapping[str, Any]) -> str | None:
    """Why a cluster would not do this in a state of the model, given the action's arguments; None if it would."""
    match action:
        case "begin" if values["initial_isr"]:
            return "a topic begins with all its replicas in the ISR: leave initial_isr at 0"
        case "ask_drop":
            return _why_no_drop(given, values)
        case "leave" | "stop" if given["broker"] in values["fenced"] - values["leaving"]:
            return "a broker that is fenced is held before it could say that it stops"
        case "stop" if given["broker"] in values["leaving"]:
            behind = [r for r, v in values["seen"].items() if r not in values["down"] and v < values["version"]]
            if any(r != given["broker"] for r in behind):
                return "the controller lets a broker stop once all that are live have read of it"
    return None


def _why_no_drop(given: Mapping[str, Any], values: Mapping[str, Any]) -> str | None:
    """A leader drops at once all who are behind, and nobody who is not."""
    leader = given["leader"]
    end, heard = len(values["log"][leader]), values["heard"][leader]
    late = {r for r in values["known"][leader].isr if r != leader and (heard[r] is None or heard[r].offset != end)}
    if late == {given["follower"], given["also"]}:
        return None
    named = " and ".join(sorted(map(str, late))) or "nobody"
    return f"a leader drops all who are behind its log end as far as it knows, and that is {named} here"


def goes_unasked(leader: Any, follower: Any, values: Mapping[str, Any]) -> bool:
    """Whether a leader knows that the controller would refuse a follower, and so does not ask for it."""
    return values["seen"][leader] == values["version"] and follower in values["fenced"] | values["leaving"]
