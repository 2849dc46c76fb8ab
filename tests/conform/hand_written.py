"""A partition of two brokers in a few lines, as `isrcheck observe` would give them."""

from collections.abc import Sequence

from isrcheck.ir.frozen import replace
from isrlogs.conform.event import Event
from isrlogs.conform.judge import judge
from isrlogs.conform.search import Limits
from isrlogs.conform.verdict import Verdict

HANDLER, FETCHER, LOADER = "data-plane-kafka-request-handler-0", "ReplicaFetcherThread-0-1", "metadata-loader"
CONTROLLER = [("partition_record", "", "replicas=1,2 isr=1,2 leader=1 epoch=0 version=0")]
LEADER = [
    ("leads", LOADER, "epoch=0 offset=0 version=0 hw=0 isr=1,2"),
    ("append", HANDLER, "first=0 last=0 end=1"),
    ("known", HANDLER, "follower=2 offset=0"),
    ("hw_up", HANDLER, "from=0 to=1"),
    ("known", HANDLER, "follower=2 offset=1"),
]
FOLLOWER = [
    ("follows", LOADER, "epoch=0 offset=0 version=0 hw=0 leader=1"),
    ("fetch_sent", FETCHER, "leader=1 offset=0 epoch=0"),
    ("fetched", FETCHER, "leader=1 end=0 bytes=70 leader_hw=0"),
    ("append", FETCHER, "first=0 last=0 end=1"),
    ("fetch_done", FETCHER, "leader=1 leader_hw=0"),
    ("fetch_sent", FETCHER, "leader=1 offset=1 epoch=0"),
]
CLIENT = [("ack", "", "offset=0 acks=all value=m1")]


def events(**nodes: Sequence[tuple[str, str, str]]) -> list[Event]:
    """All of them; a node that is given has these lines instead, such as broker_1=[...]."""
    default = {"controller": CONTROLLER, "broker_1": LEADER, "broker_2": FOLLOWER, "client": CLIENT}
    return [
        Event(node.replace("_", " "), kind, _fields(thread, text), place, 10.0 * place, _source(node))
        for node, lines in {**default, **nodes}.items()
        for place, (kind, thread, text) in enumerate(lines)
    ]


def _source(node: str) -> str:
    return {"controller": "metadata", "client": "client"}.get(node, "log")


def _fields(thread: str, text: str) -> dict[str, str]:
    fields = dict(pair.split("=", 1) for pair in text.split())
    return {**fields, "thread": thread} if thread else fields


def changed(lines: Sequence[tuple[str, str, str]], place: int, old: str, new: str) -> list[tuple[str, str, str]]:
    """Lines of which one says something else."""
    kind, thread, text = lines[place]
    assert old in text
    return [*lines[:place], (kind, thread, text.replace(old, new)), *lines[place + 1 :]]


def judged(found: Sequence[Event], model: str = "kraft-4.1", **given: str) -> Verdict:
    """The verdict, with min.insync.replicas=1 unless another is given."""
    settings = {"min.insync.replicas": given.pop("min_isr", "1")}
    return judge("run tv-0", [replace(event) for event in found], settings, model, given, Limits(20))
