"""Graphviz text: golden, the same on every run, with names never read as markup; the counts of graphs are TLC's."""

import importlib.metadata
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from tests.evidence.graph.desk import stepper

from isrcheck import check
from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError
from isrcheck.evidence.graph import table
from isrcheck.evidence.graph.dot import dot_text, quote
from isrcheck.evidence.graph.explored import Explored, View, ViewEdge, ViewNode, explore
from isrcheck.evidence.graph.table import GRAPH_FORMS, drawable, lay_out
from isrcheck.evidence.graph.views import complete_view, expression, quotient
from isrtoys import KNOWN, KNOWN_ELSEWHERE, KnownRun

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


SVG = "{http://www.w3.org/2000/svg}"
HOSTILE_VIEW = View(
    title=HOSTILE,
    about=(HOSTILE,),
    nodes=(ViewNode(values={HOSTILE: HOSTILE}, violates={HOSTILE: 1}), ViewNode(values={HOSTILE: None})),
    edges=(ViewEdge(source=0, target=1, action=HOSTILE, arguments={HOSTILE: HOSTILE}),),
    actions=(HOSTILE,),
)


def texts(picture: str) -> str:
    root = ET.fromstring(picture)
    assert {e.tag.removeprefix(SVG) for e in root.iter()} <= {"svg", "g", "title", "polygon", "path", "text", "ellipse"}
    return "\n".join((e.text or "").replace("\u00a0", " ") for e in root.iter(f"{SVG}text"))


@pytest.fixture(autouse=True)
def _bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing on the path, and no folder of libraries or fonts is named."""
    for name in ("LD_LIBRARY_PATH", "FONTCONFIG_PATH", "GVBINDIR", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))


def test_a_picture_holds_every_state_and_every_label() -> None:
    model = stepper("toy-mutex")
    text = dot_text(complete_view(explore(model, []), "toy-mutex"))
    picture = lay_out(text)
    nodes = [e for e in ET.fromstring(picture).iter(f"{SVG}g") if e.attrib.get("class") == "node"]
    assert len(nodes) == 24 + len(model.actions)
    shown = texts(picture)
    assert "24 states, 42 steps, depth 7, 0 pruned" in shown
    assert shown.count("give_way(process=p0, other=p1)") == 8
    assert lay_out(text) == picture


def test_hostile_names_reach_the_picture_as_they_are() -> None:
    shown = texts(lay_out(dot_text(HOSTILE_VIEW)))
    whole_name = '<b>"q"</b> -- \\N \\l &lt; &#60; ]]>'
    assert whole_name in shown
    assert "реплика" in shown
    assert "副本" in shown


def extents(picture: str) -> list[tuple[float, float, float, float]]:
    """Where the letters of each text are, as wide as DejaVu Sans is: left, top, right, bottom."""
    from matplotlib.font_manager import findfont
    from matplotlib.ft2font import FT2Font

    font = FT2Font(findfont("DejaVu Sans"))
    font.set_size(100, 72)
    found = []
    for e in ET.fromstring(picture).iter(f"{SVG}text"):
        assert e.attrib["font-family"] == "DejaVu Sans,Verdana,sans-serif"
        font.set_text((e.text or "").rstrip("\u00a0"), 0)
        x, y, size = (float(e.attrib[name]) for name in ("x", "y", "font-size"))
        width = font.get_width_height()[0] / 6400 * size
        left = x - width * {"start": 0, "middle": 0.5, "end": 1}[e.attrib["text-anchor"]]
        found.append((left, y - 0.7 * size, left + width, y))
    return found


def overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def test_no_two_labels_overlap() -> None:
    toy = stepper("toy-mutex")
    names = ("Ж" * 12, "✗" * 12, "\u00d7" * 12, "W" * 12)
    nodes = (ViewNode(values={"n": 0}), *(ViewNode(values={"n": n}) for n in range(1, 9)))
    edges = tuple(ViewEdge(source=n % 3, target=n + 1, action=names[n % 4], arguments={"é": "…"}) for n in range(8))
    wide = View(title="m", about=(), nodes=nodes, edges=edges, actions=names)
    for view in (wide, complete_view(explore(toy, []), "toy-mutex")):
        drawn = extents(lay_out(dot_text(view)))
        assert len(drawn) > 20
        assert [pair for pair in combinations(drawn, 2) if overlap(*pair)] == []


def test_a_layout_that_fails_is_a_sentence() -> None:
    with pytest.raises(UsageError) as caught:
        lay_out("this is no graph")
    assert str(caught.value) == (
        "graphviz-pure could not lay the graph out (Error: <stdin>: syntax error in line 1 near 'this'): ask for dot."
    )


def test_a_program_that_does_not_start_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(table, "program", lambda: tmp_path / "nothing")
    with pytest.raises(UsageError) as caught:
        lay_out("digraph { a }")
    assert str(caught.value) == "graphviz-pure does not start (No such file or directory): ask for dot."


def test_without_the_program_a_picture_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(table, "files", missing)
    with pytest.raises(UsageError) as caught:
        lay_out("digraph { a }")
    assert str(caught.value) == (
        "laying out a graph needs the program graphviz-pure, which is not installed though isrcheck depends on it: "
        "ask for dot, which is text, or install isrcheck again."
    )


def test_dot_text_needs_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "program", None)
    assert str(GRAPH_FORMS["dot"](HOSTILE_VIEW)).startswith("digraph states {\n")


KAFKA = [
    ("kip-320", {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}),
    ("async-isr-proposed-only", {"replicas": 2, "max_offset": 1, "max_version": 1}),
]


def explored(model: str, **constants: Any) -> Explored:
    made = stepper(find_model(model), **constants)
    return explore(made, [p.name for p in made.model.properties])


@pytest.mark.parametrize(("toy", "known"), [*KNOWN.items(), *KNOWN_ELSEWHERE])
def test_a_toy_has_the_known_counts_and_its_violations_are_marked(toy: str, known: KnownRun) -> None:
    found = explored(toy, **known.constants)
    view = complete_view(found, toy)
    counts = len(view.nodes), len(view.edges) + 1, found.depth, found.pruned
    assert counts == (known.distinct, known.generated, known.depth, known.pruned)
    assert view.cut is None
    marked = {n for node in view.nodes for n in node.violates} | {n for edge in view.edges for n in edge.violates}
    met = {n for node in view.nodes for n in node.meets}
    claims = {n for n, p in found.stepper.roles.items() if p.kind.holds_by_target}
    assert marked == {n for n, (verdict, _) in known.properties.items() if verdict == "violated"} - claims
    assert met == {n for n, (verdict, _) in known.properties.items() if verdict == "holds"} & claims
    assert any(node.stuck for node in view.nodes) == (known.deadlock is not None)


@pytest.mark.parametrize(("model", "constants"), KAFKA)
def test_a_kafka_model_has_the_counts_of_check(model: str, constants: dict[str, int]) -> None:
    outcome = check(model, constants=constants)
    found = explored(model, **constants)
    view = complete_view(found, model)
    assert (len(view.nodes), len(view.edges) + 1) == (outcome.distinct, outcome.generated)
    assert (found.depth, found.pruned) == (outcome.depth, outcome.pruned)
    marked = {n for node in view.nodes for n in node.violates} | {n for edge in view.edges for n in edge.violates}
    assert marked == {p.name for p in outcome.properties if p.verdict.value == "violated" and p.kind.is_violation}


@pytest.mark.parametrize(("model", "constants"), KAFKA)
def test_groups_hold_every_state_and_every_step_once(model: str, constants: dict[str, int]) -> None:
    found = explored(model, **constants)
    every = complete_view(found, model)
    for variable in found.stepper.model.domains:
        view = quotient(found, [expression(found.stepper, variable)], model)
        assert sum(node.states for node in view.nodes) == len(every.nodes)
        assert sum(edge.steps for edge in view.edges) == len(every.edges)
        for name in found.properties:
            assert sum(n.violates.get(name, 0) for n in view.nodes) == sum(name in n.violates for n in every.nodes)
        different = {str(node.values[variable]) for node in every.nodes}
        assert len(view.nodes) == len(different)


def test_a_search_that_is_cut_off_says_so_and_ends_at_a_level_like_check() -> None:
    made = stepper("toy-mutex")
    found = explore(made, [], 5)
    outcome = check("toy-mutex", engine="reference", properties=[], limits=Limits(states=5))
    assert (len(found.states), found.generated, found.depth) == (outcome.distinct, outcome.generated, outcome.depth)
    view = complete_view(found, "toy-mutex")
    assert view.cut == f"after {len(found.states)} states" == outcome.cut
    assert f"Not the whole graph: the search was cut off {view.cut}." in view.about
    assert [node.unexpanded for node in view.nodes] == [0] * found.looked_at + [1] * (len(view.nodes) - found.looked_at)
    grouped = quotient(found, [expression(made, "turn")], "toy-mutex")
    assert sum(node.unexpanded for node in grouped.nodes) == len(view.nodes) - found.looked_at
