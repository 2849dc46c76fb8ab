"""Facts are equal in every run, and noise is kept out of them."""

import copy
import re
from pathlib import Path
from typing import Any

import pytest
from tests.evidence.report.runs import MADE, SIZES, entries, hostile, parts

from isrcheck import check
from isrcheck.errors import UsageError
from isrcheck.evidence.report.entry import from_outcome
from isrcheck.evidence.report.facts import Difference, differences, differences_table
from isrcheck.evidence.writers.markdown import markdown_of
from isrcheck.files import as_json

GOLDEN = Path(__file__).parent / "golden"


def test_the_facts_are_the_golden_ones() -> None:
    facts, _ = parts(*entries())
    assert as_json(facts) == (GOLDEN / "facts.json").read_text(encoding="utf-8")


def test_two_runs_have_the_same_facts_whatever_the_workers() -> None:
    one, two = (from_outcome(check("kip-320", constants=SIZES, workers=n)) for n in (1, 2))
    assert as_json(parts(one)[0]) == as_json(parts(two)[0])
    assert [n["workers"] for e in (one, two) for n in parts(e)[1]["runs"]] == [1, 2]


def test_facts_hold_no_noise() -> None:
    facts, noise = parts(*entries())
    text = as_json(facts)
    assert not re.search(r"seconds|peak|rss|workers|date|machine|python|commit\b", text)
    assert set(noise) == {"schema", "part", "runs", *MADE}
    assert all(
        set(run) <= {"model", "constants", "workers", "seconds", "startup_seconds", "peak_rss_bytes"}
        for run in noise["runs"]
    )


def test_file_names_are_plain_and_never_alike() -> None:
    facts, _ = parts(
        hostile(),
        from_outcome(check("truncate-to-high-watermark", constants=SIZES)),
        from_outcome(check("truncate-to-high-watermark", constants={**SIZES, "max_records": 2})),
    )
    stems = [p["drawn"] for run in facts["runs"] for p in run["properties"] if p["drawn"]]
    assert len(stems) == len(set(stems)) > 4
    assert all(re.fullmatch(r"[\w-]+", stem) for stem in stems)


def test_a_run_twice_is_refused() -> None:
    first = entries()[0]
    with pytest.raises(
        UsageError, match=r"^truncate-to-high-watermark replicas=2 .* is asked for twice: leave one out"
    ):
        parts(first, first)


def changed() -> tuple[dict[str, Any], dict[str, Any]]:
    """The facts of a run, and the same with one change of every kind."""
    old = parts(*entries())[0]["runs"][0]
    new = {**copy.deepcopy(old), "cut": "after 6 levels", "symmetry": True, "engine": "spark"}
    new["properties"].pop()
    new["properties"][1].update(verdict="holds", assurance="exhaustive", length=None)
    new["properties"][0]["length"] += 1
    new["states"].update(distinct=400, digest="0" * 32)
    new["states"]["levels"][2] += 1
    new["actions"][0]["generated"] = 0
    new["actions"].pop()
    return old, new


def test_equal_runs_have_no_differences() -> None:
    for run in parts(*entries())[0]["runs"]:
        assert list(differences(run, copy.deepcopy(run))) == []


def test_every_kind_of_change_is_told() -> None:
    held = "◐ holds within bounds (870 steps pruned), exhaustive"
    told = {d.what: (d.old, d.new, d.flip) for d in differences(*changed())}
    assert told == {
        "strong_isr": ("✗ violated 9 steps, replayed", held, True),
        "weak_isr": ("✗ violated 8 steps, replayed", "✗ violated 9 steps, replayed", False),
        "a_replica_rejoins_the_isr": ("✓ reached 5 steps, replayed", "- n/a", True),
        "cut": ("none", "after 6 levels", False),
        "symmetry": ("False", "True", False),
        "engine": ("native", "spark", False),
        "distinct": ("353", "400", False),
        "digest": ("a7448c17b5aaf01728c62b8f8ff29b9e", "0" * 32, False),
        "states first reached at depth 3": ("14", "15", False),
        "action controller_elects_leader": ("taken 22, new 22", "taken 0, new 22", False),
        "action follower_replicates": ("taken 66, new 36", "not there", False),
    }


@pytest.mark.parametrize(("then", "now"), [(4, 5), (5, 0), (0, 5)])
def test_a_run_without_a_verdict_and_another_are_one_change(then: int, now: int) -> None:
    runs = parts(*entries())[0]["runs"]
    verdicts = {0: "violated", 4: "no verdict: replicas=9 contradicts the assumption few.",
                5: "no verdict: mine.py:7: a list is no value of a model."}  # fmt: skip
    assert list(differences(runs[then], runs[now])) == [Difference("run", verdicts[then], verdicts[now], flip=True)]


def test_hostile_names_are_inert_in_a_table_of_differences() -> None:
    table = markdown_of([differences_table([Difference("<script>", "a|b", "*c*", flip=True)])])
    assert table.splitlines()[-1] == r"| **\<script\>** | **a\|b** | **\*c\*** |"
