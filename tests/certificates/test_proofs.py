"""Certificates of proofs for any size: confirmed by z3 and cvc5 as written, refused where they are wrong."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.certificates.forge import recheck, restate, rewrite, wrongly_confirmed

from isrcheck.api import prove
from isrcheck.catalogue import find_model
from isrcheck.certificate import obligation_file
from isrcheck.lang.read import read_model
from isrcheck.proofs import recheck as rechecking
from isrcheck.proofs import solvers
from isrcheck.proofs.certificate import Proof, write_proof
from isrcheck.proofs.obligations import Obligations, SolverAnswer, without_constraints
from isrcheck.proofs.relational.system import RelationalSystem
from isrcheck.proofs.solvers import REFUTED
from isrcheck.proofs.stepper import RelationalStepper

TANK_FILE = Path(__file__).with_name("tank.py")
TANK = f"{TANK_FILE}:Tank"
WRONG = Path(__file__).parent.parent / "proofs" / "wrong.py"
ASKED = """
    start nothing_is_spilt
    fault drink
    only_what_was_poured initially
    only_what_was_poured by drink
    only_what_was_poured by pour
    keep nothing_is_spilt by drink
    keep nothing_is_spilt by pour
"""


def certify(folder: Path, model: str, name: str, **constants: Any) -> Path:
    run = prove(model, properties=[name], constants=constants)
    (proof,) = run.proofs
    return write_proof(proof, folder, model, run.outcome.command).parent


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certify(tmp_path_factory.mktemp("tank"), TANK, "only_what_was_poured")


@pytest.fixture
def tank(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "tank"))


def refused(folder: Path) -> str:
    code, said = recheck(folder)
    assert code == 1, said
    assert said.startswith("refused: ")
    return said.removeprefix("refused: ").strip()


def body(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
    return found


def file_of(folder: Path, obligation: str) -> str:
    (name,) = body(folder)["obligations"][obligation]
    return str(name)


def test_a_certificate_is_confirmed_and_says_by_whom(tank: Path) -> None:
    assert {*body(tank)["obligations"]} == {*filter(None, map(str.strip, ASKED.splitlines()))}
    code, said = recheck(tank)
    assert (code, said.splitlines()[1:-1]) == (
        0,
        ["only_what_was_poured: of 7 obligations z3 confirms 7 and cvc5 confirms 7; "
         "each is confirmed by at least one of them."],
    )  # fmt: skip
    assert said.startswith(f"{TANK} for capacity: any; no constant is fixed:\n")
    assert said.endswith(" samples from seed 0 show.\n")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("isr-kafka-7152", "isr_at_least_hw"),
        pytest.param("isr-strict-min-isr", "hw_never_decreases", marks=pytest.mark.slow),
        pytest.param("isr-kip-501", "isr_at_least_hw", marks=pytest.mark.slow),
        pytest.param("isr-kip-16-merged", "isr_at_least_hw", marks=pytest.mark.slow),
        pytest.param("async-isr", "valid_high_watermark", marks=pytest.mark.slow),
        pytest.param("kip-320", "strong_isr", marks=pytest.mark.slow),
    ],
)
def test_proofs_of_the_models_are_confirmed(tmp_path: Path, model: str, name: str) -> None:
    code, said = recheck(certify(tmp_path, model, name))
    assert code == 0, said
    assert re.search(rf"\n{name}: of \d+ obligations .*; each is confirmed by at least one of them\.\n", said)


def test_constants_that_are_given_are_in_it(tmp_path: Path) -> None:
    folder = certify(tmp_path, f"{WRONG}:Club", "everybody_is_one", nodes=1)
    code, said = recheck(folder)
    assert (code, said.splitlines()[0]) == (0, f"{WRONG}:Club for nodes: 1, limit: any; nodes=1:")
    restate(folder, lambda body: body["constants"].update(nodes=2))
    assert refused(folder).startswith("certificate.json states another `for` than the model and these constants have: ")


def test_what_is_asked_does_not_depend_on_what_was_read_before() -> None:
    ir = without_constraints(read_model(find_model("async-isr")))

    def texts() -> list[str]:
        obligations = Obligations(RelationalSystem(ir, {}), ir.lemmas)
        return [text for each in obligations.of_lemmas() for text in (each.smtlib(), *each.cases)]

    assert texts() == texts()


def test_a_file_edited_is_refused(tank: Path) -> None:
    file = tank / "obligation-003.smt2"
    file.write_text(file.read_text() + "\n")
    assert refused(tank) == "obligation-003.smt2 is not the file that was certified: its SHA-256 is another."


def test_a_lemma_weakened_in_an_obligation_is_refused(tank: Path) -> None:
    name = file_of(tank, "keep nothing_is_spilt by drink")
    text = (tank / name).read_text()
    lemma = "(= |poured| (+ |drunk| |held|))"
    assert lemma in text
    rewrite(tank, name, text.replace(lemma, "(<= |poured| (+ |drunk| |held|))").encode())
    sentence = f"{name} does not ask the obligation 'keep nothing_is_spilt by drink' as the model's text and lemmas do."
    assert refused(tank) == sentence


def test_a_lemma_weakened_in_certificate_json_is_refused(tank: Path) -> None:
    restate(tank, lambda body: body.update(lemmas={"nothing_is_spilt": "True"}))
    assert refused(tank) == "the lemma nothing_is_spilt in certificate.json is not the one in the model's text."


def test_a_lemma_of_nobody_is_refused(tank: Path) -> None:
    restate(tank, lambda body: body["lemmas"].update(all_is_well="True"))
    assert refused(tank) == "certificate.json names lemmas that the model does not have: all_is_well."


def without(obligation: str) -> Callable[[dict[str, Any]], None]:
    """Leaves the obligation out and numbers the files again."""

    def change(stated: dict[str, Any]) -> None:
        files = dict(stated["files"])
        del stated["obligations"][obligation]
        kept = {"model.txt": files["model.txt"]}
        for number, (name, (file,)) in enumerate(stated["obligations"].items(), 1):
            stated["obligations"][name] = [obligation_file(number)]
            kept[obligation_file(number)] = files[file]
        stated["files"] = kept

    return change


def test_an_obligation_left_out_is_refused(tank: Path) -> None:
    removed = "keep nothing_is_spilt by drink"
    old = {name: (tank / file).read_bytes() for name, (file,) in body(tank)["obligations"].items()}
    restate(tank, without(removed))
    for name, (file,) in body(tank)["obligations"].items():
        (tank / file).write_bytes(old[name])
    assert refused(tank) == f"certificate.json lacks the obligation {removed!r}, which the model's text asks."


def test_an_obligation_of_nobody_is_refused(tank: Path) -> None:
    def change(stated: dict[str, Any]) -> None:
        stated["obligations"]["keep all_is_well by drink"] = stated["obligations"].pop("fault drink")

    restate(tank, change)
    said = refused(tank)
    assert said == "certificate.json does not number the files of its obligations from obligation-001.smt2 on."


def test_an_obligation_renamed_is_refused(tank: Path) -> None:
    def change(stated: dict[str, Any]) -> None:
        stated["obligations"] = {name.replace("spilt", "lost"): f for name, f in stated["obligations"].items()}

    restate(tank, change)
    expected = "certificate.json lists the obligation 'start nothing_is_lost', which the model's text does not ask."
    assert refused(tank) == expected


def test_another_text_of_the_model_is_refused(tmp_path: Path) -> None:
    """A step that was proved is changed; then the hash is made right, and the text too."""
    model = tmp_path / "tank_to_change.py"
    model.write_text(TANK_FILE.read_text())
    folder = certify(tmp_path / "proof", f"{model}:Tank", "only_what_was_poured")
    model.write_text(TANK_FILE.read_text().replace("require(self.held > 0)", "require(self.held >= 0)"))
    said = refused(folder)
    assert said == f"the text of {model}:Tank is not what was certified: the SHA-256 of a file is another."


def test_a_text_of_the_model_that_is_not_its_own_is_refused(tank: Path) -> None:
    rewrite(tank, "model.txt", (tank / "model.txt").read_bytes().replace(b"self.held > 0", b"self.held > 1"))
    assert refused(tank) == f"model.txt is not the text of {TANK}."


def test_another_property_is_refused(tank: Path) -> None:
    restate(tank, lambda body: body.update(property="nothing_is_spilt"))
    expected = (
        "certificate.json lists the obligation 'only_what_was_poured initially', which the model's text does not ask"
    )
    assert refused(tank) == f"{expected}."


def forged(folder: Path, model: str, name: str) -> Path:
    ir = without_constraints(read_model(find_model(model)))
    (asked,) = (p for p in ir.properties if p.name == name)
    obligations = Obligations(RelationalSystem(ir, {}), ir.lemmas)
    everything = [*obligations.of_lemmas(), *obligations.of_property(asked)]
    said = tuple(SolverAnswer(each, REFUTED, "z3", 0.0) for each in everything)
    return write_proof(Proof(ir, {}, asked, ir.lemmas, said), folder, model, "").parent


@pytest.mark.parametrize(
    ("model", "name", "obligation"),
    [
        (f"{WRONG}:WrongLemma", "insiders_have_paid", "keep everybody_has_paid by raise_fee"),
        (f"{WRONG}:WeakJoin", "isr_at_least_hw", "isr_at_least_hw by follower_fetches"),
        (f"{WRONG}:Careless", "insiders_have_paid", "fault give_back"),
        (f"{WRONG}:Club", "everybody_is_one", "everybody_is_one initially"),
    ],
    ids=["WrongLemma", "WeakJoin", "Careless", "Club"],
)
def test_what_was_never_proved_is_refused(tmp_path: Path, model: str, name: str, obligation: str) -> None:
    folder = forged(tmp_path, model, name)
    expected = f"the obligation {obligation!r} does not stand: z3 says sat, and the proof needs unsat."
    assert refused(folder) == expected


def test_what_one_solver_does_not_know_is_said(tank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for solver in [name for name in solvers.SOLVERS if name.startswith("cvc5")]:
        monkeypatch.setitem(solvers.SOLVERS, solver, lambda text, seconds: solvers.NO_ANSWER)
    code, said = recheck(tank)
    assert code == 0
    assert "of 7 obligations z3 confirms 7 and cvc5 confirms 0; each is confirmed by at least one of them." in said
    assert "\nUndetermined by cvc5 within 5 s: start nothing_is_spilt, " in said


def test_what_no_solver_knows_is_refused(tank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for solver in [*solvers.SOLVERS]:
        monkeypatch.setitem(solvers.SOLVERS, solver, lambda text, seconds: solvers.NO_ANSWER)
    expected = "the obligation 'start nothing_is_spilt' is confirmed neither by z3 nor by cvc5 within 60 s."
    assert refused(tank) == expected


def test_cases_are_confirmed_each(tmp_path: Path) -> None:
    """An obligation that was refuted in cases is written so."""
    proof = prove(TANK, properties=["only_what_was_poured"]).proofs[0]
    split = tuple(SolverAnswer(a.obligation, a.answer, a.solver, a.seconds, in_cases=True) for a in proof.answers)
    again = Proof(proof.ir, proof.given, proof.proved, proof.lemmas, split)
    folder = write_proof(again, tmp_path, TANK, "").parent
    code, said = recheck(folder)
    assert code == 0, said


def test_a_lowering_that_loses_a_guard_is_refused(tank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Samples of the author's methods show it."""
    honest = RelationalStepper.successors

    def careless(self: RelationalStepper, instance: int) -> list[tuple[int, ...] | None]:
        found = honest(self, instance)
        return found or [tuple(0 for _ in self.initial)]

    monkeypatch.setattr(RelationalStepper, "successors", careless)
    said = refused(tank)
    assert said.startswith(
        "the relational system says otherwise than the author's methods: step 1 drink() in poured=0, "
    )


def test_too_few_samples_are_refused(tank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rechecking, "CHOICES", 1)
    monkeypatch.setattr(rechecking, "WALK", 1)
    expected = r"the relational system cannot be checked against the author's methods: only 8 samples."
    assert refused(tank) == expected


def test_no_change_of_what_it_certifies_is_confirmed(tmp_path: Path) -> None:
    assert wrongly_confirmed(certify(tmp_path, "toy-mutex", "flags_are_true")) == []
