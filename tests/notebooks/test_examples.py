"""The notebooks in examples/ run from a clone, without a network, and their answers are the ones that they tell."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.notebooks.kernel import read, run
from tests.structure.sources import ROOT

if TYPE_CHECKING:
    from nbformat import NotebookNode

EXAMPLES = ROOT / "examples"
NAMES = sorted(file.stem for file in EXAMPLES.glob("*.ipynb"))


def notebook(name: str) -> "NotebookNode":
    return read(EXAMPLES / f"{name}.ipynb")


def shown(name: str, tmp_path: Path) -> list[dict[str, Any]]:
    """What the cells of a notebook show, by type of media; nothing is written to the error stream."""
    found = [output for cell in run(notebook(name), tmp_path) for output in cell.outputs]
    assert [output for output in found if output.get("name") == "stderr"] == []
    data = [output.get("data", {"text/plain": output.get("text")}) for output in found]
    return [each for each in data if each["text/plain"]]  # without lines of progress, which are gone


def texts(data: list[dict[str, Any]]) -> list[str]:
    return [each["text/plain"] for each in data]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_kept_without_outputs(name: str) -> None:
    """They would be compared in every change, and would tell what was true once."""
    from nbformat import validate

    validate(notebook(name))
    for cell in notebook(name).cells:
        if cell.cell_type == "code":
            assert (cell.outputs, cell.execution_count) == ([], None)


@pytest.mark.parametrize("name", NAMES)
def test_it_has_a_question_an_answer_and_links_that_lead_somewhere(name: str) -> None:
    prose = "\n".join(cell.source for cell in notebook(name).cells if cell.cell_type == "markdown")
    assert prose.startswith("# ")
    assert "**The question:**" in prose
    assert "**The answer" in prose
    links = re.findall(r"\]\((?!http)([^)#]+)", prose)
    assert links
    assert [link for link in links if not (EXAMPLES / link).resolve().is_file()] == []


def test_a_first_check(tmp_path: Path) -> None:
    lost, found, trace, kept, table = shown("first_check", tmp_path)
    assert "strong_isr violated, 353 distinct>" in lost["text/plain"]
    assert found["text/plain"] == "<PropertyOutcome strong_isr: violated in 9 steps, replayed>"
    assert trace["text/html"].startswith('<div class="isrcheck">')
    assert kept["text/plain"].startswith("<Outcome holds within bounds (660 steps pruned): kip-320 ")
    assert table["text/plain"].splitlines()[9] == "   8       1       0  leader_advances_high_watermark"


@pytest.mark.slow
def test_a_policy_sweep(tmp_path: Path) -> None:
    data = shown("policy_sweep", tmp_path)
    matrix, frame, _ = texts(data)
    assert matrix == "<Matrix of 8 runs: 4 violated, 0 hold, 4 hold within bounds, 0 undetermined>"
    rows = [line.split()[1:] for line in frame.splitlines()[1:]]
    assert [(row[0], int(row[1]), row[2], int(row[-1])) for row in rows] == [
        ("truncate-to-high-watermark", 2, "violated", 331),
        ("truncate-to-high-watermark", 3, "violated", 3_865),
        ("kip-101", 2, "holds", 341),
        ("kip-101", 3, "violated", 7_915),
        ("kip-279", 2, "holds", 341),
        ("kip-279", 3, "violated", 7_915),
        ("kip-320", 2, "holds", 277),
        ("kip-320", 3, "holds", 6_787),
    ]
    assert round(6_787 / 277, 1) == 24.5
    assert [each for each in data if "image/png" in each]


@pytest.mark.slow
def test_what_a_topics_settings_survive(tmp_path: Path) -> None:
    all_of_them, story, one = texts(shown("topic_settings", tmp_path))
    everything = "one fencing of a live broker, one kill and one power loss"
    names = ("acked_in_leader", "acked_somewhere", "exposed_in_leader")
    losses = ", ".join(f"{name} after {everything}" for name in names)
    assert all_of_them == (f"<Frontier Kafka 4.1, replication factor 3, min.insync.replicas=2, acks=all: {losses}>")
    assert story.endswith("acked_in_leader is violated after 14 steps>")
    assert one == (
        "<Frontier Kafka 4.1, replication factor 3, min.insync.replicas=2, acks=1: acked_in_leader after one kill, "
        "acked_in_leader after one fencing of a live broker, acked_somewhere after one kill, "
        "acked_somewhere after one fencing of a live broker>"
    )
