"""A canonical form: what is searched, what is checked of it, and who refuses it."""

import json
import os
import shutil
from pathlib import Path

import pytest
from tests.canonical.models import (
    Above,
    Begun,
    BegunAtThree,
    Endless,
    FairAppend,
    ForgetsHowFar,
    Hidden,
    Idle,
    LaterOnly,
    LeadsElsewhere,
    NotIdempotent,
    Producer,
    Seen,
    SeenForEver,
    Stepped,
)
from tools.random_models.loading import HEADER, load
from tools.reports.tlc import Tlc

import isrcheck
from isrcheck import Limits, Model, Outcome, Verdict
from isrcheck.engines.contract import Request
from isrcheck.engines.explore import reachable_states
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.engines.registry import engine as engine_named
from isrcheck.errors import ModelError, UsageError
from isrcheck.evidence.outcome_document import outcome_document, trace_document
from isrcheck.evidence.writers.terminal import plain_text
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrcheck.passes.bind import BoundModel
from isrcheck.run.canonical import check_form
from isrcheck.tla.export import to_tla, write_folder

AT_HAND = bool(os.environ.get("TLC_JAR")) and shutil.which("java") is not None
ENGINES = ("reference", "evaluator", "native")
OF_BEHAVIOURS = ("reference", "native")


def verdicts(outcome: Outcome) -> dict[str, Verdict]:
    return {p.name: p.verdict for p in outcome.properties}


def applied(cls: type[Model], **constants: int) -> BoundModel:
    found, cut = check_form(bind(read_model(cls), constants), Request(), engine_named("reference"))
    assert cut is None
    return found


@pytest.mark.parametrize("cls", [Endless, Begun])
@pytest.mark.parametrize("readers", [1, 2, 3])
def test_engines_search_the_same_graph(cls: type[Model], readers: int) -> None:
    """The quotient of the whole graph, made by hand from the model without its form."""
    model = applied(cls, readers=readers)
    found = [engine_named(name).search(model, Request()) for name in ENGINES]
    assert (
        len({(e.digest, e.distinct, e.generated, e.depth, e.levels, e.pruned, e.action_distinct) for e in found}) == 1
    )
    assert found[0].digest is not None
    form, written = ReferenceStepper(model), ReferenceStepper(model).as_written
    by_hand = {form.canonical(state) for state in reachable_states(written)}
    assert set(reachable_states(form)) == by_hand
    assert found[0].distinct == len(by_hand)
    assert found[0].pruned == 0
    assert any(after is None for state in reachable_states(written) for _, after in written.steps(state))


@pytest.mark.parametrize("engine", OF_BEHAVIOURS)
def test_a_producer_appends_for_ever_in_a_finite_graph(engine: str) -> None:
    bounded = isrcheck.check(Producer, engine=engine, properties=["all_is_read"], readers=2)
    assert bounded.pruned
    outcome = isrcheck.check(FairAppend, engine=engine, readers=2)
    assert outcome.pruned == 0
    expected = {"behind": "holds", "someone_is_late": "violated", "all_is_read": "violated", "settles": "violated"}
    assert {name: each.value for name, each in verdicts(outcome).items()} == expected
    settles = outcome.properties[-1].trace
    assert settles is not None
    assert settles.loop is not None
    assert settles.steps[-1].state == settles.steps[settles.loop].state
    assert {"append", "take"} <= {each.action for each in settles.steps[settles.loop + 1 :]}


def test_a_trace_says_where_it_was_renumbered() -> None:
    trace = isrcheck.check(FairAppend, properties=["settles"]).properties[0].trace
    assert trace is not None
    assert [step.renumbered for step in trace.steps if step.renumbered] == [
        "renumber() replaces end = 1, read = {r0: 1}"
    ]
    assert "renumber() replaces end = 1, read = {r0: 1}" in plain_text(trace_document(trace))
    assert json.loads(trace.to_json())["steps"][-1]["renumbered"].startswith("renumber()")


@pytest.mark.parametrize("engine", OF_BEHAVIOURS)
def test_an_outcome_says_what_was_compared(engine: str) -> None:
    """By hand: any least, as far as the bound, and up to two records after it."""
    count = sum(1 for read in range(6) for end in range(6) if read <= end <= read + 2)
    text = " ".join(plain_text(outcome_document(isrcheck.check(Endless, engine=engine))).split())
    sentence = "renumber() is the canonical form: it was compared with the state itself in each of"
    assert f"{sentence} {count} states" in text


WRONG = {
    ForgetsHowFar: "take(r=r0) can happen there, and in its form end=0, read={r0: 0} it cannot",
    NotIdempotent: "its form end=2 has another form, end=1",
    LeadsElsewhere: "after copy() its form is end=1, copied=1, and from its form end=0, copied=0 it is end=0, copied=0",
    LaterOnly: "finish() can happen there, and in its form",
    Seen: "short is not the same there as in its form",
    Above: "it puts a variable above its bound",
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cls", WRONG)
def test_what_does_not_go_on_alike_is_an_error_in_the_model(cls: type[Model], engine: str) -> None:
    with pytest.raises(ModelError) as error:
        isrcheck.check(cls, engine=engine, properties=[p.name for p in read_model(cls).properties])
    assert "renumber() is not a canonical form of the state end=" in error.value.sentence
    assert WRONG[cls] in error.value.sentence
    assert error.value.exit_code == 75
    assert error.value.place.file.endswith("models.py")


@pytest.mark.parametrize("engine", OF_BEHAVIOURS)
def test_a_temporal_property_may_not_tell_a_state_from_its_form(engine: str) -> None:
    with pytest.raises(ModelError, match="what grows asks is not the same there as in its form"):
        isrcheck.check(SeenForEver, engine=engine)
    holds = isrcheck.check(SeenForEver, engine=engine, properties=["behind"])
    assert verdicts(holds) == {"behind": Verdict.HOLDS}


@pytest.mark.parametrize("engine", OF_BEHAVIOURS)
def test_a_step_that_its_form_hides_is_refused_where_behaviours_are_asked(engine: str) -> None:
    """Its fairness could not be judged: the step would look as if nothing happened."""
    with pytest.raises(ModelError, match=r"count\(\) changes it and not its form"):
        isrcheck.check(Hidden, engine=engine)
    assert verdicts(isrcheck.check(Hidden, engine=engine, properties=["small"])) == {"small": Verdict.HOLDS}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("limits", [Limits(states=3), Limits(seconds=0.0)])
def test_a_check_that_is_cut_off_decides_nothing(engine: str, limits: Limits) -> None:
    asked = ["behind"] if engine == "evaluator" else None
    outcome = isrcheck.check(
        ForgetsHowFar if limits.seconds == 0 else Endless, properties=asked, engine=engine, limits=limits
    )
    assert {p.verdict for p in outcome.properties} <= {Verdict.UNDETERMINED}
    assert outcome.exit == 20
    assert limits.seconds == 0 or len(outcome.properties) == (1 if asked else 3)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_form_that_the_constants_switch_off_costs_nothing(engine: str) -> None:
    asked = ["behind", "grows"]
    outcome = isrcheck.check(Idle, properties=asked, engine=engine)
    assert outcome.distinct == isrcheck.check(Producer, properties=["behind"], engine=engine).distinct
    assert not outcome.notes
    assert verdicts(outcome) == {"behind": Verdict.HOLDS, "grows": Verdict.HOLDS}
    with pytest.raises(UsageError, match=r"grows does not apply .*: a step property, it is asked of steps"):
        isrcheck.check(Idle, properties=asked, engine=engine, counted=True)


def test_step_properties_do_not_apply() -> None:
    outcome = isrcheck.check(Stepped)
    assert "the canonical form renumber() rewrites the state after a step" in outcome.not_asked["grows"]
    assert "grows" not in verdicts(outcome)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"engine": "symbolic", "limits": Limits(depth=3)}, "the symbolic engine does not check: use --engine native."),
        ({"engine": "spark"}, "the spark engine does not check: use --engine native."),
        ({"symmetry": True}, "with which there is no --symmetry: leave it out."),
        ({"disk": Path("here")}, "with which there is no --disk: leave it out."),
    ],
)
def test_what_does_not_go_with_a_form_is_refused(more: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        isrcheck.check(Endless, properties=["behind"], **more)  # type: ignore[arg-type]  # options by name
    assert (
        str(error.value)
        == f"Endless has the canonical form renumber(), {'which ' * sentence.startswith('the')}{sentence}"
    )


def test_in_tla_each_step_ends_by_renumbering() -> None:
    text = to_tla(bind(read_model(Endless), {})).files["Endless.tla"]
    assert text.count("/\\ read' = [r") == text.count("- least]") == 2
    with pytest.raises(UsageError) as error:
        to_tla(bind(read_model(BegunAtThree), {}))
    assert str(error.value) == (
        "BegunAtThree begins in a state that renumber() rewrites, which a module cannot say: "
        "let it begin in the canonical form of that state."
    )


@pytest.mark.slow
@pytest.mark.skipif(not AT_HAND, reason="TLC is not at hand: set TLC_JAR, and have java on the path")
@pytest.mark.parametrize("cls", [Endless, Begun])
def test_tlc_finds_the_same_forms(cls: type[Model], tmp_path: Path) -> None:
    exported = to_tla(bind(read_model(cls), {"readers": 2}))
    write_folder(exported.files, tmp_path)
    states = exported.configuration.partition("PROPERTIES")[0] + "CHECK_DEADLOCK FALSE\n"
    (tmp_path / f"{exported.main}.cfg").write_text(states, encoding="utf-8")
    theirs = Tlc(os.environ["TLC_JAR"])(tmp_path, exported.main, states)
    ours = isrcheck.check(cls, properties=["behind"], readers=2)
    assert (theirs.distinct, theirs.depth) == (ours.distinct, ours.depth)


def test_whoever_knows_nothing_of_a_form_refuses_it() -> None:
    model = bind(read_model(Endless), {})
    for use in (lower, ReferenceStepper):
        with pytest.raises(UsageError, match=r"which only isrcheck check looks at"):
            use(model)
    with pytest.raises(UsageError, match=r"which only isrcheck check looks at"):
        isrcheck.simulate(Endless)
    with pytest.raises(UsageError, match=r"which only isrcheck check looks at"):
        isrcheck.prove(Endless)


BODY = '''from isrcheck import canonical, constraint


class Written(Model):
    """One that is refused."""

    n: Annotated[int, UpTo(3)] = 0

    @action
    def count(self) -> None:
        """One more."""
        self.n += 1

'''
FORM = "    @canonical\n    def form(self) -> None:\n        self.n = 0\n\n"
REFUSED = {
    "    @canonical\n    def form(self, n: int) -> None:\n        self.n = 0\n": "form form() has a parameter.",
    "    @canonical\n    def form(self) -> bool:\n        return True\n": "the canonical form form() returns a value.",
    "    @canonical\n    def form(self) -> None:\n        require(self.n > 0)\n": "form form() has a guard, and every",
    FORM + FORM.replace("form", "other"): "other() is a second canonical form, after form().",
    FORM + "    @constraint\n    def few(self) -> bool:\n        return self.n < 2\n": (
        "form() is a canonical form, and the model has the constraint few()."
    ),
    FORM.replace("self.n = 0", "self.helped()") + "    def helped(self) -> None:\n        require(self.n > 0)\n": (
        "the canonical form form() has a guard, and every state has one."
    ),
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_a_form_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError) as error:
        read_model(load(HEADER + BODY + text, tmp_path))
    assert REFUSED[text] in str(error.value)
