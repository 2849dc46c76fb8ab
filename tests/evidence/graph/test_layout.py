"""Layouts by the program in graphviz-pure's wheel, on machines that have nothing else, and what is said without it."""

import importlib.metadata
import sys
import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path

import pytest
from tests.evidence.graph.desk import stepper
from tests.evidence.graph.test_dot import HOSTILE

from isrcheck.errors import UsageError
from isrcheck.evidence.graph import table
from isrcheck.evidence.graph.dot import dot_text
from isrcheck.evidence.graph.explored import View, ViewEdge, ViewNode, explore
from isrcheck.evidence.graph.table import GRAPH_FORMS, lay_out
from isrcheck.evidence.graph.views import complete_view

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE_VIEW = View(
    title=HOSTILE,
    about=(HOSTILE,),
    nodes=(ViewNode(values={HOSTILE: HOSTILE}, violates={HOSTILE: 1}), ViewNode(values={HOSTILE: None}, hidden=3)),
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
    assert "3 more" in shown


@pytest.mark.skipif(sys.platform != "linux", reason="what a program is linked with is read from a Linux program")
def test_the_program_needs_no_library_of_the_system() -> None:
    program = table.program().read_bytes()
    assert program.startswith(b"\x7fELF")
    assert b"/ld-linux" not in program
    assert b"libgobject" not in program


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
