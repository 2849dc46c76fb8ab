"""Every message a model's author can meet, whole: the text under the line `====` in each file of cases/.

A case is a model that is wrong in one way; above it may stand a comment `# constants: name=value ...`. The last class
of the file is read, bound, lowered and run. An error that shows only in a run has one message for each engine. After a
change of wording, ISRCHECK_ACCEPT=1 writes the messages anew; read the difference as an author would.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.lang.written import load_model

from isrcheck import Model
from isrcheck.engines.contract import Request
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.explore import Explorer
from isrcheck.engines.reference import ReferenceStepper
from isrcheck.errors import IsrcheckError, ModelError
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.lang.read import read_model
from isrcheck.passes import BoundModel, bind, check_domains, lower

CASES = sorted((Path(__file__).parent / "cases").glob("*.txt"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_message(case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, _, expected = case.read_text(encoding="utf-8").partition("\n====")
    monkeypatch.chdir(tmp_path)
    found = "".join(
        f"\n==== {part}" for part in messages(load_model(text + "\n", tmp_path, monkeypatch), constants(text))
    )
    if os.environ.get("ISRCHECK_ACCEPT"):
        case.write_text(f"{text}{found}\n", encoding="utf-8")
    else:
        assert found + "\n" == "\n====" + expected


def test_there_are_cases() -> None:
    assert len(CASES) > 50


def test_every_case_is_an_error_of_a_user() -> None:
    """Wrong input is never an exit of success, a fault of isrcheck, or a stack trace."""
    for case in CASES:
        told = [line for line in case.read_text(encoding="utf-8").splitlines() if line.startswith("====")]
        assert told, case.name
        assert all(line.endswith((" exit 75", " exit 2", " exit 10")) for line in told), case.name
        assert "Traceback" not in case.read_text(encoding="utf-8")


def constants(text: str) -> dict[str, str]:
    """The constants that a case's first line gives."""
    first, mark, given = text.splitlines()[0].partition("# constants: ")
    return dict(pair.split("=") for pair in given.split()) if mark and not first else {}


def messages(cls: type[Model], given: dict[str, str]) -> Iterator[str]:
    """What an author is told: one message, or one from each engine."""
    try:
        model, system = prepared(cls, given)
    except IsrcheckError as error:
        yield f"exit {error.exit_code}\n{error}"
        return
    told: list[ModelError | None] = [run_reference(model), run_evaluator(model, system)]
    for engine, found in zip(("reference", "evaluator"), told, strict=True):
        assert found is not None, f"the {engine} found nothing wrong"
        yield f"{engine}, exit {found.exit_code}\n{found}"


def prepared(cls: type[Model], given: dict[str, str]) -> tuple[BoundModel, ScalarSystem]:
    text = read_model(cls)
    check_domains(text)
    model = bind(text, given)
    ReferenceStepper(model)
    return model, lower(model)


def run_reference(model: BoundModel) -> ModelError | None:
    kinds = {p.name: p.role for p in model.properties}
    try:
        Explorer(ReferenceStepper(model), kinds, Request(properties=tuple(kinds), deadlock=True)).run()
    except ModelError as error:
        return error
    return None


def run_evaluator(model: BoundModel, system: ScalarSystem) -> ModelError | None:
    kinds = {p.name: p.role for p in model.properties}
    try:
        Explorer(ScalarStepper(system), kinds, Request(properties=tuple(kinds), deadlock=True)).run()
    except ModelError as error:
        return error
    return None
