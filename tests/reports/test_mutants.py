"""Every guard of every Kafka model is missed by a property or listed with a reason, and reports/mutants says so."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.reports.mutants import FOLDER, GUARDS, REASONS, ROOT, TABLES, guard_words, overview, read, run, table_words

from isrcheck.gate.mutants.forms.page import survey_page
from isrcheck.gate.mutants.forms.words import SEEN
from isrcheck.gate.mutants.make import mutants_of
from isrcheck.gate.mutants.reasons import read_reasons
from isrcheck.lang.read import read_model
from isrmodel.catalogue import MODELS

QUICK = ("async-isr", "isr-kafka-19996-fix", "isr-kip-501", "isr-original-design")


def without_places(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts that a comment or a blank line in a model does not change."""
    mutants = [{n: v for n, v in m.items() if n not in ("at", "why")} for m in facts["mutants"]]
    return {**facts, "mutants": mutants, "version": ""}


def assert_current(kind: str, model: str, words: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = run(words, folder / "found.json", 2)
    assert found["exit"] == 0
    assert without_places(found) == without_places(read(FOLDER, kind, model))


@pytest.mark.parametrize("model", QUICK)
def test_guards_are_noticed_or_listed(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_current("guards", model, guard_words(model), tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("model", [model for model in GUARDS if model not in QUICK])
def test_all_other_guards_are_noticed_or_listed(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_current("guards", model, guard_words(model), tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("model", TABLES)
def test_no_table_has_drifted(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_current("table", model, table_words(model), tmp_path, monkeypatch)


def test_the_recorded_facts_are_as_listed() -> None:
    for model in GUARDS:
        facts = read(FOLDER, "guards", model)
        assert facts["exit"] == 0
        assert facts["wrong_reasons"] == []
        unneeded = [m["guard"] for m in facts["mutants"] if m["fate"] not in SEEN]
        assert unneeded == [each["guard"] for each in facts["unneeded_guards"] if each["reason"]]


def test_no_guard_of_any_model_is_left_out() -> None:
    """A guard counts once, where it is written: most models of a family share theirs."""
    tried = {(m["owner"], m["guard"]) for model in GUARDS for m in read(FOLDER, "guards", model)["mutants"]}
    written = {(m.owner, m.guard) for cls in MODELS.values() for m in mutants_of(read_model(cls)) if m.guard}
    assert written - tried == set()
    assert len(written) == 94


def test_every_reason_is_of_a_model_that_is_tried() -> None:
    for each in read_reasons(ROOT / REASONS):
        for model in each.models:
            assert each.guard in {g["guard"] for g in read(FOLDER, "guards", model)["unneeded_guards"]}


def test_pages_are_made_of_the_facts() -> None:
    for model in TABLES:
        assert (FOLDER / f"{model}.html").read_text(encoding="utf-8") == survey_page(read(FOLDER, "table", model))
    found = [[read(FOLDER, kind, model) for model in known] for kind, known in (("guards", GUARDS), ("table", TABLES))]
    assert (FOLDER / "README.md").read_text(encoding="utf-8") == overview(*found)


def test_there_is_nothing_else() -> None:
    names = {f"guards-{m}.json" for m in GUARDS} | {
        f"{s}{m}.{e}" for m in TABLES for s, e in (("table-", "json"), ("", "html"))
    }
    assert {file.name for file in FOLDER.iterdir()} == names | {"README.md", "guards.md", "guards.csv", "red.csv"}
    for file in FOLDER.glob("*.json"):
        assert str(ROOT) not in json.dumps(json.loads(file.read_text(encoding="utf-8")))
