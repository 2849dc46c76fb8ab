"""A view as text in Graphviz's language."""

from collections.abc import Iterator, Mapping, Sequence

from isrcheck.errors import quantity
from isrcheck.evidence.graph.explored import View, ViewEdge, ViewNode
from isrcheck.run.trace import Value, show_encoded
from isrcheck.wrap import columns, plain, wrap

FONT = "DejaVu Sans"  # Graphviz takes one
TIMES = "\u00d7"
LETTER = 0.088  # inches at 10 points, on the safe side
INK, SOFT, RED, GREEN = "#1f2328", "#59636e", "#cf222e", "#1a7f37"
# Told apart by the colour-blind as well;
# red is for violations.
COLOURS = ("#b35900", "#00755e", "#8250df", "#a40e72", "#6e5a00", "#0086a8", "#7d4e3b", "#4d7a00", "#57606a", "#c2568b")
WIDE = 40  # letters of a line inside a node
CAPTION = 110  # letters of its lines
_MOST_LABELS = 6  # beside one arrow


def dot_text(view: View) -> str:
    return "\n".join(_Sheet(view).lines()) + "\n"


def quote(*lines: str, end: str = "\\l") -> str:
    """A quoted string in which Graphviz reads no escapes, entities or markup."""
    return '"' + "".join(_safe(line) + (end and _room(line) + end) for line in lines) + '"'


def _room(label: str) -> str:
    """Spaces for letters beyond ASCII, which Graphviz takes to be narrow."""
    return "\u00a0" * 2 * sum(not letter.isascii() for letter in label)


def _safe(label: str) -> str:
    letters = label.lstrip(" ")
    # an SVG drops plain spaces
    label = "\u00a0" * (len(label) - len(letters)) + letters
    return plain(label).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")


def attributes(**given: str) -> str:
    return "[" + ", ".join(f"{n}={v if v.startswith(chr(34)) else quote(v, end='')}" for n, v in given.items()) + "]"


class _Sheet:
    def __init__(self, view: View) -> None:
        self.view = view
        self.varying = Varying(view.nodes)
        taken = {edge.action for edge in view.edges}
        drawn = [action for action in view.actions if action in taken]
        coloured = view.actions if len(view.actions) <= len(COLOURS) else drawn  # one colour in all graphs of a model
        few = len(drawn) <= len(COLOURS)
        self.colours = {a: c for a, c in zip(coloured, COLOURS, strict=False) if few and a in taken}

    def lines(self) -> Iterator[str]:
        yield "digraph states {"
        yield f"  graph {attributes(label=quote(*self._caption()), labelloc='t', labeljust='l', **_letters(INK, 11))}"
        yield '  graph [rankdir="TB", nodesep="0.3", ranksep="0.45", bgcolor="#ffffff", pad="0.2", charset="UTF-8"]'
        box = {"shape": "box", "style": "rounded,filled", "fillcolor": "#f6f8fa", "color": "#afb8c1"}
        yield f"  node {attributes(**box, **_letters(INK, 10))}"
        yield f"  edge {attributes(color=SOFT, arrowsize='0.7', **_letters(SOFT, 9))}"
        for place, node in enumerate(self.view.nodes):
            yield from self._node(place, node)
        together: dict[tuple[int, int], list[ViewEdge]] = {}
        for edge in self.view.edges:
            if not (self.view.grouped and edge.source == edge.target):
                together.setdefault((edge.source, edge.target), []).append(edge)
        for (source, target), edges in together.items():
            yield f"  s{source} -> s{target} {self._arrow(edges)}"
        yield from self._legend()
        yield "}"

    def _caption(self) -> Iterator[str]:
        yield plain(self.view.title)
        for line in filter(None, self.view.about):
            yield from wrap(line, CAPTION)
        if not self.view.grouped:
            yield from self.varying.sentence()
        yield ""

    def _node(self, place: int, node: ViewNode) -> Iterator[str]:
        if self.view.grouped:  # the expressions that its states are alike in, and their value
            values = [line for name, v in node.values.items() for line in _indent(f"{name} = {brief(v)}")]
            lines = [*self._marks(node), *values, *self._inside(place, node)]
        else:
            lines = [*self._marks(node), *(self.varying.lines(node) or ["nothing drawn differs"])]
        width = max(map(columns, lines), default=0) * LETTER + 0.25
        yield f"  s{place} {attributes(label=quote(*lines), width=f'{width:.2f}', **_dress(node))}"

    def _marks(self, node: ViewNode) -> Iterator[str]:
        if node.initial:
            yield "▶ initial state" if not self.view.grouped else "▶ with the initial state"
        for sign, verb, names in (("✗", "violates", node.violates), ("✓", "meets", node.meets)):
            for name, states in names.items():
                how_many = f"{states:,} {verb.rstrip('s') if states > 1 else verb}" if self.view.grouped else verb
                yield from wrap(f"{sign} {how_many} {name}", WIDE)
        if node.stuck:
            yield "no step is possible"
        if node.unexpanded and not self.view.grouped:
            yield "not looked at further"

    def _inside(self, place: int, node: ViewNode) -> Iterator[str]:
        yield quantity(node.states, "state")
        if node.unexpanded:
            yield f"{node.unexpanded:,} of them not looked at further"
        stay = [e for e in self.view.edges if e.source == e.target == place]
        if stay:
            yield "steps inside:"
        yield from (f"  {edge.action} {TIMES}{edge.steps:,}" for edge in stay)
        yield from (f"✗ a step inside violates {n}" for n in dict.fromkeys(n for e in stay for n in e.violates))

    def _arrow(self, edges: list[ViewEdge]) -> str:
        broken = dict.fromkeys(name for edge in edges for name in edge.violates)
        actions = dict.fromkeys(edge.action for edge in edges)
        colour = self.colours.get(next(iter(actions)), SOFT) if len(actions) == 1 else SOFT
        colour = RED if broken else colour
        lines = [line for label in _few([self._label(e) for e in edges]) for line in label]
        lines += [f"✗ violates {name}" for name in broken]
        dress = {"penwidth": "2"} if broken else {}
        return attributes(label=quote(*(f" {line}" for line in lines)), color=colour, fontcolor=colour, **dress)

    def _label(self, edge: ViewEdge) -> list[str]:
        if self.view.grouped:
            return [f"{edge.action} {TIMES}{edge.steps:,}"]
        given = ", ".join(f"{name}={brief(value)}" for name, value in edge.arguments.items())
        line = f"{edge.action}({given})"
        return [line] if columns(line) <= WIDE else [edge.action, *wrap(f"({given})", WIDE)]

    def _legend(self) -> Iterator[str]:
        if len(self.colours) < 2:
            return
        steps: dict[str, int] = {}
        for edge in self.view.edges:
            steps[edge.action] = steps.get(edge.action, 0) + edge.steps
        yield f'  subgraph cluster_legend {{ label={quote("actions and steps drawn")} color="#d1d9e0" style="rounded"'
        for number, (action, colour) in enumerate(self.colours.items()):
            label = f"━ {action} {TIMES}{steps[action]:,}"
            dress = attributes(label=quote(label), shape="plaintext", style="", fontcolor=colour, height="0.2")
            yield f"    legend{number} {dress}"
        chain = " -> ".join(f"legend{number}" for number in range(len(self.colours)))
        yield f'    {chain} [style="invis", weight="100"]'
        yield "  }"


def _few(labels: list[list[str]]) -> list[list[str]]:
    if len(labels) <= _MOST_LABELS:
        return labels
    return [*labels[: _MOST_LABELS - 1], [f"… and {len(labels) - _MOST_LABELS + 1} more"]]


def _letters(colour: str, size: int) -> dict[str, str]:
    return {"fontname": FONT, "fontsize": str(size), "fontcolor": colour}


def _dress(node: ViewNode) -> dict[str, str]:
    bold = {"penwidth": "1.8"}
    if node.violates:
        return {"fillcolor": "#ffebe9", "color": RED, "fontcolor": "#82071e", **bold}
    if node.meets:
        return {"fillcolor": "#dafbe1", "color": GREEN, **bold}
    if node.initial:
        return {"fillcolor": "#ffffff", "color": INK, **bold}
    return {"style": "rounded,filled,dashed"} if node.unexpanded else {}


def brief(value: Value) -> str:
    """A value in short; a record is (values)."""
    match value:
        case {"set": elements}:
            return "{" + " ".join(map(brief, elements)) + "}"
        case {"map": entries}:
            return " ".join(f"{brief(key)}:{brief(image)}" for key, image in entries)
        case {"record": _, "fields": fields}:
            return "(" + ",".join(map(brief, fields.values())) + ")"
        case list():
            return "[" + " ".join(map(brief, value)) + "]"
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case _:
            return show_encoded(value)


def cells(values: Mapping[str, Value]) -> dict[tuple[str, str], Value]:
    """Values by variable and inner part."""
    by_place: dict[tuple[str, str], Value] = {}
    for name, value in values.items():
        match value:
            case {"map": entries}:
                by_place.update({(name, f"[{show_encoded(key)}]"): image for key, image in entries})
            case {"record": _, "fields": fields}:
                by_place.update({(name, f".{field}"): inner for field, inner in fields.items()})
            case _:
                by_place[name, ""] = value
    return by_place


class Varying:
    def __init__(self, nodes: Sequence[ViewNode]) -> None:
        all_cells = [cells(node.values) for node in nodes]
        first = all_cells[0]
        self.constant = {p: v for p, v in first.items() if all(c.get(p, c) == v for c in all_cells)}

    def lines(self, node: ViewNode) -> list[str]:
        """The values that are not the same in all nodes, as in hw r0:1."""
        parts: dict[str, list[str]] = {}
        for (name, inner), value in cells(node.values).items():
            if (name, inner) not in self.constant:
                parts.setdefault(name, []).append(_cell(inner, value))
        return [line for name, texts in parts.items() for line in _indent(f"{name} {' '.join(texts)}")]

    def sentence(self) -> Iterator[str]:
        if self.constant:
            same = "  ".join(f"{name}{inner}={brief(value)}" for (name, inner), value in self.constant.items())
            yield from wrap(f"the same in all: {same}", CAPTION)


def _cell(inner: str, value: Value) -> str:
    if not inner:
        return brief(value)
    return f"{inner[1:]}={brief(value)}" if inner[0] == "." else f"{inner[1:-1]}:{brief(value)}"


def _indent(row: str) -> list[str]:
    first, *rest = wrap(row, WIDE)
    return [first, *(f"  {line}" for line in rest)]
