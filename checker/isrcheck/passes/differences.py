"""Comparisons around an index, and what follows from them: the index is not negative."""

from collections import Counter
from collections.abc import Iterator

from isrcheck.ir.scalar import Node, Op

Sum = Counter[Node | None]  # how often each node is added; under None the number


def is_not_negative(index: Node, path: Node) -> bool:
    """Whether an index is at least 0: by its range, or by one comparison that holds on the path."""
    return index.low >= 0 or any(_least(_sum(index), fact) >= 0 for fact in _facts(path))


def _facts(path: Node) -> Iterator[Sum]:
    """Sums that are 0 or more."""
    for condition in path.args if path.op is Op.AND else (path,):
        match condition.op, condition.args:
            case Op.LT, (a, b):
                yield _sum(b, a, -1)
            case Op.EQ, (a, b):
                yield _sum(a, b)
                yield _sum(b, a)
            case Op.NOT, (Node(op=Op.LT, args=(a, b)),):
                yield _sum(a, b)
            case Op.NOT, (Node(op=Op.EQ, args=(a, b)),):
                if a.low >= b.high:
                    yield _sum(a, b, -1)
                if b.low >= a.high:
                    yield _sum(b, a, -1)
            case Op.NOT, (number,):  # of 0 and 1: compared with a constant, it is a condition itself
                yield _sum(None, number)
            case _:
                yield _sum(condition, None, -1)


def _sum(node: Node | None, less: Node | None = None, number: int = 0) -> Sum:
    terms: Sum = Counter({None: number})
    waiting = [(each, sign) for each, sign in ((node, 1), (less, -1)) if each is not None]
    while waiting:
        each, sign = waiting.pop()
        match each.op:
            case Op.CONST:
                terms[None] += sign * each.value
            case Op.ADD:
                waiting += [(operand, sign) for operand in each.args]
            case Op.SUB:
                waiting += zip(each.args, (sign, -sign), strict=True)
            case _:
                terms[each] += sign
    return terms


def _least(index: Sum, fact: Sum) -> int:
    """The least value of `index` - `fact`."""
    rest = index.copy()
    rest.subtract(fact)
    number = rest.pop(None, 0)
    ends = (count * (node.low if count > 0 else node.high) for node, count in rest.items() if node is not None)
    return number + sum(ends)
