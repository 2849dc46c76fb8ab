"""The words inside a drawn state: what varies between states, in as few letters as can be read."""

from collections.abc import Iterator, Mapping, Sequence

from isrcheck.evidence.graph.view import ViewNode
from isrcheck.run.trace import Value, shown
from isrcheck.wrap import wrapped

WIDE = 40  # letters of a line inside a node
CAPTION = 110  # letters of a line of the caption


def brief(value: Value) -> str:
    """An encoded value in short: a record is its values in brackets, and nothing is said of their names."""
    match value:
        case {"set": elements}:
            return "{" + " ".join(map(brief, elements)) + "}"
        case {"map": entries}:
            return " ".join(f"{brief(key)}:{brief(part)}" for key, part in entries)
        case {"record": _, "fields": fields}:
            return "(" + ",".join(map(brief, fields.values())) + ")"
        case list():
            return "[" + " ".join(map(brief, value)) + "]"
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case _:
            return shown(value)


def cells(values: Mapping[str, Value]) -> dict[tuple[str, str], Value]:
    """The values of a state, by variable and by key or field where a variable is a map or a record."""
    found: dict[tuple[str, str], Value] = {}
    for name, value in values.items():
        match value:
            case {"map": entries}:
                found.update({(name, f"[{shown(key)}]"): part for key, part in entries})
            case {"record": _, "fields": fields}:
                found.update({(name, f".{part}"): inner for part, inner in fields.items()})
            case _:
                found[name, ""] = value
    return found


class Varying:
    """What varies over the nodes that are drawn together, and what does not."""

    def __init__(self, nodes: Sequence[ViewNode]) -> None:
        all_cells = [cells(node.values) for node in nodes]
        first = all_cells[0]
        self.constant = {p: v for p, v in first.items() if all(c.get(p, c) == v for c in all_cells)}

    def lines(self, node: ViewNode, before: ViewNode | None = None) -> list[str]:
        """A line a variable, as in hw r0:1 r1:0; of one that differs from another node only what differs."""
        parts: dict[str, list[str]] = {}
        known = cells(before.values) if before else self.constant
        for (name, inner), value in cells(node.values).items():
            if (name, inner) not in known or known[name, inner] != value:
                parts.setdefault(name, []).append(_cell(inner, value))
        return [line for name, texts in parts.items() for line in _indented(f"{name} {' '.join(texts)}")]

    def sentence(self) -> Iterator[str]:
        """The lines that say what is the same in every node."""
        if self.constant:
            same = "  ".join(f"{name}{inner}={brief(value)}" for (name, inner), value in self.constant.items())
            yield from wrapped(f"the same in all: {same}", CAPTION)


def values_of_group(node: ViewNode) -> list[str]:
    """The expressions that a group's states are alike in, and their value."""
    return [line for text, value in node.values.items() for line in _indented(f"{text} = {brief(value)}")]


def _cell(inner: str, value: Value) -> str:
    if not inner:
        return brief(value)
    return f"{inner[1:]}={brief(value)}" if inner[0] == "." else f"{inner[1:-1]}:{brief(value)}"


def _indented(text: str) -> list[str]:
    first, *rest = wrapped(text, WIDE)
    return [first, *(f"  {line}" for line in rest)]
