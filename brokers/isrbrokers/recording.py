"""A run as a folder: logs, the agent's events, the metadata log, journals, and what lies on each disk."""

import gzip
import re
import shutil
import signal
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from isrbrokers.cluster import Cluster
from isrbrokers.plan import CONTROLLER
from isrbrokers.process import ClusterError

_METADATA = "__cluster_metadata-0/00000000000000000000.log"
_RECORDS = re.compile(
    r'"type":"(TOPIC_RECORD|PARTITION_\w+|BROKER_REG\w+|REGISTER_BROKER_RECORD|(UN)?FENCE_\w+|CONFIG_RECORD|FEATURE\w+'
    r"|CLEAR_ELR_RECORD)"
)
_CLUSTER_WIDE = (
    r"[Ff]enc|unclean|clean shutdown|BrokerRegistrationChange|broker epoch|Kafka Server started|shut down|ELRs"
    r"|Kafka version|FeatureLevelRecord"
)
_ON_DISK = ("leader-epoch-checkpoint", "partition.metadata")
_OF_THE_BROKER = ("replication-offset-checkpoint", "recovery-point-offset-checkpoint")


def keep(cluster: Cluster, topic: str, into: Path, about: str) -> None:
    """Write a run's folder, whole or not at all: lines about the topic, and what Kafka's tools say of its files.

    All nodes stand still meanwhile, so that no log ends before another.
    """
    into.parent.mkdir(parents=True, exist_ok=True)
    with _standstill(cluster), tempfile.TemporaryDirectory(dir=into.parent) as aside:
        run = Path(aside) / into.name
        run.mkdir()
        name = re.escape(topic)  # 0.10 writes [tv,0]
        wanted = re.compile(rf"\b{name}-\d|\[{name},\d|'{name}'|{_ids(cluster, topic)}{_CLUSTER_WIDE}")
        for node, process in cluster.nodes.items():
            own = process.folder
            _keep_lines(files_of_log(own, "replication.log"), run / f"{own.name}.log.gz", wanted)
            _keep_lines(files_of_log(own, "agent.jsonl"), run / f"{own.name}.agent.jsonl.gz", re.compile(""))
            shutil.copy(own / _properties(cluster, node), run / f"{own.name}.properties")
        for broker in cluster.all_brokers():
            _keep_disk(cluster, broker, topic, run / f"broker{broker}.disk")
        if not cluster.release.has_zookeeper:
            _keep_metadata(cluster, run / "metadata-log.txt.gz")
        for file in ("faults.jsonl", "client.jsonl", "cluster.json"):
            if (cluster.folder / file).exists():
                shutil.copy(cluster.folder / file, run / file)
        (run / "README.md").write_text(about.strip() + "\n", encoding="utf-8")
        shutil.rmtree(into, ignore_errors=True)
        run.rename(into)


@contextmanager
def _standstill(cluster: Cluster) -> Iterator[None]:
    """Pause every node for a while."""
    for process in cluster.nodes.values():
        process.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for process in cluster.nodes.values():
            process.signal(signal.SIGCONT)


def _dump(cluster: Cluster, *arguments: object) -> str:
    """The output of Kafka's tool that prints logs; nothing if it fails, which the journal of faults says."""
    try:
        return cluster.tool(cluster.release.dump_tool, *arguments)
    except ClusterError as error:
        cluster.faults.note(what="dump failed", error=str(error))
        return ""


def _properties(cluster: Cluster, node: int) -> str:
    return "zookeeper.properties" if cluster.release.has_zookeeper and node == CONTROLLER else "server.properties"


def _ids(cluster: Cluster, topic: str) -> str:
    """The topic's id as an alternative, since some lines name nothing else."""
    for file in cluster.folder.glob(f"broker*/data/{topic}-*/partition.metadata"):
        match = re.search(r"topic_id: (\S+)", file.read_text(encoding="utf-8"))
        if match:
            return re.escape(match[1]) + "|"
    return ""


def files_of_log(folder: Path, name: str) -> list[Path]:
    """A log's files, the oldest first; one that is being compressed is taken as it was."""
    files = [file for file in folder.glob(f"{name}*") if file.suffix != ".gz" or not file.with_suffix("").exists()]
    return sorted(files, key=lambda file: (file.name == name, file.stat().st_mtime))


def _keep_lines(sources: Sequence[Path], target: Path, wanted: re.Pattern[str]) -> None:
    if not sources:
        return
    with _open_compressed(target) as kept:
        for source in sources:
            with _open_for_reading(source) as lines:
                kept.writelines(line for line in lines if wanted.search(line) and "__cluster_metadata" not in line)


def _open_for_reading(source: Path) -> TextIO:
    if source.suffix == ".gz":
        return gzip.open(source, "rt", encoding="utf-8", errors="replace")
    return source.open(encoding="utf-8", errors="replace")


def _open_compressed(target: Path) -> TextIO:
    return gzip.open(target, "wt", encoding="utf-8")


def _keep_disk(cluster: Cluster, broker: int, topic: str, target: Path) -> None:
    data = cluster.node_folder(broker) / "data"
    for folder in sorted(data.glob(f"{topic}-*")):
        kept = target / folder.name
        kept.mkdir(parents=True)
        for name in _ON_DISK:
            if (folder / name).exists():
                shutil.copy(folder / name, kept / name)
    for segment, dump in _dumps(cluster, sorted(data.glob(f"{topic}-*/*.log"))):
        (target / segment.parent.name / f"{segment.stem}.txt").write_text(dump, encoding="utf-8")
    for name in _OF_THE_BROKER:
        if target.exists() and (data / name).exists():
            shutil.copy(data / name, target / name)


def _dumps(cluster: Cluster, segments: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """The output of Kafka's tool for each file; asked once, as it takes seconds to start."""
    if not segments:
        return
    listed = ",".join(map(str, segments))
    printed = _dump(cluster, "--print-data-log", "--files", listed)
    for each in re.split(r"^(?=Dumping )", printed, flags=re.MULTILINE):
        if each.startswith("Dumping "):
            yield Path(each.partition("\n")[0].removeprefix("Dumping ").strip()), each


def _keep_metadata(cluster: Cluster, target: Path) -> None:
    log = cluster.node_folder(CONTROLLER) / "data" / _METADATA
    dump = _dump(cluster, "--cluster-metadata-decoder", "--files", log)
    with _open_compressed(target) as kept:
        kept.writelines(f"{line}\n" for line in dump.splitlines() if _RECORDS.search(line))
