"""Graphviz text: golden, the same on every run, with names that are shown and never read as markup."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.evidence.graph.desk import stepper

from isrcheck.errors import UsageError
from isrcheck.evidence.graph.dot import dot_text, quote
from isrcheck.evidence.graph.explored import View, ViewEdge, ViewNode, explore
from isrcheck.evidence.graph.table import GRAPH_FORMS, drawable
from isrcheck.evidence.graph.views import complete_view, expression, quotient

GOLDEN = Path(__file__).parent / "golden"
HOSTILE = '<b>"q"</b> -- \\N \\l &lt; &#60; ]]> ${x} \u202e\x00 реплика 副本'


def made(toy: str, *by: str) -> str:
    model = stepper(toy)
    found = explore(model, [p.name for p in model.model.properties])
    if by:
        return dot_text(quotient(found, [expression(model, text) for text in by], toy))
    return dot_text(complete_view(found, toy))


@pytest.mark.parametrize(
    ("file", "toy", "by"),
    [
        ("ratchet.dot", "toy-ratchet", ()),
        ("counter.dot", "toy-counter", ()),
        ("mutex-turn.dot", "toy-mutex", ("turn",)),
    ],
)
def test_the_text_of_a_graph(file: str, toy: str, by: tuple[str, ...]) -> None:
    assert made(toy, *by) == (GOLDEN / file).read_text(encoding="utf-8")


def test_the_same_bytes_whatever_the_hash_seed() -> None:
    program = (
        "from tests.evidence.graph.test_dot import made; print(made('toy-mutex'), made('toy-train', 'no_empty_train'))"
    )
    said = set()
    for seed in ("0", "77"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
        said.add(done.stdout)
    assert len(said) == 1


def test_hostile_names_are_shown_and_never_read() -> None:
    assert quote(HOSTILE, end="") == (
        '"<b>\\"q\\"</b> -- \\\\N \\\\l &amp;lt; &amp;#60; ]]> ${x} \ufffd\ufffd реплика 副本"'
    )
    assert quote("  a", "\\", end="\\l") == '"\u00a0\u00a0a\\l\\\\\\l"'


def test_a_violation_is_red_and_named_and_a_claim_that_is_met_is_green() -> None:
    text = made("toy-born-wrong")
    assert "✗ violates dark" in text
    assert 'fillcolor="#ffebe9", color="#cf222e"' in text
    assert "✓ meets bright" in text


def test_variables_that_never_vary_are_in_the_caption_alone() -> None:
    nodes = (ViewNode(values={"a": 1, "b": 2}, initial=True), ViewNode(values={"a": 1, "b": 3}))
    view = View(title="m", about=(), nodes=nodes, edges=(ViewEdge(source=0, target=1, action="go"),), actions=("go",))
    text = dot_text(view)
    assert "the same in all: a=1" in text
    assert text.count("a 1") == 0
    assert "\\lb 2\\l" in text
    assert '"b 3\\l"' in text


def test_steps_between_the_same_states_are_one_arrow_and_none_is_dropped_unsaid() -> None:
    nodes = (ViewNode(values={"a": 0}), ViewNode(values={"a": 1}))
    edges = tuple(ViewEdge(source=0, target=1, action="go", arguments={"n": n}) for n in range(9))
    text = dot_text(View(title="m", about=(), nodes=nodes, edges=edges, actions=("go",)))
    assert text.count("->") == 1
    assert "go(n=4)\\l\u00a0… and 4 more\u00a0\u00a0\\l" in text


def test_an_action_has_its_colour_by_its_place_in_the_model() -> None:
    nodes = (ViewNode(values={"a": 0}), ViewNode(values={"a": 1}))
    edge = ViewEdge(source=0, target=1, action="z")
    text = dot_text(View(title="m", about=(), nodes=nodes, edges=(edge,), actions=("x", "y", "z")))
    assert 'label="\u00a0z()\\l", color="#8250df"' in text


@pytest.mark.parametrize("form", ["dot", "svg"])
def test_more_than_a_few_hundred_nodes_are_not_drawn(form: str) -> None:
    model = stepper("toy-ledger", coins=4)
    found = explore(model, [])
    assert len(found.states) == 563
    with pytest.raises(UsageError) as caught:
        GRAPH_FORMS[form](complete_view(found, "toy-ledger"))
    said = str(caught.value)
    assert said.startswith(
        "toy-ledger has 563 states to draw, and a picture of more than 150 cannot be read. Try --by "
    )
    assert said.endswith(". --to parquet takes any size.")
    for part in said.split("Try ")[1].split(". ")[0].split(", or "):
        words, _, groups = part.partition(" (")
        by = [expression(model, word.strip("' ")) for word in words.split("--by ") if word]
        assert len(quotient(found, by, "toy-ledger").nodes) == int(groups.split()[0])


def test_a_graph_cut_off_has_at_least_so_many_states() -> None:
    view = complete_view(explore(stepper("toy-ledger", coins=4), [], 301), "toy-ledger")
    with pytest.raises(UsageError, match=r"^toy-ledger has at least [345]\d\d states to draw"):
        drawable(view)
