"""What brokers of 4.2 to 4.4 write and do otherwise: directories, late answers, registrations; and lines not known."""

from collections.abc import Iterator, Sequence
from functools import partial

import pytest
from tests.conform.hand_written import CONTROLLER, FETCHER, FOLLOWER, HANDLER, LEADER, LOADER, changed, events, judged

from isrcheck.ir.frozen import replace
from isrcheck.passes.bind import bind
from isrlogs.conform.event import Event
from isrlogs.conform.kept import SharedJudge, canonical
from isrlogs.conform.kraft_run import kraft_run
from isrlogs.conform.kraft_wire import OnTheWire
from isrlogs.conform.meaning import Step, Telling
from isrlogs.conform.observed_model import read_observed
from isrlogs.conform.release import rules_of_release
from isrlogs.conform.search import Limits
from isrlogs.conform.stepping import Stepping
from isrlogs.observe.patterns import newer_release

Lines = Sequence[tuple[str, str, str]]

WRONG = changed(LEADER, 3, "to=1", "to=2")  # a line that departs


def fault(kind: str, wall_ms: float, broker: int = 2) -> Event:
    return Event(f"broker {broker}", kind, {"broker": str(broker)}, 0, wall_ms, "faults")


# Patch releases, and features


def feature(name: str, level: int) -> Event:
    return Event("controller", "feature_level", {"name": name, "featureLevel": str(level)}, source="metadata")


ON, OFF = feature("eligible.leader.replicas.version", 1), feature("eligible.leader.replicas.version", 0)
METADATA = feature("metadata.version", 27)
BEGINS = Event("controller", "partition_record", order=1, source="metadata")
UNSAID = (
    "whether eligible leader replicas are on is not said (eligible.leader.replicas.version would say): give -c elr="
)
CHANGED = UNSAID.replace("are on is not said", "change meanwhile")
UNCHECKED = "differ in response_epoch_checked: give -c response_epoch_checked=true or -c response_epoch_checked=false"


@pytest.mark.parametrize(
    ("releases", "features", "words", "doubt"),
    [
        ("3.8.1", [], "kraft-3.8", ""),
        ("3.9.0", [METADATA], "kraft-3.9", ""),
        ("3.9.1 3.9.2", [], "kraft-3.9 -c response_epoch_checked=true", ""),
        ("3.9.0 3.9.1", [], "kraft-3.9", f"3.9.0 and 3.9.1 {UNCHECKED}"),
        ("4.0.0", [METADATA], "kraft-4.0", ""),
        ("4.0.1", [METADATA, OFF], "kraft-4.0 -c response_epoch_checked=true", ""),
        ("4.0.1", [ON], "kraft-4.0 -c response_epoch_checked=true -c elr=true -c last_known=true", ""),
        ("4.1.1", [METADATA, ON], "kraft-4.1", ""),
        ("4.1.0 4.2.1", [METADATA], "kraft-4.1 -c elr=false -c last_known=false", ""),
        ("4.4.0", [Event("controller", "elects", {"elr": "1"})], "kraft-4.3", ""),
        ("4.4.0", [], "kraft-4.3", f"{UNSAID}false or -c elr=true"),
        ("4.0.0", [], "kraft-4.0", f"{UNSAID}true or -c elr=false"),
        ("4.3.1", [OFF, ON], "kraft-4.3", f"{CHANGED}false or -c elr=true"),
        ("4.1.1", [METADATA, BEGINS, replace(ON, order=2)], "kraft-4.1", f"{CHANGED}false or -c elr=true"),
        ("4.1.1", [BEGINS, replace(OFF, order=2)], "kraft-4.1", f"{CHANGED}false or -c elr=true"),
        ("4.1.1", [BEGINS, replace(METADATA, order=2)], "kraft-4.1", f"{UNSAID}false or -c elr=true"),
    ],
)  # fmt: skip
def test_the_rules_are_those_of_the_patch_release_and_its_features(
    releases: str, features: list[Event], words: str, doubt: str
) -> None:
    named = [Event("broker 1", "release", {"release": each}) for each in releases.split()]
    rules = rules_of_release([*named, *features])
    assert (rules.words, rules.doubt(())) == (words, doubt)
    assert not rules.doubt(rules.undecided)


def test_what_the_nodes_do_not_say_makes_no_departure_until_it_is_given() -> None:
    release = Event("broker 1", "release", {"release": "4.1.1"})
    wrong = [release, *events(broker_1=WRONG)]
    doubted = judged(wrong, "")
    assert (doubted.verdict, doubted.why) == ("undetermined", f"{UNSAID}false or -c elr=true")
    assert judged(wrong, "", elr="true").verdict == "departs"
    assert judged([ON, *wrong], "").verdict == "departs"
    off = judged([METADATA, release, *events()], "")
    assert (off.verdict, off.model) == ("conforms", "kraft-4.1 -c elr=false -c last_known=false")


# Lines that are not known


def test_a_line_that_is_not_understood_is_no_departure() -> None:
    missed = Event("broker 2", "not_understood", {"logger": "Partition"}, 99, 5.0)
    verdict = judged([*events(broker_1=WRONG), missed, replace(missed, order=100)])
    assert (verdict.verdict, verdict.exit) == ("undetermined", 20)
    assert verdict.why == (
        "2 lines that could matter not understood, the first by Partition of broker 2: isrcheck observe shows them"
    )
    assert judged([*events(), missed]).verdict == "conforms"


@pytest.mark.parametrize("source", ["client", "agent"])
def test_a_journal_that_explains_nothing_makes_no_departure_doubtful(source: str) -> None:
    missed = Event("client", "not_understood", {"logger": source}, 99, 5.0, source)
    assert judged([*events(broker_1=WRONG), missed]).verdict == "departs"


def test_a_release_after_the_newest_that_is_known_is_named() -> None:
    says = "Kafka 4.5.0 is newer than the newest release that is known, 4.4"
    newer = [Event("broker 1", "release", {"release": each}, 0, 0.0) for each in ("4.4.0", "4.5.0")]
    departs, conforms = judged([*newer, *events(broker_1=WRONG)]), judged([*newer, *events()])
    assert (departs.verdict, departs.why) == ("undetermined", says)
    assert (conforms.verdict, conforms.why) == ("conforms", says)
    known = judged([newer[0], *events(broker_1=WRONG)])
    assert (known.verdict, known.why) == ("departs", "")


def test_releases_are_compared_by_their_numbers() -> None:
    assert newer_release(["4.3.1", "4.10.0-SNAPSHOT", "4.4.2"]) == "4.10.0-SNAPSHOT"
    assert newer_release(["4.4.9", "0.10.2.2"]) is None
    assert newer_release([]) is None


# Directories


REPLACED = "replicas=1,2 isr=1,2 leader=1 epoch=0 version=0 directories=A,B"


def of_a_disk_that_is_replaced(report: str) -> list[Event]:
    """Events of 4.1 to 4.4: broker 2, alone in the ISR, comes back with an empty disk, which it reports."""
    controller = [
        ("partition_record", "", REPLACED),
        ("broker_registration_change", "", "broker=1 shutdown=1"),
        ("partition_change", "", "isr=2 leader=2 elr=1"),
        ("broker_registration_change", "", "broker=1 fenced=1"),
        ("broker_registration_change", "", "broker=2 fenced=1"),
        ("partition_change", "", "isr= leader=-1 elr=1,2 last_known_elr=2"),
        ("partition_change", "", "elr=1"),
        ("register_broker", "", "broker=2"),
        ("partition_change", "", f"directories=A,C{report}"),
    ]
    leader = [*LEADER, ("follows", LOADER, "epoch=1 offset=1 version=1 hw=1 leader=2")]
    follower = [
        *FOLLOWER,
        ("fetch_done", FETCHER, "leader=1 leader_hw=1 end=1 hw=1"),
        ("leads", LOADER, "epoch=1 offset=1 version=1 hw=1 isr=2"),
        ("hw_blocked", LOADER, "isr=2"),
        ("loaded", LOADER, "hw=0"),
        ("follows", LOADER, "epoch=2 offset=0 version=3 hw=0 leader=-1"),
        ("follows_on", LOADER, "epoch=2 version=4"),
    ]
    told = events(controller=controller, broker_1=leader, broker_2=follower)
    later = {"controller": 1, "broker 1": len(LEADER), "broker 2": len(FOLLOWER) + 1}
    told = [replace(e, wall_ms=e.wall_ms + 1_000 * (e.order >= later.get(e.node, 99))) for e in told]
    second = [replace(e, wall_ms=e.wall_ms + 2_000 * (e.node == "broker 2" and e.order > 8)) for e in told]
    return [
        fault("stop", 1_200.0, broker=1),
        fault("kill", 1_500.0),
        fault("replace_disk", 1_501.0),
        fault("start", 2_000.0),
        *second,
    ]


@pytest.mark.parametrize(
    ("report", "verdicts"),
    [
        (" elr=", {"kraft-4.1": "conforms", "kraft-4.3": "departs"}),
        ("", {"kraft-4.1": "departs", "kraft-4.3": "conforms"}),
    ],
    ids=["the ELR is emptied", "the ELR is left"],
)
def test_the_report_of_a_directory_tells_4_1_from_4_3(report: str, verdicts: dict[str, str]) -> None:
    told = of_a_disk_that_is_replaced(report)
    assert {model: judged(told, model, min_isr="2").verdict for model in verdicts} == verdicts


def test_a_directory_on_record_is_a_step_of_its_own_and_a_partition_epoch() -> None:
    verdict = judged(of_a_disk_that_is_replaced(""), "kraft-4.3", min_isr="2")
    assert verdict.trace is not None
    (step,) = [step for step in verdict.trace.steps if step.action == "record_dir"]
    assert step.arguments == {"broker": "r1", "chosen": None}
    assert "lose_disk" in [step.action for step in verdict.trace.steps]


def test_the_broker_that_reports_is_the_one_whose_directory_is_new() -> None:
    def reports(directories: str, before: str = "") -> list[str | None]:
        old = f" directories_before={before}" if before else ""
        change = ("partition_change", "", f"directories={directories}{old}")
        track = kraft_run(events(controller=[("partition_record", "", REPLACED), change]), {}).tracks[0]
        return [event.fields.get("reports") for event in track.events if event.kind == "records_dir"]

    assert reports("A,C") == ["2"]
    assert reports("C,B") == ["1"]
    assert reports("C,D") == [None]
    assert reports("C,D", before="C,E") == ["2"]


def test_runs_on_spark_keep_which_directory_is_new() -> None:
    told = of_a_disk_that_is_replaced(" elr=")
    named = [e.fields["directories"] for e in canonical(told) if "directories" in e.fields]
    assert named == ["0,1", "0,2"]
    verdict = SharedJudge().judge("run tv-0", told, {"min.insync.replicas": "2"}, "kraft-4.1", {}, Limits(20))
    assert verdict.verdict == "conforms"


# Late answers


def steps_to_a_late_truncation(release: str) -> Iterator[bool]:
    """Whether broker 2 may truncate by an answer of epoch 1: in that epoch, in the next, and in one led by 1 again."""
    run = kraft_run(events(), {})
    constants = {**run.constants, "max_records": 3, "max_epoch": 6, "max_version": 8, "elections": 9, "replicas": 2}
    model = read_observed(release, OnTheWire)
    names = {constant.name for constant in model.constants}
    stepping = Stepping(bind(model, {n: v for n, v in constants.items() if n in names}), run.members)
    state: int | None = stepping.initial

    def take(action: str, **told: int) -> int | None:
        given: dict[str, Telling] = {name: partial(_always, value) for name, value in told.items()}
        chosen = next(stepping.instances([Step(action, given)], events()[0]))
        return None if state is None else stepping.step(state, chosen)

    def lead(leader: int, version: int) -> int | None:
        nonlocal state
        state = take("elect", chosen=leader)
        for broker in (2, 1):
            state = take("learn", broker=broker, version=version)
        return state

    state = take("begin", leader=2, left_out=2)
    state = take("learn", broker=1, version=1)
    state = take("learn", broker=2, version=1)
    state = take("append_until", leader=2, end=1)  # which broker 1 lacks
    state = lead(1, 2)
    yield take("take_late", follower=2) is not None
    state = lead(2, 3)
    state = take("fetch_arrives", leader=2, follower=1)
    state = take("answer_arrives", follower=1, leader=2, end=1)
    yield take("take_late", follower=2) is not None
    state = lead(1, 4)
    cut = take("take_late", follower=2)
    yield cut is not None
    if cut is not None:
        assert stepping.view(cut).of("log", 2) == ()
    assert stepping.view(state or 0).of("log", 1) == (1,)


def _always(value: int, _: Event) -> int:
    return value


def test_a_late_answer_truncates_only_before_kafka_18991() -> None:
    assert list(steps_to_a_late_truncation("kraft-3.7")) == [False, False, True]
    assert list(steps_to_a_late_truncation("kraft-4.1")) == [False, False, False]


# Registrations


@pytest.mark.parametrize("version", [0, 1], ids=["the first line is of before", "the first line is of after"])
@pytest.mark.parametrize("registered_ms", [3_000.0, 9_000.0], ids=["registered first", "log loaded first"])
@pytest.mark.parametrize("model", ["kraft-3.7", "kraft-4.1"])
def test_a_broker_that_is_killed_registers_before_it_is_fenced(version: int, registered_ms: float, model: str) -> None:
    controller = [
        *CONTROLLER,
        ("partition_change", "", "isr=1"),
        ("register_broker", "", "broker=2"),
        ("broker_registration_change", "", "broker=2 fenced=-1"),
    ]
    leader = [*LEADER, ("isr_settled", LOADER, "isr=1 version=1"), ("known", HANDLER, "follower=2 offset=1")]
    follower = [
        *FOLLOWER,
        ("loaded", LOADER, "hw=0"),
        ("follows", LOADER, f"epoch=0 offset=1 version={version} hw=0 leader=1"),
        ("fetch_done", FETCHER, "leader=1 leader_hw=1 end=1 hw=1"),
    ]
    begins = {"controller": (1, registered_ms), "broker 1": (5, registered_ms), "broker 2": (6, 5_000.0)}
    told = events(controller=controller, broker_1=leader, broker_2=follower)
    for place, event in enumerate(told):
        order, wall_ms = begins.get(event.node, (99, 0.0))
        if event.order >= order:
            told[place] = replace(event, wall_ms=wall_ms + event.wall_ms)
    faults = [fault("start", -1.0), fault("kill", 1_000.0), fault("start", 2_000.0)]
    verdict = judged([*faults, *told], model)
    assert (verdict.verdict, verdict.why) == ("conforms", "")


# The record goes on


def with_a_record_at(wall_ms: float, isr: str) -> list[Event]:
    """A follower leaves the ISR; the record of its return comes at this time, and no broker tells of it."""
    asks = ("isr_asked", "scheduler", "what=Shrink who=2 epoch=0 isr=1 version=0")
    settles = ("isr_settled", LOADER, "isr=1 version=1")
    changes = [("partition_change", "", "isr=1"), ("partition_change", "", f"isr={isr}")]
    told = events(controller=[*CONTROLLER, *changes], broker_1=[*LEADER, asks, settles], broker_2=FOLLOWER)
    return [replace(e, wall_ms=wall_ms) if e.node == "controller" and e.order == 2 else e for e in told]


def test_a_record_after_the_last_lines_of_all_brokers_is_explained_by_what_they_did_not_tell() -> None:
    later = judged(with_a_record_at(500.0, "1,2"))
    assert (later.verdict, later.events, later.observed) == ("conforms", 17, 17)
    assert later.trace is not None
    assert later.inferred > 0
    assert "nobody: inferred" in str([step.state["told_by"] for step in later.trace.steps[-3:]])


def test_a_record_before_the_last_line_of_a_broker_is_not() -> None:
    assert judged(with_a_record_at(55.0, "1,2")).verdict != "conforms"


def test_a_record_that_no_step_leads_to_departs_also_then() -> None:
    verdict = judged(with_a_record_at(500.0, "2"))
    assert verdict.verdict == "departs"


def test_where_that_search_is_cut_off_nothing_departs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isrlogs.conform.search._BEYOND", 0)
    verdict = judged(with_a_record_at(500.0, "2"))
    assert (verdict.verdict, verdict.exit) == ("undetermined", 20)
