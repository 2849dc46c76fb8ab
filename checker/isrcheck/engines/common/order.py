"""The order in which the nodes of a system are computed."""

from collections.abc import Container, Iterable, Iterator

from isrcheck.ir.scalar import Node


def arguments_first(roots: Iterable[Node], known: Container[Node] = ()) -> Iterator[Node]:
    """Every node that these nodes are made of, each once, arguments before their users.

    Nothing in `known` is computed again, nor what is behind it; the caller may add to it on the way.
    """
    reached: set[Node] = set()
    stack = [(root, False) for root in reversed(list(roots))]
    while stack:
        node, is_ready = stack.pop()
        if is_ready:
            yield node
        elif node not in reached and node not in known:
            reached.add(node)
            stack.append((node, True))
            stack.extend((each, False) for each in reversed(node.args))
