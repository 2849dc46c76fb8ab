"""Layouts by the machine's dot, by the libraries in pygraphviz's wheel, and what is said without them."""

import builtins
import shutil
import stat
import sys
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.evidence.graph.desk import stepper
from tests.evidence.graph.test_dot import HOSTILE

from isrcheck.errors import UsageError
from isrcheck.evidence.graph import layout
from isrcheck.evidence.graph.dot import dot_text
from isrcheck.evidence.graph.explored import explore
from isrcheck.evidence.graph.graphml import graphml
from isrcheck.evidence.graph.layout import laid_out
from isrcheck.evidence.graph.table import GRAPH_FORMS
from isrcheck.evidence.graph.view import Edge, Node, View
from isrcheck.evidence.graph.whole import whole

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE_VIEW = View(
    title=HOSTILE,
    about=(HOSTILE,),
    nodes=(Node(values={HOSTILE: HOSTILE}, violates={HOSTILE: 1}), Node(values={HOSTILE: None}, hidden=3)),
    edges=(Edge(source=0, target=1, action=HOSTILE, arguments={HOSTILE: HOSTILE}),),
    actions=(HOSTILE,),
)


def texts(picture: str) -> str:
    root = ET.fromstring(picture)
    assert {e.tag.removeprefix(SVG) for e in root.iter()} <= {"svg", "g", "title", "polygon", "path", "text", "ellipse"}
    return "\n".join((e.text or "").replace("\u00a0", " ") for e in root.iter(f"{SVG}text"))


@pytest.fixture(params=["dot", "libraries"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Each test runs with the machine's dot, and with a path on which there is none."""
    if request.param == "dot" and not shutil.which("dot"):
        pytest.skip("there is no dot on this machine's path; the libraries in pygraphviz's wheel are tested")
    if request.param == "libraries":
        monkeypatch.setenv("PATH", str(tmp_path))
    return str(request.param)


def test_a_picture_holds_every_state_and_every_label(way: str) -> None:
    model = stepper("toy-mutex")
    text = dot_text(whole(explore(model, []), "toy-mutex"))
    picture = laid_out(text)
    nodes = [e for e in ET.fromstring(picture).iter(f"{SVG}g") if e.attrib.get("class") == "node"]
    assert len(nodes) == 24 + len(model.actions)
    shown = texts(picture)
    assert "24 states, 42 steps, depth 7, 0 pruned" in shown
    assert shown.count("give_way(process=p0, other=p1)") == 8
    assert laid_out(text) == picture


def test_hostile_names_reach_the_picture_as_they_are(way: str) -> None:
    shown = texts(laid_out(dot_text(HOSTILE_VIEW)))
    whole_name = '<b>"q"</b> -- \\N \\l &lt; &#60; ]]>'
    assert whole_name in shown
    assert "реплика" in shown
    assert "副本" in shown
    assert "3 more" in shown


def test_a_dot_that_fails_gives_way_to_the_libraries(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "dot"
    broken.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    broken.chmod(broken.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "tooth" not in laid_out("digraph { a }")
    assert "<svg" in laid_out("digraph { a }")


def test_a_layout_that_fails_everywhere_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match=r"^Graphviz could not lay the graph out \(.+\): ask for dot or graphml\.$"):
        laid_out("this is no graph")


def without(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    """As if a library were not installed."""
    real = builtins.__import__

    def refuse(
        name: str, g: Mapping[str, object] | None = None, lo: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (), level: int = 0,
    ) -> Any:  # fmt: skip
        if name.split(".")[0] == missing:
            raise ImportError(missing)
        return real(name, g, lo, fromlist, level)

    monkeypatch.delitem(sys.modules, missing, raising=False)
    monkeypatch.setattr(builtins, "__import__", refuse)


def test_without_networkx_graphml_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "networkx")
    with pytest.raises(UsageError) as caught:
        graphml(HOSTILE_VIEW)
    assert str(caught.value) == (
        "GraphML needs the library networkx, which is not installed: pip install 'isrcheck[graph]'."
    )


def test_without_the_extra_a_picture_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "graphviz")
    monkeypatch.setattr(layout, "find_spec", lambda _: None)
    with pytest.raises(UsageError) as caught:
        laid_out("digraph { a }")
    assert str(caught.value) == (
        "laying out a graph needs the library pygraphviz, which is not installed: pip install 'isrcheck[graph]', or "
        "ask for dot, which is text."
    )


def test_dot_text_needs_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    for missing in ("graphviz", "pygraphviz", "networkx", "resvg_py"):
        without(monkeypatch, missing)
    assert str(GRAPH_FORMS["dot"](HOSTILE_VIEW, 1.0)).startswith("digraph states {\n")
