"""Every message of tests/errors that reading gives is a diagnostic, at its place."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types
from tests.errors.test_messages import CASES, PRELUDE, Case
from tools.bench.language_client import Editor, editor

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]

# A base whose policies are open is not refused, and the second takes longer than an editor waits.
OTHERS = {"policy_misspelt", "policy_not_filled", "subsets_of_too_many"}
CLASS = re.compile(r"^class \w+\(", re.MULTILINE)
HEAD = re.compile(r"\n==== exit 75\nmodel\.py:(\d+):(\d+): (.+)")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    with editor(tmp_path_factory.mktemp("corpus").resolve(), "--max-seconds", "100") as own:
        yield own


@pytest.fixture(scope="module")
def file(client: Editor, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("model").resolve() / "model.py"
    client.open(file, "")
    return file


def text_of(case: Case) -> str:
    return (PRELUDE + case.model.removeprefix("...\n") if case.model.startswith("...\n") else case.model) + "\n"


def shown(found: list[types.Diagnostic]) -> list[tuple[int, int, str]]:
    """The command line calls the module of a file otherwise than the test of messages."""
    texts = [re.sub(r"isrcheck_model_model_\w+", "model", each.message.split("\n")[0]) for each in found]
    starts = [each.range.start for each in found]
    return [(at.line + 1, at.character + 1, text) for at, text in zip(starts, texts, strict=True)]


def test_every_message_is_shown_at_its_place(client: Editor, file: Path) -> None:
    """A place without columns is shown from the first letter of its line."""
    missing, count = set(), 0
    for case in CASES:
        if told := HEAD.match(case.messages):
            text = text_of(case)
            line, column, sentence = int(told[1]), int(told[2]), told[3]
            written = text.split("\n")[line - 1]
            columns = (column, len(written) - len(written.lstrip()) + 1 if column == 1 else column)
            found = shown(client.edit(file, text))
            if not found and case.name not in OTHERS:
                found = shown(client.problems_of(file, bool))
            count += 1
            if not any((line, each, sentence) in found for each in columns):
                missing.add(case.name)
    assert missing == OTHERS
    assert count > 350


def test_the_models_of_this_repository_have_no_errors(client: Editor) -> None:
    """A base that others complete may be refused as a model of its own, which is no error."""
    files = [file for folder in ("model/isrmodel", "examples") for file in sorted((ROOT / folder).rglob("*.py"))]
    models = [file for file in files if CLASS.search(file.read_text(encoding="utf-8")) and file.parent.name != "risk"]
    assert len(models) > 100
    for file in models:
        found = client.open(file, file.read_text(encoding="utf-8"))
        assert [each.message for each in found if each.severity != types.DiagnosticSeverity.Information] == [], file
        assert all("cannot be checked by itself: " in each.message for each in found)
        client.close(file)
