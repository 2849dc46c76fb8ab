"""Every message a model's author can meet, in full: the files of cases/, a file for each topic.

A case begins at `######## name`. It is a model that is wrong in one way, then `====`, the exit code and the message;
`...` as the first line stands for `PRELUDE`, and `# constants: name=value ...` above a model gives its constants. The
last class is read, bound, lowered and run. An error that shows only in a run has one message for each engine. After a
change of wording run this file in one process with ISRCHECK_ACCEPT=1, which writes the messages again; read the
difference as an author would.
"""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.lang.written import load_model

from isrcheck import Model
from isrcheck.engines.contract import Request
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.explore import Explorer, Stepper
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import IsrcheckError, ModelError
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.lang.read import read_model
from isrcheck.passes import BoundModel, bind, check_domains, lower

FOLDER = Path(__file__).parent / "cases"
HEADING = "######## "
PRELUDE = '''from typing import Annotated

from isrcheck import Model, Sort, UpTo, action, constant, constraint, each, enabled, history, invariant, lemma, members, policy, require, step


class Node(Sort, size="nodes"):
    """Somebody."""

Count = Annotated[int, UpTo("most")]


class Wrong(Model):
    nodes: int = constant(2, "how many", at_least=1)
    most: int = constant(2, "the largest number")

    n: Count = 0
    held: dict[Node, Count] = each(Node, 0)
'''  # noqa: E501 - one line of imports, so that the cases' line numbers stay


@dataclass(frozen=True)
class Case:
    """A model that is wrong, and the messages about it."""

    file: Path
    name: str
    model: str  # as it is written in the file
    messages: str  # from the line `====` to the end

    def accept(self, messages: str) -> None:
        """Writes these messages to the file, in place of those there."""
        text = self.file.read_text(encoding="utf-8")
        start = f"{HEADING}{self.name}\n{self.model}"
        assert start + self.messages in text
        self.file.write_text(text.replace(start + self.messages, start + messages), encoding="utf-8")


def cases() -> Iterator[Case]:
    for file in sorted(FOLDER.glob("*.txt")):
        _, *sections = re.split(f"^{HEADING}", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for section in sections:
            name, _, content = section.partition("\n")
            model, _, messages = content.partition("\n====")
            yield Case(file, name, model, f"\n===={messages}".rstrip("\n"))


CASES = list(cases())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_message(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (PRELUDE + case.model.removeprefix("...\n") if case.model.startswith("...\n") else case.model) + "\n"
    found = "".join(
        f"\n==== {part}" for part in messages(lambda: load_model(text, tmp_path, monkeypatch), constants(text))
    )
    if os.environ.get("ISRCHECK_ACCEPT"):
        case.accept(found)
    else:
        assert found == case.messages


def test_there_are_cases() -> None:
    names = [case.name for case in CASES]
    assert len(names) == len(set(names)) > 250


def test_every_case_is_an_error_of_a_user() -> None:
    """Wrong input is never an exit of success, a fault of isrcheck, or a stack trace."""
    for case in CASES:
        told = [line for line in case.messages.splitlines() if line.startswith("====")]
        assert told, case.name
        assert all(line.endswith((" exit 75", " exit 2", " exit 10")) for line in told), case.name
        assert "Traceback" not in case.messages


def constants(text: str) -> dict[str, str]:
    """The constants that a case's first line gives."""
    first, mark, given = text.splitlines()[0].partition("# constants: ")
    return dict(pair.split("=") for pair in given.split()) if mark and not first else {}


def messages(load: Callable[[], type[Model]], given: dict[str, str]) -> Iterator[str]:
    """What an author is told: one message, or one from each engine."""
    try:
        model, system = prepared(load(), given)
    except IsrcheckError as error:
        yield f"exit {error.exit_code}\n{error}"
        return
    told = [error_of_search(model, stepper) for stepper in (ReferenceStepper(model), ScalarStepper(system))]
    for engine, found in zip(("reference", "evaluator"), told, strict=True):
        assert found is not None, f"the {engine} found nothing wrong"
        yield f"{engine}, exit {found.exit_code}\n{found}"


def prepared(cls: type[Model], given: dict[str, str]) -> tuple[BoundModel, ScalarSystem]:
    ir = read_model(cls)
    check_domains(ir)
    model = bind(ir, given)
    ReferenceStepper(model)
    return model, lower(model)


def error_of_search(model: BoundModel, stepper: Stepper[Any]) -> ModelError | None:
    kinds = {p.name: p.kind for p in model.properties}
    try:
        Explorer(stepper, kinds, Request(properties=tuple(kinds), deadlock=True)).run()
    except ModelError as error:
        return error
    return None


MODEL = """from isrcheck import Model, action


class Switch(Model):
    on: bool = False

    @action
    def turn(self) -> None:
        self.on = True
"""


def test_a_file_changed_after_its_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cls = load_model(MODEL, tmp_path, monkeypatch)
    Path("model.py").write_text(MODEL.replace("self.on = True", "self.on = False"), encoding="utf-8")
    message = """model.py:7:1: the text of Switch.turn is not what Python runs.
  7 |     @action
    | ^
  The file was changed after it was imported, or a decorator replaced the method: import it afresh."""
    with pytest.raises(ModelError, match=f"^{re.escape(message)}$"):
        read_model(cls)


def test_a_file_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cls = load_model(MODEL, tmp_path, monkeypatch)
    Path("model.py").unlink()
    message = "model.py: Switch has no source text that can be read.\n  Write the model in a file."
    with pytest.raises(ModelError, match=f"^{re.escape(message)}$"):
        read_model(cls)


def test_a_method_replaced_by_another_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs is what is read: a function from elsewhere in the file stands for the method."""
    text = MODEL + "\n\ndef other(self: Switch) -> None:\n    self.on = not self.on\n\n\nSwitch.turn = action(other)\n"
    cls = load_model(text, tmp_path, monkeypatch)
    (turn,) = read_model(cls).actions
    assert turn.at.line == 12


def test_a_method_made_by_exec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = 'made = {}\nexec("def turn(self) -> None: self.on = True", made)\nSwitch.turn = action(made["turn"])\n'
    cls = load_model(f"{MODEL}\n\n{made}", tmp_path, monkeypatch)
    with pytest.raises(ModelError) as caught:
        read_model(cls)
    assert str(caught.value) == "<string>: turn has no source text that can be read.\n  Write the model in a file."
