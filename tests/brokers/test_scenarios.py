"""What scenarios do to a cluster and ask of whom, on a cluster and a client that only write it down."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("confluent_kafka")

from isrbrokers.client import Acknowledged, Client, PartitionView
from isrbrokers.cluster import Cluster
from isrbrokers.journal import Journal
from isrbrokers.process import ClusterError
from isrbrokers.releases import find_release
from isrbrokers.scenarios import SCENARIOS, scenario, stalls, swaps

_OUT, _BACK = {"pause", "stop", "kill"}, {"resume", "start"}


@dataclass
class Story:
    """A cluster and its client: every act in order; who stands still or is down answers nobody."""

    folder: Path
    values: dict[int, str] = field(default_factory=dict)
    leader: int = -1
    acts: list[tuple[object, ...]] = field(default_factory=list)
    away: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.faults = Journal(self.folder / "faults.jsonl")

    def __getattr__(self, act: str) -> Callable[..., None]:
        return lambda *of, at=(), **_: self._note(act, of, at)

    def _note(self, act: str, of: tuple[Any, ...], at: Sequence[int]) -> None:
        assert self.away.isdisjoint(at), f"{act} asks {at}, and {self.away} do not answer"
        self.away = (self.away | set(of if act in _OUT else ())) - set(of if act in _BACK else ())
        if act in _OUT | _BACK | {"reassign"}:
            self.acts.append((act, *of))

    def node_folder(self, node: int) -> Path:
        return self.folder / str(node)

    def read(self, partition: int) -> dict[int, str]:
        return self.values

    def records_acknowledged(self) -> list[Acknowledged]:
        return [Acknowledged(0, 0, "m1")]

    def view(self) -> PartitionView:
        return PartitionView(self.leader, frozenset())


def play(name: str, story: Any) -> None:
    SCENARIOS[name].play(story, story)


def test_a_swap_there_and_back_stops_no_broker(tmp_path: Path) -> None:
    story = Story(tmp_path)
    play("swap-back", story)
    assert story.acts == [
        ("pause", 1), ("reassign", (1, 3)), ("pause", 3), ("reassign", (1, 2)), ("resume", 3), ("resume", 1),
    ]  # fmt: skip
    assert not story.away


def test_a_swap_and_a_kill_end_with_all_brokers_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(swaps, "_WATCHED_SECONDS", 0)
    story = Story(tmp_path)
    play("swap-kill", story)
    assert story.acts == [("stop", 2), ("reassign", (3, 2)), ("kill", 3), ("start", 3), ("start", 2)]
    assert not story.away
    with pytest.raises(ClusterError, match="broker 2 was elected"):
        play("swap-kill", Story(tmp_path, leader=2))


class OpenGate:
    """Whoever comes passes."""

    def __getattr__(self, act: str) -> Callable[..., None]:
        return lambda *_: None


def test_a_controller_that_pauses_refuses_what_was_asked_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("gate", lambda *_: OpenGate()), ("_WATCHED_SECONDS", 0), ("_UNTIL_FENCED", 0)):
        monkeypatch.setattr(stalls, name, value)
    monkeypatch.setattr("time.sleep", lambda _: None)
    story = Story(tmp_path)
    play("refused", story)
    assert story.acts == [("pause", 0), ("resume", 0), ("kill", 2)]


@pytest.mark.parametrize(
    ("values", "lost"),
    [({}, "observed: 1 acknowledged records are lost: m1 at offset 0 of partition 0"), ({0: "m2"}, "observed: 1 ack")],
)
def test_a_record_that_is_not_read_or_another_in_its_place_is_lost(
    values: dict[int, str], lost: str, tmp_path: Path
) -> None:
    story: Any = Story(tmp_path, values)
    scenario.require_loss(story, story)
    assert [note["what"][: len(lost)] for note in story.faults.read()] == [lost]


def test_a_scenario_of_a_loss_without_a_loss_ends_with_an_error(tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match="nothing was lost"):
        play("swap-back", Story(tmp_path, {0: "m1"}))


@pytest.mark.parametrize(
    ("release", "asked"),
    [("4.4", "controllers=127.0.0.1:100"), ("3.6", "servers=127.0.0.1:101,127.0.0.1:102,127.0.0.1:103")],
)
def test_an_assignment_is_asked_of_the_controller_where_it_answers(
    release: str, asked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster.__new__(Cluster)
    cluster.folder, cluster.port, cluster.brokers, cluster.faults = tmp_path, 100, 3, Journal(tmp_path / "faults.jsonl")
    cluster.release = find_release(release)
    words: list[object] = []
    monkeypatch.setattr(Cluster, "tool", lambda _, *command: words.extend(command))
    Client(cluster).reassign((1, 3))
    properties = tmp_path / "admin.properties"
    assert words[1:] == [properties, "tv", "1,3"]
    assert Path(str(words[0])).is_file()
    assert f"bootstrap.{asked}" in properties.read_text().splitlines()
    assert [note["order"] for note in cluster.faults.read()] == [[1, 3]]


def test_a_record_is_lost_although_another_was_acknowledged_in_its_place_or_elsewhere(tmp_path: Path) -> None:
    cluster: Any = Cluster.__new__(Cluster)
    cluster.faults, cluster.clients = Journal(tmp_path / "faults.jsonl"), Journal(tmp_path / "client.jsonl")
    for partition, value in ((0, "m1"), (1, "m2"), (0, "m3")):
        cluster.clients.note(op="ack", acks="all", partition=partition, offset=0, value=value)

    class Reader(Client):
        def read(self, seconds: float = 3, partition: int = 0, broker: int | None = None, start: int = 0) -> Any:
            return {0: "m3"} if partition == 0 else {0: "m2"}

    scenario.require_loss(cluster, Reader(cluster))
    assert [note["what"].partition(" lost: ")[2] for note in cluster.faults.read()] == ["m1 at offset 0 of partition 0"]
