"""Jars that decide in the place of a model's controller: answers of another model first, then real jars."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.brokers.test_code import FAULTS, MOVING, build, needs_java, word_of
from tests.fixtures.command_line import Done, in_process

import isrcheck
from isrbrokers.classes.decided import Jars, _Decisions, decide
from isrbrokers.classes.harness import Classes
from isrbrokers.classes.steps import DECIDED_BY, OnRecord, Question, Setting
from isrbrokers.classes.tables import MOST_ROWS, KeyPart, PolicyRow, PolicyTable, write_variant
from isrcheck import UsageError
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import Disagreement
from isrcheck.passes.bind import bind
from isrcheck.plugin import find_model, member, read_model
from isrmodel.kraft import RELEASES
from isrmodel.kraft.state import Image
from isrmodel.vocabulary import Replica
from isrtoys.crossing import Careful, Road

KRAFT = RELEASES["kraft-4.3"]
MEMBERS = {Replica: [member(Replica, number) for number in range(3)]}
R0, R1, R2 = MEMBERS[Replica]
ISR = KeyPart("self.now.isr")


# Tables

CAREFUL = '''\
"""One road less."""

from isrtoys.crossing import Careful, Light, Road


class Less(Careful):
    """One road less."""

    def may_turn_green_case(self, road: Road) -> int:
        """The case of may_turn_green that applies; 0 is that of the model."""
        if road == Road.FOOTPATH:
            return 1
        else:
            return 0

    def may_turn_green(self, road: Road) -> bool:
        case = self.may_turn_green_case(road)
        if case == 1:
            return False
        else:
            return all(self.light[r] == Light.RED for r in Road)
'''


def test_a_table_is_a_variants_text(tmp_path: Path) -> None:
    rows = [PolicyRow((Road.FOOTPATH,), "return False")]
    written = write_variant(
        Careful, "Less", "One road less.", [PolicyTable("may_turn_green", (KeyPart("road"),), rows)], {}
    )
    assert written == CAREFUL
    (tmp_path / "less.py").write_text(written, encoding="utf-8")
    outcome = isrcheck.check(f"{tmp_path / 'less.py'}:Less", engine="reference")
    assert {each.name: each.exit for each in outcome.properties}["people_walk"] == 22


def written_for(*rows: PolicyRow, key: tuple[KeyPart, ...] = (KeyPart("leader"), ISR)) -> str:
    return write_variant(KRAFT, "Other", "Another one.", [PolicyTable("is_granted", key, rows)], MEMBERS)


@pytest.mark.parametrize(
    ("isr", "condition"),
    [
        ({R0}, "if self.now.isr == frozenset(r for r in Replica if r == leader):"),
        ({R1, R2}, "if self.now.isr == frozenset(r for r in Replica if r != leader):"),
        ({R0, R1, R2}, "if self.now.isr == frozenset(Replica):"),
        (set(), "if self.now.isr == frozenset():"),
        (
            {R0, R2},
            "if leader in self.now.isr and sum(1 for r in Replica if (r != leader and r in self.now.isr)) == 1"
            " and sum(1 for r in Replica if (r != leader and r not in self.now.isr)) == 1:",
        ),
    ],
)
def test_a_set_is_described_by_who_has_a_name(isr: set[object], condition: str) -> None:
    assert condition in written_for(PolicyRow((R0, frozenset(isr)), "return True"))


def test_rows_that_differ_in_names_are_one() -> None:
    rows = [
        PolicyRow((one, frozenset({one, other})), "return True")
        for one in MEMBERS[Replica]
        for other in (R0, R1)
        if one != other
    ]
    assert written_for(*rows) == written_for(rows[0])


def test_a_row_that_reads_a_local_name_has_it() -> None:
    """Of three, the two others than the leader are told apart by the request alone."""
    key, first = (KeyPart("leader"), KeyPart("request.isr")), ("request = self.request[leader]", "require(request)")
    asked = frozenset({R0, R1})
    rows = [PolicyRow((R0, asked), "self.settle({}, frozenset(), None)", (asked,))]
    written = write_variant(KRAFT, "Other", "Another one.", [PolicyTable("decide_grant", key, rows, first)], MEMBERS)
    lines = [line.strip() for line in written.splitlines()]
    case = lines.index("if case == 1:")
    statement = "self.settle(frozenset(r for r in Replica if r == leader or (r != leader and r in request.isr)), {})"
    assert lines[case + 1 : case + 4] == [*first, statement.format("frozenset(), None")]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([PolicyRow((R0, frozenset({R0})), "return {}", (R1,))], "tells members apart that are interchangeable"),
        ([PolicyRow((R0, frozenset({R0})), "return {}", (frozenset({R1}),))], "tells members apart that are"),
        (
            [PolicyRow((R0, frozenset({R0})), "return True"), PolicyRow((R1, frozenset({R1})), "return False")],
            "two rows of a table differ in names alone, and do not do the same.",
        ),
        ([PolicyRow((R0, frozenset({R0})), "return True")] * (MOST_ROWS + 1), "a table of 5,001 rows is too large"),
    ],
)
def test_a_table_that_no_text_can_be_is_refused(rows: Sequence[PolicyRow], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        written_for(*rows)


# Answers without Java

SETTING = Setting(2, 2, elr=True, unclean=False)


class AnswersOfAModel(Jars):
    """Jars that answer as kraft-4.3 does with other constants."""

    def __init__(self, **constants: str) -> None:
        super().__init__(Classes("4.3.1"))
        self._steps = _Decisions(read_model(KRAFT), SETTING, constants)

    @property
    def abilities(self) -> frozenset[str]:
        return frozenset({"elr", "reports"})

    def ask(self, setting: Setting, questions: Sequence[Question]) -> list[list[str]]:
        return [self._answer(each.line, each.at) for each in questions]

    def ask_again(self, setting: Setting, lines: Sequence[str]) -> dict[str, list[str]]:
        return {line: self._answer(line, self._on_record(line)) for line in lines}

    def _answer(self, line: str, at: OnRecord) -> list[str]:
        return next(
            sorted(map(word_of, each.expected)) for each, _ in self._steps._questions_of(at) if each.line == line
        )

    def _on_record(self, line: str) -> OnRecord:
        leader, *masks = map(int, line.split()[4:10])
        isr, elr, last_known, fenced, leaving = map(self._steps.names, masks)
        image = Image(self._steps._one(leader), 1, isr, elr, last_known)
        return OnRecord(image, fenced, leaving, frozenset(self._steps.brokers), None, None)


def violated(outcome: isrcheck.Outcome) -> dict[str, int]:
    return {each.name: each.trace.length - 1 for each in outcome.properties if each.exit and each.trace}


@pytest.mark.slow
def test_a_decision_of_jars_is_as_one_of_the_models() -> None:
    """The graph of a model with a switch, from answers that know nothing of it; and no table where nothing differs."""
    given = {"power_losses": "1"}
    decided = decide("kraft-4.3", given, AnswersOfAModel(unclean_leaves="false"))
    assert "783 decisions asked, 30 are not the model's" in str(decided)
    theirs = isrcheck.check(decided.source, constants=given)
    ours = isrcheck.check("kraft-4.3", constants=given, unclean_leaves=False)
    assert (theirs.digest, theirs.generated, violated(theirs)) == (ours.digest, ours.generated, violated(ours))
    assert violated(theirs)["candidates_complete"] == 9
    traces = [[step.call for step in each.trace.steps[1:]] for each in theirs.properties if each.trace]
    assert decided.confirm(traces) > 4
    decided.jars = AnswersOfAModel()
    with pytest.raises(Disagreement, match="and not as before"):
        decided.confirm(traces)
    alike = decide("kraft-4.3", given, AnswersOfAModel())
    assert isrcheck.check(alike.source, constants=given).digest == isrcheck.check("kraft-4.3", constants=given).digest


@pytest.mark.slow
def test_whatever_a_run_meets_was_asked() -> None:
    given = {"power_losses": "1"}
    decided = decide("kraft-4.3", given, AnswersOfAModel(kip_841="false"))
    variant = read_model(find_model(decided.source))
    decisions = _Decisions(variant, SETTING, {})
    lines = {each.line for each in decisions.questions()}
    stepper = ReferenceStepper(bind(variant, given))
    waiting, known, met = [stepper.initial], {stepper.initial}, set[str]()
    while waiting:
        before = waiting.pop()
        for position, after in stepper.steps(before):
            action = stepper.actions[stepper.action_of[position]]
            if after is not None and action in DECIDED_BY:
                values = stepper.values(before), stepper.values(after)
                met.add(decisions.step(action, stepper.arguments(position), *values)[0])
            if after is not None and after not in known:
                known.add(after)
                waiting.append(after)
    assert len(met) > 40
    assert [line for line in met if lines.isdisjoint({line, swapped(line)})] == []


def swapped(line: str) -> str:
    """The same question with r0 and r1 in each other's place."""
    event, brokers, who, argument, leader, *masks, adding, removing = line.split()
    names = {"-1": "-1", "0": "1", "1": "0"}
    others = [{"1": "2", "2": "1"}.get(mask, mask) for mask in (argument, *masks)]
    return " ".join((event, brokers, names[who], others[0], names[leader], *others[1:], adding, removing))


# The command


def run(*words: str) -> Done:
    return in_process("check", "kraft-4.3", "--property", "none", "--no-vacuity", *words)


@pytest.fixture(autouse=True)
def offered(monkeypatch: pytest.MonkeyPatch) -> None:
    """What pyproject.toml declares, also where the environment was made before it did."""
    from importlib import metadata

    offer = metadata.EntryPoint("controller", "isrbrokers.classes.decided:decide_by_jars", "isrcheck.deciders")
    real = metadata.entry_points
    group = {"group": "isrcheck.deciders"}
    monkeypatch.setattr(metadata, "entry_points", lambda **of: [offer] if of == group else real(**of))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--controller-jars", "tests/brokers"), "has no jars and no classes: name the folder where a build leaves"),
        (("--controller-release", "4.4"), "4.4 is not a release with such a controller: write all of it, such as"),
        (("--controller-release", "4.4.0", "-c", "spares=1"), "jars decide for partitions that stay on their brokers"),
        (
            ("--controller-release", "4.4.0", "-c", "spare_last=true"),
            "spare_last is a rule of the model's own decisions",
        ),
        (("--controller-release", "4.4.0", "-c", "replicas=5"), "jars decide for at most 3 replicas"),
    ],
)
def test_wrong_usage_is_a_sentence(words: tuple[str, ...], sentence: str) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert sentence in done.stderr


def test_jars_that_know_no_reports_decide_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AnswersOfAModel, "abilities", frozenset({"elr"}))
    with pytest.raises(UsageError, match="know no reports of directories: leave out disks and dir_reports"):
        decide("kraft-4.3", {"disks": "1"}, AnswersOfAModel())


def test_where_java_is_missing_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path))
    done = run("--controller-release", "4.4.0")
    assert done.returncode == 2
    assert "Kafka needs java, which is not on the path" in done.stderr


def test_other_models_have_no_such_controller() -> None:
    done = in_process("check", "kip-101", "--controller-release", "4.4.0")
    assert "kip-101 is not of the kraft family, whose controller can be asked" in done.stderr


def test_a_spec_names_the_jars(tmp_path: Path) -> None:
    spec = '[[run]]\nmodel = "kraft-4.3"\ncontroller_jars = "no-such-build"\nexpect = { leader_live = "holds" }\n'
    (tmp_path / "gate.toml").write_text(spec, encoding="utf-8")
    done = in_process("gate", str(tmp_path / "gate.toml"))
    assert done.returncode == 2
    assert "kraft-4.3  controller_jars=no-such-build" in done.stdout
    assert "no-such-build has no jars and no classes" in done.stdout


# Real classes

DECIDED = [(name, line, instead, breaks) for name, line, instead, _, breaks in FAULTS if breaks not in ("", MOVING)]


@pytest.mark.slow
@needs_java
@pytest.mark.parametrize(
    ("name", "line", "instead", "breaks"), DECIDED, ids=[f"{name}-{line}" for name, line, *_ in DECIDED]
)
def test_a_fault_in_kafka_breaks_a_property(name: str, line: str, instead: str, breaks: str, tmp_path: Path) -> None:
    """A property that kraft-4.3 keeps with these constants; where it is none, a run violates what kraft-4.3 does."""
    built = build(tmp_path, name, line, instead)
    constants, _, broken = breaks.partition(": ")
    given = dict(each.split("=") for each in constants.split())
    named = None if broken == "none" else [broken.split()[0]]
    ours = violated(isrcheck.check("kraft-4.3", constants=given, properties=named))
    theirs = violated(
        isrcheck.check(
            "kraft-4.3", constants=given, properties=named, controller_jars=built, controller_release="4.3.1"
        )
    )
    assert theirs == (ours if named is None else {named[0]: int(broken.split()[1])})
    assert named is None or not ours


@pytest.mark.slow
@needs_java
@pytest.mark.parametrize("replicas", [2, 3])
def test_the_released_controller_has_the_models_graph(replicas: int) -> None:
    ours = isrcheck.check("kraft-4.3", properties=[], replicas=replicas)
    theirs = isrcheck.check("kraft-4.3", properties=[], replicas=replicas, controller_release="4.4.0")
    assert (theirs.digest, theirs.generated, theirs.depth) == (ours.digest, ours.generated, ours.depth)
