"""Two variants side by side, under schedules that tell them apart."""

import os
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures.command_line import in_process

from isrcheck import Model, action, invariant, policy, require
from isrcheck.catalogue import find_model
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import Disagreement
from isrcheck.evidence.writers.terminal import plain_text
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.schedule.compare import DistinguishingResult, ScheduledVariant, distinguish
from isrcheck.schedule.distinguish import Distinction, DistinguishingSearch
from isrcheck.schedule.pair import pair_document
from isrcheck.schedule.runs import run_script
from isrcheck.schedule.steps import ScheduleVocabulary, parse_script

GOLDEN = Path(__file__).parent / "golden"
KIP_101 = {"replicas": "2", "log_size": "2", "max_records": "2", "max_leader_epoch": "2"}
SLOW_READS = {"fetch_steps": "two", "max_records": "2"}
KEEPS_UP = {"pace": "every-tick", "expiration_period": "1", "max_records": "2"}


def variant(name: str, constants: dict[str, str]) -> ScheduledVariant:
    ir = read_model(find_model(name))
    known = {c.name for c in ir.constants}
    return ScheduledVariant(name, ScheduleVocabulary(bind(ir, {n: v for n, v in constants.items() if n in known})))


def apart(one: str, two: str, name: str, constants: dict[str, str], **stepper: Any) -> DistinguishingResult:
    return distinguish(variant(one, constants), variant(two, constants), name, **stepper)


def golden(name: str, text: str) -> None:
    file = GOLDEN / name
    if os.environ.get("ISRCHECK_ACCEPT"):
        GOLDEN.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def told() -> DistinguishingResult:
    return apart("truncate-to-high-watermark", "kip-101", "strong_isr", {"replicas": "2"})


# What was found


SHORTEST = [
    ("truncate-to-high-watermark", "kip-101", "strong_isr", {"replicas": "2"}, 7, 160, 651),
    ("kip-101", "kip-279", "strong_isr", KIP_101, 10, 2213, 14115),
    ("isr-kip-16-merged", "isr-kafka-4485-v2", "keep_up_stays", KEEPS_UP, 8, 64, 149),
    ("isr-kafka-4485-merged", "isr-kip-16-merged", "keep_up_stays", KEEPS_UP, 8, 64, 149),
    ("isr-kafka-7152", "isr-kip-501", "no_eviction_while_reading", SLOW_READS, 5, 78, 324),
]  # fmt: skip


@pytest.mark.parametrize(("one", "two", "name", "constants", "length", "nodes", "states"), SHORTEST)
def test_shortest(
    one: str, two: str, name: str, constants: dict[str, str], length: int, nodes: int, states: int
) -> None:
    found = apart(one, two, name, constants)
    assert found.pair is not None
    assert found.script is not None
    assert (len(found.labels), found.distinction.nodes, found.distinction.states) == (length, nodes, states)
    report = run_script(parse_script(found.script), {m: find_model(m) for m in (one, two)}, named=True, constants={})
    assert report.unmet == ()
    verdicts = [next(p.verdict for p in run.properties if p.name == name) for run in report.runs]
    assert sorted(verdicts) == ["kept", "violated"]
    assert report.exit == 0


@pytest.mark.parametrize("case", [SHORTEST[0], SHORTEST[2], SHORTEST[4]], ids=lambda case: case[2])
def test_the_reference_finds_the_same(case: tuple[str, str, str, dict[str, str], int, int, int]) -> None:
    one, two, name, constants, *_ = case
    fast, slow = apart(one, two, name, constants), apart(one, two, name, constants, stepper=ReferenceStepper)
    assert fast.labels == slow.labels
    assert (fast.distinction.nodes, fast.distinction.states) == (slow.distinction.nodes, slow.distinction.states)
    assert (fast.distinction.left, fast.distinction.right) == (slow.distinction.left, slow.distinction.right)


class Dark(Model):
    on: bool = False

    @action
    def press(self) -> None:
        require(self.may_press())
        self.on = True

    @policy
    def may_press(self) -> bool:
        return False

    @invariant
    def dark(self) -> bool:
        return not self.on


class Bright(Dark):
    def may_press(self) -> bool:
        return True


class Broken(Dark):
    @action
    def break_it(self) -> None:
        self.on = True


@pytest.mark.parametrize(("worse", "step"), [(Bright, "press"), (Broken, "break_it")])
def test_a_violation_that_only_one_can_get_to_tells_them_apart(worse: type[Model], step: str) -> None:
    models: tuple[type[Model], ...] = (Dark, worse)
    words = [ScheduleVocabulary(bind(read_model(cls), {})) for cls in models]
    pairs = zip(models, words, strict=True)
    dark, other = (ScheduledVariant(cls.__name__, each) for cls, each in pairs)
    for first, second in ((dark, other), (other, dark)):
        found = distinguish(first, second, "dark")
        assert (found.one_refuses, [label.action for label in found.labels]) == (True, [step])
        assert found.pair is not None
        verdicts = {side.model: side.run.verdict for side in (found.pair.left, found.pair.right)}
        assert verdicts == {"Dark": "cannot", worse.__name__: "violated"}


def test_nothing_tells_a_model_from_itself() -> None:
    found = apart("kip-101", "kip-101", "strong_isr", {"replicas": "2"})
    assert (found.pair, found.script, found.distinction.labels, found.distinction.cut) == (None, None, None, None)


def test_a_search_that_lies_is_a_disagreement(monkeypatch: pytest.MonkeyPatch, told: DistinguishingResult) -> None:
    forged = Distinction((0,), True, False, 1, 1, 1, 0.0, None)
    monkeypatch.setattr(DistinguishingSearch, "run", lambda self: forged)
    with pytest.raises(Disagreement, match="the reference says the opposite"):
        apart("truncate-to-high-watermark", "kip-101", "strong_isr", {"replicas": "2"})


# Forms


def test_text(told: DistinguishingResult) -> None:
    assert told.pair is not None
    text = plain_text(pair_document(told.pair), 100)
    assert (
        max(sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line) for line in text.split("\n")) <= 100
    )
    golden("truncate-to-high-watermark-kip-101.txt", text)


# The command


def test_the_command_that_searches(tmp_path: Path) -> None:
    words = ["distinguish", "truncate-to-high-watermark", "kip-101", "--property", "strong_isr", "-c", "replicas=2"]
    done = in_process(*words, "--script", "apart.schedule", "--to", "html", "-o", "apart.html", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert (tmp_path / "apart.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    again = in_process("schedule", "apart.schedule", cwd=tmp_path)
    assert again.returncode == 0
    assert "violated" in again.stdout
    cut = in_process(*words, "--max-states", "5")
    assert cut.returncode == 20
    assert cut.stdout.startswith(
        "undetermined: the search for a schedule that distinguishes truncate-to-high-watermark and kip-101"
    )
    same = in_process("distinguish", "kip-101", "kip-101", *words[3:])
    assert same.returncode == 0
    assert "No schedule distinguishes kip-101 and kip-101 on strong_isr within these bounds;" in same.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "missing option '--property'."),
        (("--property", "stron_isr"), "kip-101 has no property stron_isr. Did you mean strong_isr?"),
        (
            ("--property", "strong_isr", "-c", "replica=2"),
            "neither model has a constant replica. Did you mean replicas?",
        ),
    ],
)
def test_wrong_use_of_the_command(words: tuple[str, ...], message: str) -> None:
    done = in_process("distinguish", "kip-101", "kip-279", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
