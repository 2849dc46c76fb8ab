"""Facts are equal in every run, and noise is kept out of them."""

import re
from pathlib import Path

import pytest
from tests.evidence.report.runs import MADE, SIZES, entries, hostile, parts

from isrcheck import check
from isrcheck.errors import UsageError
from isrcheck.evidence.report.entry import from_outcome
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
