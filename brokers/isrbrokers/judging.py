"""Judges of a recorded run: the rules of `isrcheck observe`, or a model."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from isrbrokers.agent import controller_options
from isrbrokers.client import TOPIC, Client
from isrbrokers.cluster import Cluster
from isrbrokers.process import folder_aside
from isrbrokers.recording import keep
from isrbrokers.releases import Release
from isrbrokers.scenarios.scenario import Scenario
from isrlogs.conform.judge import judge as judge_by_model
from isrlogs.conform.reading import events_of, settings_of
from isrlogs.conform.search import Limits
from isrlogs.conform.verdict import DEPARTS
from isrlogs.observe.event import Event
from isrlogs.observe.rules import judge as judge_by_rules
from isrlogs.observe.run import read_run


@dataclass(frozen=True)
class Deviation:
    """A judge's finding: a broken rule, or a departure from a model."""

    what: str
    wall_ms: int | None = None  # when


Judge = Callable[[Path], Deviation | None]


def by_rules(run: Path) -> Deviation | None:
    """Judge a run by the rules of `isrcheck observe`; return the first broken rule."""
    events = read_run(run)[0]
    times = {(event.node, event.source, event.order): event.wall_ms for event in events}
    violations = [
        Deviation(f"{each.rule}: {each.node}, {each.topic}-{each.partition}: {each.why}", times.get(each[4:7]))
        for each in judge_by_rules(_in_order(events))
    ]
    return min(violations, key=lambda wrong: wrong.wall_ms or 0, default=None)


def by_model(model: str, seconds: float = 120) -> Judge:
    """The first partition that departs from a model; what is undetermined after so many seconds does not."""
    limits = Limits(seconds, 4_000_000)

    def judge(run: Path) -> Deviation | None:
        for partition, events in events_of(run, None).items():
            verdict = judge_by_model(partition, events, settings_of(run, events), model, {}, limits)
            if verdict.verdict == DEPARTS and (first := verdict.unexplained):
                return Deviation(f"{partition} departs from {model}: {first.node}: {first.event}: {first.because}")
        return None

    return judge


def _in_order(events: Iterable[Event]) -> list[Event]:
    """The events in the order that the rules want."""
    return sorted(events, key=_place)


def _place(event: Event) -> tuple[str, str, int, str, str, int]:
    partition = -1 if event.partition is None else event.partition
    return event.run, event.topic or "", partition, event.node, event.source, event.order


def record(scenario: Scenario, release: Release, into: Path, port: int = 19090, bug: str | None = None) -> None:
    """Play a scenario and write its run into a folder, also if it went otherwise. Raises ClusterError, UsageError."""
    with folder_aside() as (folder, _):
        cluster = Cluster(
            release,
            folder,
            brokers=scenario.brokers,
            port=port,
            properties=scenario.properties,
            java_options=scenario.java_options(bug),
            controller_options=controller_options(bug),
        )
        with cluster:
            client = Client(cluster)
            try:
                scenario.play(cluster, client)
            finally:
                client.flush()
                keep(cluster, TOPIC, into, f"{scenario.name} on Kafka {release.number}\n\n{scenario.about}")
