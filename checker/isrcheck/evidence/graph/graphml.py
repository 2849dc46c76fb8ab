"""A view of any size as GraphML."""

from collections.abc import Mapping

from isrcheck.evidence.graph.view import View, ViewEdge, ViewNode
from isrcheck.extras import need
from isrcheck.run.trace import show_encoded
from isrcheck.wrap import plain


def graphml(view: View) -> str:
    """Nodes are s0, s1, and so on."""
    networkx = need("networkx")
    about = " | ".join(plain(line) for line in view.about if line)
    graph = networkx.MultiDiGraph(title=plain(view.title), about=about, cut=view.cut or "")
    for n, node in enumerate(view.nodes):
        graph.add_node(f"s{n}", **_of_node(node, view.grouped))
    for edge in view.edges:
        graph.add_edge(f"s{edge.source}", f"s{edge.target}", **_of_edge(edge))
    return "\n".join(networkx.generate_graphml(graph)) + "\n"


def _of_node(node: ViewNode, grouped: bool) -> dict[str, str | int | bool]:
    attributes: dict[str, str | int | bool] = {
        **{plain(name): plain(show_encoded(value)) for name, value in node.values.items()},
        "isrcheck.initial": node.initial,
        "isrcheck.violates": _names(node.violates, grouped),
        "isrcheck.meets": _names(node.meets, grouped),
        "isrcheck.looked_at": not node.unexpanded,
    }
    if grouped:
        attributes["isrcheck.states"] = node.states
    if node.numbers:
        attributes["isrcheck.trace"] = " ".join(map(str, node.numbers))
    if node.hidden:
        attributes["isrcheck.hidden_successors"] = node.hidden
    return attributes


def _of_edge(edge: ViewEdge) -> dict[str, str | int]:
    attributes: dict[str, str | int] = {
        "action": plain(edge.action),
        "arguments": plain(", ".join(f"{name}={show_encoded(value)}" for name, value in edge.arguments.items())),
        "steps": edge.steps,
        "violates": plain(" ".join(edge.violates)),
    }
    if edge.numbers:
        attributes["trace"] = " ".join(map(str, edge.numbers))
    return attributes


def _names(counts: Mapping[str, int], grouped: bool) -> str:
    return plain(" ".join(f"{name}={states}" if grouped else name for name, states in counts.items()))
