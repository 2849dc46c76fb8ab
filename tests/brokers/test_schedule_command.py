"""`isrcheck schedule --on kafka-RELEASE`: wrong usage, and schedules on real clusters."""

import shutil
from pathlib import Path

import pytest
from tests.fixtures.command_line import in_process

PLAYED = Path(__file__).parents[2] / "specs" / "played"
_SCRIPT = ("-e", "begin r0 r0")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            (*_SCRIPT, "kraft-4.1", "kraft-3.7", "--on", "kafka-4.1.1"),
            "--on plays one model's schedule: name one MODEL",
        ),
        ((*_SCRIPT, "--on", "kafka-4.1.1"), "--on plays one model's schedule: name one MODEL"),
        ((*_SCRIPT, "kraft-4.1", "--on", "pulsar-3"), "--on pulsar-3: a schedule is played on kafka-RELEASE."),
        ((*_SCRIPT, "kraft-4.1", "--on", "kafka-5"), "5 is not a release: write it as 4.1.1 or 3.9."),
        (
            (*_SCRIPT, "kraft-4.1", "--on", "kafka-2.3.1"),
            "Kafka 2.3.1 keeps its metadata in ZooKeeper: choose a release",
        ),
        (
            ("-e", "elect r0", "kip-101", "--on", "kafka-4.1.1"),
            "kip-101 is not of the kraft family, and no other can be played: name a model such as kraft-4.1.",
        ),
    ],
)
def test_wrong_usage_is_a_sentence(words: tuple[str, ...], sentence: str) -> None:
    done = in_process("schedule", *words)
    assert done.returncode == 2
    assert f"isrcheck: {sentence}" in done.stderr


def test_where_java_is_missing_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("confluent_kafka")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", "no-such-cache")
    done = in_process("schedule", *_SCRIPT, "kraft-4.1", "--on", "kafka-4.1.1")
    assert done.returncode == 2
    assert "is not on the path: 'apt install" in done.stderr


# Real clusters

needs_java = pytest.mark.skipif(
    not all(map(shutil.which, ("java", "javac", "mvn"))), reason="clusters need Java and Maven"
)


@pytest.mark.slow
@needs_java
@pytest.mark.parametrize(
    ("name", "constants", "code", "says"),
    [
        ("isr", (), 0, "Together: kafka-4.1.1 did what kraft-4.1 says"),
        ("last-leader", (), 0, "What they show violates acked_somewhere of kraft-4.1."),
        ("reassignment", (), 0, "Together: kafka-4.1.1 did what kraft-4.1 says"),
        ("unclean", (), 0, "What they show violates acked_in_leader of kraft-4.1."),
        ("missed-term", (), 0, "What they show violates acked_in_leader of kraft-4.1."),
        ("missed-term", ("-c", "forgets_missed=true"), 12, "Parts at step 11 of 14, learn r0 3:"),
    ],
)
def test_a_schedule_on_a_cluster(name: str, constants: tuple[str, ...], code: int, says: str) -> None:
    pytest.importorskip("confluent_kafka")
    done = in_process("schedule", str(PLAYED / f"{name}.schedule"), *constants, "--on", "kafka-4.1.1@23200")
    assert done.returncode == code, done.stdout + done.stderr
    assert says in done.stdout
