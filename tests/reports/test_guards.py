"""Every guard of every model: its mutant is killed or listed with a reason, and what the gate says without it."""

import json
from pathlib import Path
from typing import Any

import pytest
from tools.reports import guards_page
from tools.reports.guards import JUDGED, Row, models, read_rows, remove_guards
from tools.reports.mutants import (
    GUARDS,
    REASONS,
    ROOT,
    SINCE_KRAFT,
    TABLES,
    fate_rows,
    guard_words,
    overview,
    read_fates,
    run,
    table_words,
)
from tools.reports.red import places, read_red
from tools.reports.red import remove_guard as gate_without

from isrcheck.evidence.writers.html import page_of
from isrcheck.gate.mutants.make import mutants_of
from isrcheck.gate.mutants.report import DETECTED, survey_document
from isrcheck.gate.mutants.survey import read_reasons
from isrcheck.lang.read import read_model
from isrcheck.user_cache import CacheFolder
from isrmodel.catalogue import MODELS


def without_lines(found: Row) -> Row:
    """A row that a comment or a blank line in a model does not change."""
    return Row(**{**vars(found), "why": found.why.partition(": ")[2]})


@pytest.mark.slow
@pytest.mark.parametrize("model", models())
def test_a_model_is_as_in_the_table(model: str, tmp_path: Path) -> None:
    kept = [without_lines(row) for row in read_rows() if row.model == model]
    assert sorted(without_lines(row) for row in remove_guards(model, 1, CacheFolder(tmp_path))) == sorted(kept)


def test_every_guard_of_every_model_has_its_row() -> None:
    written = [(name, m.owner, m.guard) for name in models() for m in mutants_of(read_model(MODELS[name])) if m.guard]
    assert sorted((row.model, row.owner, row.guard) for row in read_rows()) == sorted(written)
    assert {MODELS[name] for name in models()} == set(JUDGED.values())
    before = [model for model in GUARDS if model not in SINCE_KRAFT]
    kept = {(row.owner, row.guard) for model in before for row in read_fates("guards", model)}
    assert kept == {(owner, guard) for _, owner, guard in written}
    assert len(kept) == 94


def test_a_guard_that_no_model_notices_is_listed_with_a_reason() -> None:
    listed = {(model, each.guard) for each in read_reasons(ROOT / REASONS) for model in each.models}
    rows = read_rows()
    noticed = {(row.owner, row.guard) for row in rows if row.fate in DETECTED}
    unnoticed = {(row.owner, row.guard) for row in rows} - noticed
    for owner, guard in unnoticed:
        assert any((model, guard) in listed for model in GUARDS), (owner, guard)
    assert (len(noticed), len(unnoticed)) == (62, 32)


def test_what_is_left_open() -> None:
    """A fetch that anybody may lose makes a huge graph of two models, which break the promise that would notice."""
    rows = read_rows()
    assert {row.fate for row in rows} <= {*DETECTED, "survived", "equivalent", "trivially-equivalent", "undecided"}
    cut = [row for row in rows if row.fate == "undecided"]
    assert {row.guard for row in cut} == {"response_is_lost: require(self.is_served(follower, leader))"}
    assert [row.model for row in cut] == [
        f"partition-kafka-4485-v2-{rule}" for rule in ("by-high-watermark", "kip-320")
    ]
    assert all("exposed_never_decreases" in row.broken_already.split() for row in cut)


# The gate


@pytest.mark.slow
@pytest.mark.parametrize(("owner", "guard"), [(each.owner, each.guard) for each in read_red()])
def test_the_gate_without_a_guard(owner: str, guard: str) -> None:
    """The guard is made to require nothing in a copy of the models, and `isrcheck gate` run there."""
    kept = next(each for each in read_red() if (each.owner, each.guard) == (owner, guard))
    assert gate_without(owner, guard, places()[owner, guard]) == kept


def test_the_gate_is_red_without_every_guard_but_two() -> None:
    """Without these every model has the same steps in every state, by another guard."""
    assert [(each.owner, each.guard) for each in read_red()] == list(places())
    assert {each.exit for each in read_red()} == {0, 21, 75}
    assert [each.guard for each in read_red() if each.exit == 0] == [
        "controller_assigns_replica: require(self.replicas_move)",
        "leader_shrinks_isr: require(self.presumes_leadership(leader))",
    ]
    for each in read_red():
        assert (each.exit == 0) == (not each.promises + each.counts + each.actions + each.errors), each


def test_a_promise_turns_the_gate_red_unless_there_is_a_reason() -> None:
    listed = {each.guard for each in read_reasons(ROOT / REASONS)}
    for each in read_red():
        assert each.promises or each.errors or each.guard in listed, each


def test_the_page_has_a_line_for_every_guard() -> None:
    lines = [line for line in guards_page.current_page().splitlines() if line.startswith("| `")]
    assert len(lines) == len(read_red())


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
