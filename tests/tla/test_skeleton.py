"""Lemmas as invariants, their conjunction and theorems: what `export --to tla --lemmas` writes, and what TLC says."""

import os
import subprocess
from pathlib import Path

import pytest
from tests.fixtures.command_line import in_process as isrcheck
from tests.tla.test_tlc import needs_tlc

PROOF = """\
Inductive ==
    /\\ TypeOk
    /\\ LeaderIsBehind
    /\\ RequestsAreReckonedWith
    /\\ NewsOnlyShrinks
    /\\ ControllerIsrIsWithinMaximal

THEOREM InductiveInitially == Init => Inductive
PROOF OMITTED

THEOREM InductiveIsKept == Inductive /\\ [Next]_vars => Inductive'
PROOF OMITTED

THEOREM InductiveIsAnInvariant == Spec => []Inductive
PROOF OMITTED

THEOREM ValidHighWatermarkInitially == Init => ValidHighWatermark
PROOF OMITTED

THEOREM ValidHighWatermarkIsKept == Inductive /\\ ValidHighWatermark /\\ [Next]_vars => ValidHighWatermark'
PROOF OMITTED

THEOREM ValidHighWatermarkIsAnInvariant == Spec => []ValidHighWatermark
PROOF OMITTED

THEOREM HwNeverDecreasesOfSpec == Spec => HwNeverDecreases
PROOF OMITTED
"""


def test_what_is_written(tmp_path: Path) -> None:
    done = isrcheck("export", "async-isr", "--to", "tla", "--lemmas", "-o", str(tmp_path))
    assert done.returncode == 0, done.stderr
    names = ["IsrByRequest.tla", "AsyncIsr.tla", "AsyncIsrProof.tla", "MCAsyncIsr.tla", "MCAsyncIsr.cfg"]
    assert [Path(line).name for line in done.stdout.split()] == names
    proof = (tmp_path / "AsyncIsrProof.tla").read_text()
    assert proof.splitlines()[1] == "EXTENDS AsyncIsr"
    assert PROOF in proof
    assert "EXTENDS AsyncIsrProof\n" in (tmp_path / "MCAsyncIsr.tla").read_text()
    assert "    ControllerIsrIsWithinMaximal\n    Inductive\n" in (tmp_path / "MCAsyncIsr.cfg").read_text()


def test_without_the_option_there_are_no_lemmas(tmp_path: Path) -> None:
    assert isrcheck("export", "async-isr", "--to", "tla", "-o", str(tmp_path)).returncode == 0
    assert not (tmp_path / "AsyncIsrProof.tla").exists()
    assert not [file for file in tmp_path.iterdir() if "LeaderIsBehind" in file.read_text()]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("toy-mutex", "--to", "tla", "-o", "out"), "Mutex has no lemmas: leave --lemmas out."),
        (("async-isr", "--to", "dot"), "--lemmas is of modules: write it with --to tla."),
    ],
)
def test_refusals(words: tuple[str, ...], sentence: str) -> None:
    done = isrcheck("export", *words, "--lemmas")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"isrcheck: {sentence}\n")


@needs_tlc
@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "constants", "states", "violated"),
    [
        ("async-isr", ("replicas=3", "max_version=2"), 4088, ""),
        ("kip-320", ("replicas=2", "max_leader_epoch=2"), 1365, ""),
        ("kip-320-unfenced-truncation", ("replicas=2",), None, "RequestsAreHeeded"),
    ],
)
def test_tlc_finds_the_conjunction_invariant(
    model: str, constants: tuple[str, ...], states: int | None, violated: str, tmp_path: Path
) -> None:
    """And of a mutant the lemma that the search finds broken first."""
    given = [word for constant in constants for word in ("-c", constant)]
    done = isrcheck("export", model, "--to", "tla", "--lemmas", *given, "-o", str(tmp_path))
    main = Path(done.stdout.split()[-1]).stem
    command = ["java", "-cp", os.environ["TLC_JAR"], "tlc2.TLC", "-workers", "1", main]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    if violated:
        assert f"Error: Invariant {violated} is violated." in said
    else:
        assert "Model checking completed. No error has been found." in said
        assert f" {states} distinct states found, 0 states left on queue." in said
