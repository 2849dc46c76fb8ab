"""GraphML: any size, read back by networkx with the same graph."""

import io

import networkx
from tests.evidence.graph.desk import stepper
from tests.evidence.graph.test_layout import HOSTILE_VIEW

from isrcheck.evidence.graph.explored import explore
from isrcheck.evidence.graph.expressions import expression
from isrcheck.evidence.graph.graphml import graphml
from isrcheck.evidence.graph.views import complete_view, quotient


def read(text: str) -> networkx.MultiDiGraph:
    return networkx.read_graphml(io.BytesIO(text.encode()), force_multigraph=True)


def test_a_graph_too_large_to_draw_is_whole_in_graphml() -> None:
    model = stepper("toy-ledger", coins=4)
    view = complete_view(explore(model, [p.name for p in model.model.properties]), "toy-ledger")
    text = graphml(view)
    graph = read(text)
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (563, len(view.edges))
    assert graph.nodes["s0"]["isrcheck.initial"] is True
    assert graph.nodes["s0"]["purse"] == "{f0: 0, f1: 0}"
    assert {data["action"] for _, _, data in graph.edges(data=True)} <= set(model.actions)
    broken = {n for _, d in graph.nodes(data=True) for n in d["isrcheck.violates"].split()}
    assert broken == {n for node in view.nodes for n in node.violates}
    assert graphml(view) == text


def test_groups_say_their_size_and_how_many_violate() -> None:
    model = stepper("toy-counter")
    graph = read(graphml(quotient(explore(model, ["below_three"]), [expression(model, "below_three")], "toy-counter")))
    found = [(d["isrcheck.states"], d["isrcheck.violates"]) for _, d in graph.nodes(data=True)]
    assert found == [(3, ""), (1, "below_three=1")]
    assert sum(d["steps"] for _, _, d in graph.edges(data=True)) == 8


def test_a_graph_that_was_cut_off_says_so() -> None:
    view = complete_view(explore(stepper("toy-mutex"), [], 5), "toy-mutex")
    assert read(graphml(view)).graph["cut"] == view.cut
    assert view.cut


def test_hostile_names_survive() -> None:
    graph = read(graphml(HOSTILE_VIEW))
    (name,) = [key for key in graph.nodes["s0"] if not key.startswith("isrcheck.")]
    assert name.startswith('<b>"q"</b> -- \\N \\l &lt; &#60; ]]>')
    assert graph.nodes["s0"][name] == name
