"""What the facts of two revisions differ in, in words."""

import copy
from typing import Any

from tests.evidence.report.runs import entries, parts

from isrcheck.evidence.report.facts import Difference, differences, differences_table
from isrcheck.evidence.writers.markdown import markdown_of


def changed() -> tuple[dict[str, Any], dict[str, Any]]:
    """Two reports' facts, the second with one change of every kind."""
    old, _ = parts(*entries())
    new = copy.deepcopy(old)
    first, second, third, fourth, fifth, sixth = new["runs"]
    first["properties"][1].update(verdict="holds", assurance="exhaustive", length=None)
    first["properties"][0]["length"] += 1
    first["states"].update(distinct=400, digest="0" * 32)
    first["states"]["levels"][2] += 1
    first["actions"][0]["generated"] = 0
    second["properties"].pop()
    third["cut"] = "after 6 levels"
    fourth["constants"] = {"players": 7}
    fifth["failed"] = "Another sentence."
    sixth.pop("failed")
    sixth.update(
        {n: first[n] for n in ("states", "properties", "actions", "verdict", "cut", "engine", "symmetry", "command")}
    )
    return old, new


def test_equal_reports_have_no_differences() -> None:
    old, _ = parts(*entries())
    assert differences(old, copy.deepcopy(old)) == ()


def test_what_became_idle_and_what_has_a_case_now() -> None:
    old, _ = parts(*entries())
    new = copy.deepcopy(old)
    sentences = ("somebody is never reached", "grow() has a guard that is never false: require(x)")
    old["runs"][0]["vacuous"] = dict.fromkeys(sentences, "vacuous")
    new["runs"][0]["vacuous"] = {sentences[0]: "vacuous", "nobody is never reached": "not known"}
    new["runs"][1]["vacuous"] = {"of this the other report says nothing": "vacuous"}
    assert [(d.what, d.old, d.new, d.flip) for d in differences(old, new)] == [
        ("grow() has a guard that is never false: require(x)", "vacuous", "has a case", False),
        ("nobody is never reached", "has a case", "not known", False),
    ]


def test_the_order_of_runs_the_version_and_the_command_do_not_count() -> None:
    old, _ = parts(*entries())
    new = {**old, "runs": old["runs"][::-1], "version": "9", "command": "another"}
    assert differences(old, new) == ()


def test_every_kind_of_change_is_told() -> None:
    found = differences(*changed())
    told = {(d.run.split()[0], d.what): (d.old, d.new, d.flip) for d in found}
    first = "truncate-to-high-watermark"
    assert told[first, "strong_isr"] == (
        "✗ violated 9 steps, replayed",
        "◐ holds within bounds (870 steps pruned), exhaustive",
        True,
    )
    assert told[first, "weak_isr"] == ("✗ violated 8 steps, replayed", "✗ violated 9 steps, replayed", False)
    assert told[first, "distinct"] == ("353", "400", False)
    assert told[first, "states first reached at depth 3"] == ("14", "15", False)
    assert told[first, "action controller_elects_leader"] == ("taken 22, new 22", "taken 0, new 22", False)
    assert told["mine.py:Mine", "run"][:2] == ("no verdict: mine.py:7: a list is no value of a model.", "violated")
    assert ("toy-mutex", "run") in told
    assert sum(d.what == "run" for d in found) == 4


def test_hostile_names_are_text_in_markdown() -> None:
    text = markdown_of([differences_table([Difference("run", "<script>", "a|b", "*c*", flip=True)])])
    assert "\\<script\\>" in text
    assert "a\\|b" in text
