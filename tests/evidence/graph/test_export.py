"""`isrcheck export` of graphs, as typed."""

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tests.evidence.graph.desk import LateDesk, stepper

from isrcheck.errors import ModelError, UsageError
from isrcheck.evidence.graph.explored import explore
from isrcheck.evidence.graph.views import expression, quotient
from isrcheck.run.trace import show_encoded

SMALL = ["-c", "replicas=2", "-c", "log_size=1", "-c", "max_records=1", "-c", "max_leader_epoch=1"]


def isrcheck(*words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "isrcheck", *words], capture_output=True, timeout=600, check=False)


def test_a_graph_in_every_form(tmp_path: Path) -> None:
    for form in ("dot", "svg"):
        file = tmp_path / f"graph.{form}"
        done = isrcheck("export", "kip-320", *SMALL, "--by", "quorum_isr", "--to", form, "-o", str(file))
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    ET.parse(tmp_path / "graph.svg")
    text = (tmp_path / "graph.dot").read_text(encoding="utf-8")
    assert "277 states, 464 steps, depth 12, 660 pruned" in text
    assert "groups of states alike in quorum_isr" in text


def test_a_graph_that_was_cut_off_is_said_to_be() -> None:
    done = isrcheck("export", "toy-mutex", "--to", "dot", "--max-states", "5")
    assert done.returncode == 0
    assert done.stderr.decode().startswith("The graph is not complete: the search was cut off after ")
    assert "Not the whole graph: the search was cut off after " in done.stdout.decode()


@pytest.mark.parametrize(
    ("words", "marks"),
    [([], ["✗ violates dark"]), (["--property", "bright"], ["✓ meets bright"]), (["--property", "none"], [])],
)
def test_only_what_is_asked_for_is_marked(words: list[str], marks: list[str]) -> None:
    text = isrcheck("export", "toy-born-wrong", "--to", "dot", *words).stdout.decode()
    assert [m for m in ("✗ violates dark", "✓ meets bright") if m in text] == marks


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["export", "toy-clock", "--to", "svg", "-c", "hours=10", "-c", "minutes=40"],
            "isrcheck: toy-clock has 400 states to draw, and a picture of more than 150 cannot be read. "
            "Try --by hour (10 groups), or --by minute (40 groups). --to parquet takes any size.",
        ),
        (
            ["export", "toy-mutex", "--to", "svg", "--by", "trun"],
            "isrcheck: Mutex has no variable or method trun to gr",
        ),
        (["export", "toy-mutex"], "isrcheck: say what to export: give --to with one of dot, svg, parquet, tla."),
        (["export", "toy-mutex", "--to", "svg", "--property", "x"], "isrcheck: Mutex has no property x."),
    ],
)
def test_wrong_usage_is_one_sentence(words: list[str], said: str) -> None:
    done = isrcheck(*words)
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.decode().startswith(said)
    assert len(done.stderr.decode().splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("term.leader", ["None", "к0", "к1"]),
        ("term.epoch", ["0", "1", "2"]),
        ("last.leader", ["None", "к0", "к1"]),
        ("is_late", ["False", "True"]),
        ("done", ["0", "1", "2"]),
    ],
)
def test_groups_by_fields_policies_and_helpers(text: str, groups: list[str]) -> None:
    made = stepper(LateDesk)
    view = quotient(explore(made, []), [expression(made, text)], "desk")
    assert [show_encoded(node.values[text]) for node in view.nodes] == groups


def test_groups_by_an_entry_of_a_map_and_by_a_property() -> None:
    made = stepper("toy-mutex")
    view = quotient(explore(made, []), [expression(made, "place[p0]"), expression(made, "someone_waits")], "mutex")
    found = [(node.values["place[p0]"], node.values["someone_waits"], node.states) for node in view.nodes]
    assert sum(states for _, _, states in found) == 24
    assert {place for place, waits, _ in found if waits} == {"waiting", "inside"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("termm", "LateDesk has no variable or method termm to group by. Did you mean term?"),
        ("term.leder", "--by term.leder: Term has no field leder. Did you mean leader?"),
        ("work.leader", "--by work.leader: leader is not a field of dict[Клерк, Level]."),
        ("term[0]", "--by term[0]: [0] is not an entry of Term."),
        ("work[r7]", "--by work[r7]: there is no key r7. Known: "),
        ("may_work", "--by may_work cannot be asked of a state: may_work of LateDesk takes parameters, or changes the"),
        ("elect", "LateDesk has no variable or method elect to group by."),
        ("term.epoch + 1", "--by term.epoch + 1 cannot group states: write a variable, a field"),
        ("", "--by  cannot group states"),
        ("__class__.x", "LateDesk has no variable or method __class__ to group by."),
        ("\x1b[31m", "--by \ufffd[31m cannot group states"),
    ],
)
def test_what_is_no_expression_is_refused_in_a_sentence(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        expression(stepper(LateDesk), text)
    assert str(caught.value).startswith(said)


def test_a_method_that_has_no_answer_is_an_error_in_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    made = stepper(LateDesk)
    asked = expression(made, "done")
    monkeypatch.setattr(LateDesk, "done", lambda self: 1 // 0)
    with pytest.raises(ModelError, match=r"done raised ZeroDivisionError"):
        asked.value(made.initial)
