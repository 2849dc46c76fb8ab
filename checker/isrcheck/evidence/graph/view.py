"""What a state graph shows, before it is put in any form: nodes, edges, and the words around them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from isrcheck.run.trace import Value


@dataclass(frozen=True, kw_only=True)
class ViewNode:
    """A state, or a group of states; `values` by variable or by expression, in the JSON form of `trace.encode`."""

    values: Mapping[str, Value]
    states: int = 1
    initial: bool = False
    violates: Mapping[str, int] = field(default_factory=dict)  # a property, and how many of the states violate it
    meets: Mapping[str, int] = field(default_factory=dict)  # the same of reachability properties
    stuck: bool = False  # a state without steps
    unexpanded: int = 0  # states whose steps were not looked at, as the search was cut off
    numbers: tuple[int, ...] = ()  # the steps of the trace that lead to it; 0 is the beginning
    hidden: int = 0  # successors that are not shown
    since: int | None = None  # the node that it is compared with: only what differs is drawn


@dataclass(frozen=True, kw_only=True)
class ViewEdge:
    """Steps of one action from a node to a node; `arguments` only where it is a single step."""

    source: int
    target: int
    action: str
    arguments: Mapping[str, Value] = field(default_factory=dict)
    steps: int = 1
    violates: tuple[str, ...] = ()  # step properties that one of the steps violates
    numbers: tuple[int, ...] = ()  # its steps in the trace, from 1


@dataclass(frozen=True, kw_only=True)
class View:
    """A graph to be shown. `about` are lines of its caption; `actions` are those of the model, in declaration order."""

    title: str
    about: tuple[str, ...]
    nodes: tuple[ViewNode, ...]
    edges: tuple[ViewEdge, ...]
    actions: tuple[str, ...]
    grouped: bool = False
    advice: str = ""  # what to ask for if there are too many nodes to draw
    cut: str | None = None  # why the graph is not whole
