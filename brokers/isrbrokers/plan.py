"""Plan of a soak: its faults, decided before it begins, so that it can be repeated, and with fewer of them."""

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path

from isrbrokers.releases import Release
from isrcheck.errors import UsageError

KINDS = ("pause", "kill", "stop", "isolate_controller", "elect", "elect_unclean", "min_isr")
_AT_ONCE = ("elect", "elect_unclean", "min_isr")


@dataclass(frozen=True)
class Fault:
    """One perturbation: when it begins and ends, in seconds of the soak, and on which broker."""

    at: float
    kind: str
    node: int  # 0 is the controller, and nobody where all partitions are meant
    lasts: float = 0.0
    value: int = 0  # of min.insync.replicas


def random_plan(seconds: float, seed: int, brokers: int, kinds: Sequence[str] = KINDS) -> list[Fault]:
    """Faults with time to heal between some of them and not between others; on each node one at a time."""
    choose = random.Random(seed)
    faults = []
    busy_until = dict.fromkeys(range(brokers + 1), 0.0)
    at = 10.0
    while at < seconds - 30:
        fault = _random_fault(choose, round(at, 1), brokers, kinds)
        pause = choose.choice([0.0, 0.5, 1.0]), choose.choice([1, 5, 15])
        if fault.kind in _AT_ONCE or busy_until[fault.node] < at:
            faults.append(fault)
            busy_until[fault.node] = at + fault.lasts
            at += fault.lasts * pause[0] + pause[1]
        else:
            at += 1
    return faults


def _random_fault(choose: random.Random, at: float, brokers: int, kinds: Sequence[str]) -> Fault:
    kind = choose.choice(list(kinds))
    if kind in _AT_ONCE:
        return Fault(at, kind, 0, value=choose.randint(1, 2) if kind == "min_isr" else 0)
    node = 0 if kind == "isolate_controller" else choose.randint(1, brokers)
    return Fault(at, kind, node, round(choose.choice([1, 4, 7, 12]) * choose.uniform(0.5, 1.5), 1))


def fewest(faults: Sequence[Fault], departs: Callable[[Sequence[Fault]], bool]) -> list[Fault]:
    """The least part of a plan that still departs: none of its faults can be left out (delta debugging).

    `departs` plays a plan. It is asked of halves first, then of ever smaller parts, and need not be monotone.
    """
    kept = list(faults)
    parts = 2
    while len(kept) > 1:
        size = max(1, len(kept) // parts)
        rests = [kept[:at] + kept[at + size :] for at in range(0, len(kept), size)]
        smaller = next((rest for rest in rests if departs(rest)), None)
        if smaller is not None:
            kept, parts = smaller, max(2, parts - 1)
        elif size == 1:
            break
        else:
            parts = min(len(kept), 2 * parts)
    return kept


def write_plan(faults: Sequence[Fault], file: Path) -> None:
    """Write faults to a file, one a line."""
    file.write_text("".join(json.dumps(asdict(fault)) + "\n" for fault in faults), encoding="utf-8")


def read_plan(file: Path) -> list[Fault]:
    """The faults in a file. Raises UsageError."""
    try:
        return list(_faults(file.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, ValueError, TypeError) as error:
        raise UsageError(f"{file} is not a plan that a soak wrote: {error}.") from None


def _faults(lines: str) -> Iterator[Fault]:
    for line in lines.splitlines():
        fault = Fault(**json.loads(line))
        if fault.kind not in KINDS:
            raise ValueError(f"there is no fault {fault.kind}")
        yield fault


CONTROLLER = 0  # a node's number; brokers count from 1
CONTROLLER_ID = 100
LAG_TIME_MAX_MS = 3000  # replica.lag.time.max.ms; the expiration task runs twice in it

_EVERY_NODE: dict[str, object] = {
    "num.network.threads": 2,
    "num.io.threads": 4,
    "log.cleaner.enable": "false",
    "log.index.size.max.bytes": 65536,
    "auto.create.topics.enable": "false",
    "auto.leader.rebalance.enable": "false",
    "unclean.leader.election.enable": "false",
    "offsets.topic.num.partitions": 1,
    "offsets.topic.replication.factor": 1,
    "replica.lag.time.max.ms": LAG_TIME_MAX_MS,
}
_KRAFT: dict[str, object] = {
    "transaction.state.log.num.partitions": 1,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "broker.heartbeat.interval.ms": 500,
    "broker.session.timeout.ms": 4000,
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
}


def kraft_properties(node: int, port: int, controller_port: int, data: Path) -> dict[str, object]:
    """server.properties of a controller or a broker under KRaft, all on the loopback."""
    is_controller = node == CONTROLLER
    own: dict[str, object] = {
        "node.id": CONTROLLER_ID if is_controller else node,
        "process.roles": "controller" if is_controller else "broker",
        "controller.quorum.voters": f"{CONTROLLER_ID}@127.0.0.1:{controller_port}",
        "listeners": f"{'CONTROLLER' if is_controller else 'PLAINTEXT'}://127.0.0.1:{port}",
        "log.dirs": data,
        "metadata.log.dir": data,
    }
    between = {} if is_controller else {"inter.broker.listener.name": "PLAINTEXT"}
    return {**_EVERY_NODE, **_KRAFT, **own, **between}


def zookeeper_properties(node: int, port: int, zookeeper_port: int, data: Path) -> dict[str, object]:
    """server.properties of a broker that keeps its metadata in ZooKeeper."""
    return {
        **_EVERY_NODE,
        "broker.id": node,
        "listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "log.dirs": data,
        "zookeeper.connect": f"127.0.0.1:{zookeeper_port}",
        "zookeeper.session.timeout.ms": 4000,
        "controlled.shutdown.enable": "false",
    }


def properties_text(properties: Mapping[str, object]) -> str:
    """Return properties as the text of a Java properties file."""
    return "".join(f"{name}={value}\n" for name, value in properties.items())


def options_for_logs(release: Release, folder: Path) -> list[str]:
    """Java's options for a node that logs what `isrcheck observe` needs into FOLDER/replication.log."""
    file = files("isrlogs.observe") / "loggers" / release.loggers
    name = "log4j2.configurationFile" if release.loggers.startswith("log4j2") else "log4j.configuration"
    return [f"-Dkafka.logs.dir={folder}", f"-D{name}=file:{file}"]
