"""The reachable set as a certificate: confirmed as written, refused in every way that it was made wrong."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.certificates.forge import recheck, relist, restate, rewrite, wrongly_confirmed

from isrcheck import Limits, Verdict, check
from isrcheck.errors import UsageError
from isrcheck.process import budget
from isrcheck.run import save

COUNTER = "toy-counter with limit=3:\nwithin_limit: holds.\nbelow_three: violated.\n"


def certify(folder: Path, model: str = "toy-counter", engine: str = "native", **constants: object) -> Path:
    check(model, engine=engine, certificate=folder, constants=constants)
    return folder


@pytest.mark.parametrize("engine", ["native", "reference", "evaluator"])
def test_every_explicit_engine_writes_the_same_certificate(tmp_path: Path, engine: str) -> None:
    folder = certify(tmp_path / engine, engine=engine)
    expected = certify(tmp_path / "again")
    assert (folder / "states.gz").read_bytes() == (expected / "states.gz").read_bytes()
    assert (folder / "certificate.json").read_text() == (expected / "certificate.json").read_text()
    code, said = recheck(folder)
    assert (code, said[: len(COUNTER)]) == (0, COUNTER)


@pytest.mark.parametrize(
    "model", ["toy-mutex", "toy-train", "toy-ledger", "toy-messages", "toy-juggler", "toy-lottery", "toy-crossing"]
)
def test_toys_are_confirmed(tmp_path: Path, model: str) -> None:
    code, said = recheck(certify(tmp_path, model))
    assert code == 0, said
    assert f"The {check(model).distinct:,} states listed" in said


def test_a_deadlock_is_confirmed(tmp_path: Path) -> None:
    check("toy-forks", deadlock=True, certificate=tmp_path)
    assert "deadlock: violated." in recheck(tmp_path)[1]


@pytest.mark.parametrize("model", ["kip-320", pytest.param("isr-kafka-4485-v2", marks=pytest.mark.slow)])
def test_kafka_models_are_confirmed(tmp_path: Path, model: str) -> None:
    code, said = recheck(certify(tmp_path, model, replicas=2))
    assert code == 0, said


def refused(folder: Path) -> str:
    code, said = recheck(folder)
    assert code == 1
    assert said.startswith("refused: ")
    assert said.count("\n") == 1
    return said.removeprefix("refused: ").strip()


def test_a_file_edited_is_refused(tmp_path: Path) -> None:
    file = certify(tmp_path) / "states.gz"
    file.write_bytes(file.read_bytes() + b"\0")
    assert refused(tmp_path) == "states.gz is not the file that was certified: its SHA-256 is another."


def test_a_state_removed_is_refused(tmp_path: Path) -> None:
    relist(certify(tmp_path), lambda states: states[:-1])
    assert refused(tmp_path) == "states.gz does not list a state that is reached: count=3."


def test_a_state_added_is_refused(tmp_path: Path) -> None:
    certify(tmp_path, "toy-clock", hours=3, minutes=3)
    relist(tmp_path, lambda states: [*states, (15).to_bytes(8, "little")])
    assert refused(tmp_path) == "states.gz lists states that nothing leads to: 1 of them."


def test_a_state_listed_twice_is_refused(tmp_path: Path) -> None:
    relist(certify(tmp_path), lambda states: [*states, states[0]])
    assert refused(tmp_path) == "states.gz does not list 5 different states, as is stated."


@pytest.mark.parametrize("name", ["generated", "pruned", "depth", "digest"])
def test_a_wrong_count_is_refused(tmp_path: Path, name: str) -> None:
    restate(certify(tmp_path), lambda body: body["states"].update({name: 1}))
    assert refused(tmp_path).startswith(f"{name} is stated as 1 in certificate.json, and is ")


@pytest.mark.parametrize(("name", "verdict"), [("below_three", "holds"), ("within_limit", "violated")])
def test_a_wrong_verdict_is_refused(tmp_path: Path, name: str, verdict: str) -> None:
    restate(certify(tmp_path), lambda body: body["properties"].update({name: verdict}))
    expected = f"{name} is stated as {verdict} in certificate.json, and the states listed say otherwise."
    assert refused(tmp_path) == expected


def test_other_constants_are_refused(tmp_path: Path) -> None:
    restate(certify(tmp_path), lambda body: body["constants"].update(limit=4))
    assert "states.gz does not list a state that is reached" in refused(tmp_path)


def test_another_model_is_refused(tmp_path: Path) -> None:
    restate(certify(tmp_path), lambda body: body.update(model="toy-mutex"))
    assert refused(tmp_path) == "the text of toy-mutex is not what was certified: the SHA-256 of a file is another."


def test_a_certificate_of_another_model_than_the_users_is_refused(tmp_path: Path) -> None:
    assert recheck(certify(tmp_path), "toy-mutex") == (
        1,
        "refused: certificate.json is of the model toy-counter, and not of toy-mutex.\n",
    )


def test_a_certificate_chooses_no_file_that_is_read(tmp_path: Path) -> None:
    folder, file = certify_lock(tmp_path, "Lock")
    restate(folder, lambda body: body.update(model="elsewhere/lock.py:Lock"))
    code, said = recheck(folder, f"{file}:Lock")
    assert (code, said.splitlines()[0]) == (0, f"{file}:Lock with top=3:")


def test_a_certificate_without_a_property_is_refused(tmp_path: Path) -> None:
    restate(certify(tmp_path), lambda body: body.update(properties={}))
    assert refused(tmp_path) == "certificate.json states no property, and so it certifies nothing."


def test_what_is_no_certificate_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path).startswith("no certificate that can be read: FileNotFoundError")
    rewrite(certify(tmp_path), "states.gz", b"nothing")
    assert refused(tmp_path).startswith("no certificate that can be read: BadGzipFile")
    restate(tmp_path, lambda body: body.update(schema="isrcheck.certificate/2"))
    assert refused(tmp_path) == (
        "certificate.json is of the schema isrcheck.certificate/2, and not of isrcheck.certificate/1."
    )


def test_a_run_that_was_cut_off_writes_none(tmp_path: Path) -> None:
    check("toy-mutex", limits=Limits(states=3), certificate=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_run_with_symmetry_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^a run with symmetry keeps one state of each kind"):
        check("toy-mutex", symmetry=True, certificate=tmp_path)


FORGED = '''
from typing import Annotated

from isrcheck import Model, Temporal, UpTo, action, always_eventually, constant, initial, invariant, refines, temporal

Number = Annotated[int, UpTo("top")]


class Lock(Model):
    top: int = constant(3, "the most", at_least=1)
    number: Number = 0
    up: bool = False

    @action
    def flip(self) -> None:
        self.up = not self.up

    @invariant
    def stays_small(self) -> bool:
        return self.number < 2


class Temporary(Lock):
    @temporal
    def comes_up(self) -> Temporal:
        """Violated: it may stop for ever."""
        return always_eventually(self.up)


class Begun(Lock):
    @initial
    def any_number(self, n: Number) -> None:
        self.number = n


class Refining(Lock):
    @refines(Lock)
    def is_lock(self, abstract: Lock) -> None:
        abstract.number = self.number
        abstract.up = self.up
'''


def certify_lock(tmp_path: Path, name: str) -> tuple[Path, str]:
    file, folder = tmp_path / "lock.py", tmp_path / "certificate"
    file.write_text(FORGED, encoding="utf-8")
    check(f"{file}:{name}", properties=["stays_small"], certificate=folder)
    return folder, str(file)


@pytest.mark.parametrize(
    ("model", "name"), [("Temporary", "comes_up"), ("Temporary", "nonsense"), ("Refining", "is_lock")]
)
@pytest.mark.parametrize("verdict", ["holds", "violated"])
def test_a_property_that_its_states_do_not_show_is_refused(tmp_path: Path, model: str, name: str, verdict: str) -> None:
    folder, _ = certify_lock(tmp_path, model)
    restate(folder, lambda body: body["properties"].update({name: verdict}))
    assert refused(folder) == (
        f"certificate.json states {name}, which is not a property of {model} that a list of states shows."
    )


def test_another_class_that_begins_in_other_states_is_refused(tmp_path: Path) -> None:
    folder, file = certify_lock(tmp_path, "Lock")
    restate(folder, lambda body: body.update(model=f"{file}:Begun"))
    assert refused(folder) == (
        "Begun has initial states that methods choose, and a certificate lists what one initial state leads to."
    )


def test_a_refinement_has_no_certificate(tmp_path: Path) -> None:
    file = tmp_path / "lock.py"
    file.write_text(FORGED, encoding="utf-8")
    with pytest.raises(UsageError, match="a certificate has states, which do not show the refinement is_lock"):
        check(f"{file}:Refining", properties=["is_lock"], certificate=tmp_path / "certificate")


@pytest.mark.parametrize("model", ["toy-counter", "toy-crossing"])
def test_no_change_of_what_states_certify_is_confirmed(model: str, tmp_path: Path) -> None:
    """Fewer properties say less, and nothing wrong."""
    check(model, certificate=tmp_path)
    assert wrongly_confirmed(tmp_path) == []


def test_a_file_outside_the_folder_is_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "certificate"
    check("toy-counter", certificate=folder)
    (folder / "states.gz").rename(tmp_path / "states.gz")
    body = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
    body["files"] = {"../states.gz": body["files"]["states.gz"]}
    (folder / "certificate.json").write_text(json.dumps(body), encoding="utf-8")
    assert recheck(folder) == (1, "refused: certificate.json names other files than states.gz.\n")


def test_fields_that_no_such_certificate_has_are_refused(tmp_path: Path) -> None:
    check("toy-counter", certificate=tmp_path)
    body = json.loads((tmp_path / "certificate.json").read_text(encoding="utf-8"))
    (tmp_path / "certificate.json").write_text(json.dumps({**body, "k": 1, "version": 1}), encoding="utf-8")
    expected = "refused: certificate.json does not have the fields of the kind states: see k, version.\n"
    assert recheck(tmp_path) == (1, expected)
    rewrite(tmp_path, "states.gz", b"")


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, check=False)


def test_what_check_writes_is_confirmed_and_an_empty_folder_refused(tmp_path: Path) -> None:
    assert run("isrcheck", "check", "toy-mutex", "--certificate", tmp_path).returncode == 0
    done = run("isrcheck.recheck", "toy-mutex", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "toy-mutex with no constants:\n"
        "mutual_exclusion: holds.\nflags_are_true: holds.\nsomeone_waits: holds.\n"
        "The 24 states listed are the initial one and all that steps lead to from it within the bounds.\n"
    )
    (tmp_path / "states.gz").unlink()
    done = run("isrcheck.recheck", "toy-mutex", tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("refused: no certificate that can be read: FileNotFoundError")


def test_a_run_that_was_cut_off_says_that_it_has_none(tmp_path: Path) -> None:
    done = run("isrcheck", "check", "toy-mutex", "--max-states", "3", "--certificate", tmp_path / "none")
    assert done.returncode == 20
    assert "isrcheck: no certificate: the run ended after " in done.stderr
    assert done.stderr.endswith(", and not every state was seen.\n")
    assert not (tmp_path / "none").exists()


def test_whose_text_is_confirmed_is_for_the_user_to_say(tmp_path: Path) -> None:
    done = run("isrcheck.recheck", tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "refused: write python -m isrcheck.recheck MODEL DIR [SEED], with the MODEL that DIR is to be of.\n"
    )


def test_a_certificate_of_nothing_is_not_written(tmp_path: Path) -> None:
    done = run("isrcheck", "check", "toy-mutex", "--property", "none", "--certificate", tmp_path / "none")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "isrcheck: a certificate states what was decided, and nothing is asked: name a --property, or ask for "
        "--deadlock.\n"
    )
    assert not (tmp_path / "none").exists()


def test_a_certificate_that_is_not_written_in_time_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(*_: object) -> None:
        budget.current().until, until = 0.0, time.monotonic() + 60
        while time.monotonic() < until:
            pass

    monkeypatch.setattr(save, "save_states", write)
    outcome = check("toy-clock", limits=Limits(seconds=900), certificate=tmp_path)
    assert (outcome.verdict, outcome.cut) == (Verdict.UNDETERMINED, "after 900 seconds, while writing the certificate")
