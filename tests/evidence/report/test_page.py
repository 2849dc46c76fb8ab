"""The page of a report: what each cell says, well-formed, no script, and hostile names shown."""

import re
from copy import deepcopy
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tests.constraints.models import Near
from tests.evidence.report.runs import entries, hostile, parts

from isrcheck import check
from isrcheck.evidence.report.entry import from_outcome
from isrcheck.evidence.report.facts import verdict_in_words
from isrcheck.evidence.report.folder import report_page, verdicts_of
from isrcheck.evidence.report.matrix import groups, tally

VOID = {"br", "meta", "wbr", "rect", "line", "img"}


class Reader(HTMLParser):
    """Elements in order, whether each is closed, and all text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag, (tag, self.getpos())

    def handle_data(self, data: str) -> None:
        self.text += data


def read(*some: Any) -> Reader:
    reader = Reader()
    reader.feed(report_page(*parts(*some)))
    reader.close()
    assert reader.open == []
    return reader


def facts(number: int) -> dict[str, Any]:
    found: dict[str, Any] = parts(*entries())[0]["runs"][number]
    return found


@pytest.mark.parametrize(
    ("run", "name", "cell"),
    [
        (0, "strong_isr", ("violated", "✗", "violated", "9 steps, replayed")),
        (0, "leader_in_isr", ("within", "◐", "holds within bounds (870 steps pruned)", "exhaustive")),
        (1, "something_commits", ("holds", "✓", "reached", "5 steps, replayed")),
        (2, "strong_isr", ("undetermined", "?", "undetermined", "bounded(4)")),
        (3, "mutual_exclusion", ("holds", "✓", "holds", "exhaustive")),
        (3, "strong_isr", ("absent", "-", "n/a", "")),
        (3, "deadlock", ("unasked", "·", "not asked", "")),
        (4, "strong_isr", ("failed", "!", "no verdict", "")),
    ],
)
def test_a_cell_says_its_verdict_and_how_it_is_known(run: int, name: str, cell: tuple[str, ...]) -> None:
    word = verdict_in_words(facts(run), name)
    assert (word.look, word.sign, word.short, word.detail) == cell


def test_the_reach_of_a_verdict_is_a_sentence() -> None:
    assert verdict_in_words(facts(1), "strong_isr").reach == (
        "It holds within bounds (660 steps pruned): all 277 reachable states were looked at."
    )
    assert verdict_in_words(facts(2), "strong_isr").reach == (
        "It is not decided: the run ended after 5 levels; every behaviour of at most 4 steps was looked at, and longer "
        "ones were not."
    )
    run = {**facts(0), "sample": {"seed": 1, "walks": 2, "steps": 3}}
    assert verdict_in_words(run, "weak_isr").reach.startswith("A random walk broke it after 8 steps;")


def test_constraints_are_said_of_what_they_may_have_helped_to() -> None:
    made = from_outcome(check(Near, engine="reference"))
    run = parts(made)[0]["runs"][0]
    within = "within the constraint near (5 states not expanded)"
    assert [verdict_in_words(run, name).short for name in ("below_six", "far")] == [f"holds {within}", "never reached"]
    assert within in verdict_in_words(run, "far").reach
    page = read(made).text
    assert "5 not expanded" in page
    assert "✓ holds" not in page


def test_what_does_not_apply_says_why() -> None:
    outcome = check("isr-original-design")
    made = from_outcome(outcome)
    why = outcome.not_asked["measured_lag_is_safe"]
    assert why == "No lag is measured where no lastCaughtUpTimeMs is kept."
    page = read(made, from_outcome(check("isr-kafka-4485-merged")))
    reach = f"It does not apply with these constants: {why}"
    titles = [attrs.get("title") for tag, attrs in page.tags if tag == "td"]
    assert f"measured_lag_is_safe: {reach}" in titles
    assert page.text.count(why) == 2  # in the cell, for those who hear the page, and where the run is told
    run = parts(made)[0]["runs"][0]
    assert verdict_in_words(run, "no_such_property").reach == "The model has no such property."


def test_a_run_says_what_it_left_idle(tmp_path: Path) -> None:
    constants = {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}
    outcome = check("kip-320-first-try", vacuity=True, constants=constants)
    made = from_outcome(outcome)
    sentence = "follower_replicates() has a guard that is never false: require(self.may_fetch(follower, leader))"
    assert parts(made)[0]["runs"][0]["vacuous"] == {sentence: "vacuous"}
    assert f"○ vacuous {sentence}" in " ".join(read(made).text.split())
    assert "vacuous" not in parts(from_outcome(check("kip-320-first-try", constants=constants)))[0]["runs"][0]


def test_nothing_cut_short_or_failed_looks_like_holds() -> None:
    for run in parts(*entries())[0]["runs"]:
        for name in ("strong_isr", "leader_in_isr", "mutual_exclusion"):
            word = verdict_in_words(run, name)
            if "failed" in run or run["cut"]:
                assert word.look in ("undetermined", "failed", "absent")
                assert "holds" not in f"{word.short} {word.detail}"


def test_the_matrix_puts_models_that_are_alike_together() -> None:
    found = groups(parts(*entries())[0]["runs"])
    assert [[row.number for row in table.rows] for table in found] == [[0, 1, 2, 4], [3], [5]]
    assert [kind for _, kind in found[0].properties].index("can happen?") == 5


def test_a_verdict_is_told_once_for_all_properties_that_share_it() -> None:
    told = [(word.look, names) for word, names, _ in verdicts_of(facts(0))]
    assert told[:3] == [
        ("violated", ["weak_isr"]),
        ("violated", ["strong_isr"]),
        ("within", ["leader_in_isr", "log_matching", "keep_up_stays"]),
    ]
    assert sum(len(names) for _, names in told) == 10


def test_memory_is_told_where_there_are_states_to_tell_it() -> None:
    runs, noise = deepcopy(parts(*entries()[:1]))
    assert "bytes one takes" in report_page(runs, noise)
    assert "bytes a state" not in report_page(runs, noise)
    runs["runs"][0]["states"]["distinct"] = 2_000_000
    noise["runs"][0]["peak_rss_bytes"] = 64_000_000
    assert "<td>32</td>" in report_page(runs, noise)


def test_the_tally_counts_cells() -> None:
    found = tally(parts(*entries())[0]["runs"])
    assert found["violated"] == 2
    assert found["failed"] == 2
    assert found["undetermined"] == 10 - tally([facts(2)])["holds"]


def test_the_page_is_well_formed_and_has_every_run() -> None:
    page = read(*entries())
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert ids == ["matrix", *(f"run-{n}" for n in range(1, 7)), "noise"]
    for text in (
        "never taken",
        "holds within bounds",
        "(870 steps pruned)",
        "exit 10",
        "mine.py:7: a list is no value",
    ):
        assert text in page.text
    assert page.text.index("Noise") > page.text.index("This run alone")


def test_every_link_leads_beside_the_page() -> None:
    page = read(*entries(), hostile())
    links = {attrs["href"] or "" for _, attrs in page.tags if "href" in attrs}
    assert {"facts.json", "noise.json", "traces/truncate-to-high-watermark-strong_isr.html"} <= links
    assert all(re.fullmatch(r"#run-\d+|facts\.json|noise\.json|traces/[\w%-]+\.(html|svg)", link) for link in links)


def test_the_page_runs_nothing_and_fetches_nothing() -> None:
    page = read(*entries(), hostile())
    assert {tag for tag, _ in page.tags} & {"script", "img", "link", "iframe", "object", "form"} == set()
    assert not [a for _, attrs in page.tags for a in attrs if a.startswith("on") or a in ("src", "style")]
    policy = next(a["content"] for _, a in page.tags if "http-equiv" in a)
    assert policy is not None
    assert re.fullmatch(r"default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'", policy)


def test_hostile_names_are_shown() -> None:
    text = read(hostile()).text
    assert "<script>alert(\"1\")</script><img src=x onerror='alert(2)'>" in text
    assert "副本 реплика" in text
    assert "\u202e" not in text


def test_a_run_without_states_or_properties_has_a_page() -> None:
    outcome = entries()[3].outcome  # type: ignore[union-attr]  # a run with an outcome
    counted = {
        **outcome,
        "properties": [],
        "actions": [],
        "states": {**outcome["states"], "levels": [], "digest": None},
    }
    from isrcheck.evidence.report.entry import Measured

    assert "No property was asked" in read(Measured(counted)).text
