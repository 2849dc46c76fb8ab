"""The system that `isrcheck schedule S --on kafka-4.1.1`, or kafka-4.1.1@23000, offers to the command line."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from isrbrokers.agent import agent_option
from isrbrokers.cluster import Cluster
from isrbrokers.process import ClusterError, folder_aside
from isrbrokers.releases import Release, find_release
from isrbrokers.schedule.course import Course, ModelAnswers, Plan, plan
from isrbrokers.schedule.playing import TOGETHER, UNDETERMINED, Patience, Played, play
from isrbrokers.schedule.report import PlayedSchedule, line
from isrcheck.errors import UsageError
from isrcheck.extras import need
from isrcheck.lang.declare import Model
from isrcheck.schedule.steps import ScheduleVocabulary, Step
from isrmodel.kraft.state import State

_PORT = 19090


def play_on_kafka(
    system: str,
    model: str,
    vocabulary: ScheduleVocabulary,
    steps: Sequence[Step],
    expected: Sequence[str],
    folder: Path | None,
    say: Callable[[str], None],
) -> PlayedSchedule:
    """Play the steps of a model of the kraft family on a new cluster, which ends with it.

    `expected` are the properties of which is said whether the end violates them; `folder` is where the run is kept.
    Raises UsageError, also where Java, Maven or the client are missing.
    """
    release, port = _release(system)
    _check_model(model, vocabulary.model.ir.cls)
    memory = ModelAnswers(vocabulary)
    planned = plan(memory, steps)
    need("confluent_kafka")
    course = Course(memory, steps, planned.order)
    into = folder / f"{model}-on-{system.partition('@')[0]}" if folder else None
    played: list[Played] = []

    def tell(one: Played) -> None:
        played.append(one)
        say(line(one, len(played), len(steps)))

    try:
        _on_cluster(release, port, planned, course, into, tell)
    except ClusterError as error:
        if played:
            raise  # what was played is not what failed
        played.append(Played(str(steps[0].line), (), UNDETERMINED, {}, because=str(error)))
    end = course.memory.stepper
    violated = [p for p in expected if played[-1].verdict == TOGETHER and not end.holds(p, course.state)]
    constants = vocabulary.model.constants
    return PlayedSchedule(
        f"kafka-{release.number}",
        model,
        constants=constants,
        steps=len(steps),
        played=tuple(played),
        violated=tuple(violated),
        folder=into,
    )


def _release(system: str) -> tuple[Release, int]:
    match = re.fullmatch(r"kafka-([^@]*)(?:@(\d{4,5}))?", system)
    if match is None:
        raise UsageError(f"--on {system} is not a cluster: write --on kafka-4.1.1, or kafka-4.1.1@PORT.")
    release = find_release(match[1])
    if release.has_zookeeper:
        remedy = "choose a release under KRaft, such as 4.1.1"
        raise UsageError(f"Kafka {release.number} keeps its metadata in ZooKeeper: {remedy}.")
    return release, int(match[2] or _PORT)


def _check_model(name: str, cls: type[Model]) -> None:
    if not issubclass(cls, State):
        raise UsageError(
            f"{name} is not of the kraft family, and no other can be played: name a model such as kraft-4.1."
        )


def _on_cluster(
    release: Release, port: int, planned: Plan, course: Course, into: Path | None, say: Callable[[Played], None]
) -> None:
    from isrbrokers.client import TOPIC, Client
    from isrbrokers.recording import keep
    from isrbrokers.schedule.drives import KafkaSystem, properties
    from isrbrokers.schedule.watch import record_of

    constants: Mapping[str, object] = course.memory.vocabulary.model.constants
    with folder_aside() as (aside, tell_error):
        options = [agent_option()]
        cluster = Cluster(release, aside, len(course.numbers), port, properties(planned), java_options=options)
        client = Client(cluster)
        system = KafkaSystem(cluster, client, planned, constants, record_of(cluster))
        for broker in cluster.all_brokers():
            system.prepare(broker)
        with cluster:
            try:
                for one in play(course, system, Patience(session_seconds=planned.session_seconds), say):
                    tell_error(one.because)
            finally:
                if into:
                    steps = "\n".join(str(step.line) for step in course.steps)
                    keep(cluster, TOPIC, into, f"A schedule on Kafka {release.number}\n\n{steps}")
