"""The forms of fields in brokers' lines: how each is found, and how it is written down."""

import re
from collections.abc import Callable, Mapping

# A field's name and its text to the fields that it stands for.
Form = Callable[[str, str], Mapping[str, str]]

_CHANGE = re.compile(r"(\w+): (\[[^\]]*\]|[\w-]+) -> (\[[^\]]*\]|[\w-]+)")
_CHANGED = {
    "leaderEpoch": "epoch",
    "partitionEpoch": "version",
    "replicaSet": "replicas",
    "lastKnownElr": "last_known_elr",
    "leaderRecoveryState": "recovery",
    "removingReplicas": "removing",
    "addingReplicas": "adding",
}


def ids(name: str, value: str) -> dict[str, str]:
    """Brokers, in the line's order: 1,2,3."""
    return {name: ",".join(re.findall(r"\d+", value))}


def states(name: str, value: str) -> dict[str, str]:
    """Brokers with their epochs: isr=1,2 and broker_epochs=1:12,2:21."""
    pairs = re.findall(r"brokerId=(\d+), brokerEpoch=(-?\d+)", value)
    return {name: ",".join(b for b, _ in pairs), "broker_epochs": ",".join(f"{b}:{e}" for b, e in pairs)}


def ends(name: str, value: str) -> dict[str, str]:
    """Log ends by replica: 1:4,2:3."""
    pairs = re.findall(r"replica (\d+): \(offset=(-?\d+)", value)
    return {name: ",".join(f"{replica}:{offset}" for replica, offset in sorted(pairs))}


def out_of_sync(name: str, value: str) -> dict[str, str]:
    """The replica that leaves, its log end, and when it was last caught up: out=2, ends=2:1, caught_up=2:1795310109."""
    leaving = re.findall(r"brokerId: (\d+), endOffset: (-?\d+), lastCaughtUpTimeMs: (-?\d+)", value)
    return {
        name: ",".join(broker for broker, _, _ in leaving),
        "ends": ",".join(f"{broker}:{end}" for broker, end, _ in leaving),
        "caught_up": ",".join(f"{broker}:{ms}" for broker, _, ms in leaving),
    }


def replicas(name: str, value: str) -> dict[str, str]:
    """Brokers as 0.10 to 2.3 print replicas."""
    return {name: ",".join(re.findall(r"(?:ReplicaId: |replicaId=)(\d+)", value))}


def places(name: str, value: str) -> dict[str, str]:
    """Log ends as 0.10 prints them, which does not say whose."""
    return {name: ",".join(re.findall(r"(-?\d+) \[", value))}


def changes(_: str, value: str) -> dict[str, str]:
    """The change of the controller: isr=2,3 and isr_before=1,2,3, and so on."""
    fields: dict[str, str] = {}
    for key, before, after in _CHANGE.findall(value):
        named = _CHANGED.get(key, key)
        fields[f"{named}_before"], fields[named] = _list_without_brackets(before), _list_without_brackets(after)
    return fields


def _list_without_brackets(value: str) -> str:
    return value.strip("[]").replace(" ", "")


def unclean(name: str, _: str) -> dict[str, str]:
    return {name: "true"}


# How a field is found: a regular expression whose group has the name <>, or which is the group. And how it is written.
FORMS: dict[str, tuple[str, Form | None]] = {
    "number": (r"-?\d+", None),
    "count": (r"\d+", None),
    "word": (r"[\w-]+", None),
    "path": (r"[^\]]+", None),
    "text": (r".*", None),
    "id": (r"[\w-]{22}", None),
    "topic": (r"[\w.-]+", None),
    "release": (r"\d+\.\d+[\w.-]*", None),
    "ids": (r"\[?[\d, ]*\]?", ids),
    "position": (r"\(offset=(?P<>-?\d+)[^)]*\)", None),
    "place": (r"(?P<>-?\d+) \[-?\d+ : -?\d+\]", None),
    "optional": (r"Optional(?:\.empty|\[(?P<>-?\d+)\])", None),
    "option": (r"(?:None|Some\((?P<>[\w-]{22})\))", None),
    "states": (r".*?", states),
    "ends": (r".*", ends),
    "out_of_sync": (r".*", out_of_sync),
    "replicas": (r".*", replicas),
    "places": (r".*", places),
    "changes": (r".*", changes),
    "unclean": (r"UNCLEAN", unclean),
}
