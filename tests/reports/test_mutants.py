"""Every guard of every Kafka model is missed by a property or listed with a reason; fates.csv keeps every mutant."""

import json
from pathlib import Path
from typing import Any

import pytest
from tools.reports.mutants import (
    GUARDS,
    REASONS,
    ROOT,
    TABLES,
    fate_rows,
    guard_words,
    overview,
    read_fates,
    run,
    table_words,
)

from isrcheck.evidence.writers.html import page_of
from isrcheck.gate.mutants.report import DETECTED, survey_document
from isrcheck.gate.mutants.survey import read_reasons


def current(survey: str, model: str, words: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The facts of a survey, made now: each mutant has the fate that is kept, and each other guard its reason."""
    monkeypatch.chdir(ROOT)
    facts = run(words, folder / "facts.json", 2)
    assert facts["exit"] == 0
    assert facts["wrong_reasons"] == []
    assert fate_rows(survey, facts) == read_fates(survey, model)
    assert str(ROOT) not in json.dumps(facts)
    return facts


@pytest.mark.slow
@pytest.mark.parametrize("model", GUARDS)
def test_guards_have_killers_or_reasons(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = current("guards", model, guard_words(model), tmp_path, monkeypatch)
    survivors = [m["guard"] for m in facts["mutants"] if m["fate"] not in DETECTED]
    assert survivors == [each["guard"] for each in facts["unneeded_guards"] if each["reason"]]
    assert f"### {model}\n" in overview([facts], [])


@pytest.mark.slow
@pytest.mark.parametrize("model", TABLES)
def test_no_table_has_drifted(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = current("table", model, table_words(model), tmp_path, monkeypatch)
    page = page_of(survey_document(facts, by_property=True))
    assert page.count('role="rowheader"') >= len(facts["mutants"]) > 0
    assert f"[{model}]({model}.html)" in overview([], [facts])


def test_every_survey_is_kept() -> None:
    assert all(read_fates("guards", model) for model in GUARDS)
    assert all(read_fates("table", model) for model in TABLES)


def test_every_reason_is_of_a_model_that_is_tried() -> None:
    for each in read_reasons(ROOT / REASONS):
        for model in each.models:
            assert each.guard in {row.guard for row in read_fates("guards", model) if row.fate not in DETECTED}
