"""Verdicts beside a property: in the words of the command line, with their age, and never of another text."""

import re
from typing import Any

from isrcheck.api import check
from isrcheck.editor.server.show import ModelVerdicts, verdict_phrase
from isrcheck.engines.contract import Limits
from isrcheck.evidence.outcome_document import outcome_document
from isrcheck.evidence.writers.terminal import plain_text
from isrtoys import TOYS

FEW = Limits(states=300)
HOLDS: dict[str, Any] = {"name": "p", "kind": "invariant", "verdict": "holds", "assurance": "exhaustive", "trace": None}
RUN: dict[str, Any] = {"verdict": "holds", "cut": None, "states": {"pruned": 0}}


def test_the_words_are_those_of_the_command_line() -> None:
    """Of every toy: bounds that cut something off, constraints included."""
    seen = set()
    for name in TOYS:
        outcome = check(name, engine="reference", limits=FEW)
        lines = plain_text(outcome_document(outcome)).splitlines()
        rows = {cells[0]: cells[1] for line in lines if len(cells := re.split(r"\s{2,}", line.strip())) > 2}
        for told in outcome.to_dict()["properties"]:
            phrase = verdict_phrase(told, outcome.to_dict())
            assert rows[told["name"]] == phrase
            seen.add(re.sub(r"[\d,]+ \w+", "N", phrase).partition(" (")[0])
    assert {"holds", "holds within bounds", "violated in N", "reached in N"} <= seen
    assert any(phrase.startswith("undetermined: the run ended") for phrase in seen)


def test_what_a_verdict_depends_on_is_said() -> None:
    told = {**RUN, "states": {"pruned": 3}, "constraints": {"names": ["few"], "outside": 1}}
    assert verdict_phrase(HOLDS, told) == (
        "holds within bounds (3 steps pruned) and within the constraint few (1 state not expanded)"
    )
    model = ModelVerdicts("check", {**RUN, "properties": [HOLDS, HOLDS], "states": {"pruned": 3}}, "")
    assert model.summary() == "2 holds within bounds (3 steps pruned)"
    cut = {**HOLDS, "verdict": "undetermined"}
    ended = verdict_phrase(cut, {**RUN, "cut": "after 5.0 s, while searching"})
    assert ended == "undetermined: the run ended after 5.0 s"
    assert verdict_phrase({**cut, "reason": "no lemma"}, RUN) == "undetermined: no lemma"


def test_verdicts_of_another_text_are_marked() -> None:
    verdicts = ModelVerdicts("check", {**RUN, "properties": [HOLDS]}, "text")
    assert verdicts.note("text") == ""
    assert verdicts.note("another") == ", of an older text"
    assert verdicts.of("p") == "holds (exhaustive)"
    assert verdicts.of("q") == ""


def test_a_text_that_changed_during_a_run_is_no_text() -> None:
    assert ModelVerdicts("check", {"properties": [HOLDS]}, "").note("") == ", of an older text"
