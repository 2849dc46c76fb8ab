"""TLA+ terms as text, with the line breaks that people make."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import TypeVar, assert_never

from isrcheck.tla import terms as tla
from isrcheck.tla.terms import CLOSING, Definition, Term

T = TypeVar("T")
Lines = list[str]

WIDTH = 100

_BINDING = {
    "=>": 1,
    "<=>": 2,
    "~>": 2,
    "/\\": 3,
    "\\/": 3,
    "~": 4,
    "\\cup": 8,
    "\\cap": 8,
    "\\": 8,
    "..": 9,
    "+": 10,
    "-": 11,
    "(+)": 10,  # of bags
    "(-)": 11,
}
_COMPARISON = 5
_PRODUCT = 13
_APART = ("%", "\\div", "..", "*")  # never beside another sign without parentheses
_JOINING = ("+", "\\cup", "\\cap", "-", "\\o")  # a sign b sign c may be written
_TIGHT = 20
_FAR = 40  # beyond, lines go below a head
_LOW = 2  # the indentation of what goes below a head because there is no room beside it


def definition(let: Definition, at: int = 0) -> Lines:
    head = _head(let)
    flat = f"{head} {on_one_line(let.value)}"
    if at + len(flat) <= WIDTH and not _stands_below(let.value):
        return [flat]
    beside = block(let.value, at + len(head) + 1)
    if at and (len(beside) == 1 or at + len(head) < _FAR):
        return _after(f"{head} ", beside)
    return [head, *_below(let.value, at)]


def _head(defined: Definition) -> str:
    return defined.name + (f"({', '.join(defined.parameters)})" if defined.parameters else "") + " =="


def _stands_below(term: Term) -> bool:
    """Whether a term is an action's conjunction, which has a line for each operand."""
    if isinstance(term, tla.Junction):
        return term.sign == "\\/" or any(map(_acts, term.operands))
    return isinstance(term, tla.LetIn)


def _acts(term: Term) -> bool:
    match term:
        case tla.Infix(_, tla.Prime()) | tla.Prefix("UNCHANGED"):
            return True
        case tla.If(_, then):
            return _acts(then)
        case tla.Junction(_, operands):
            return any(map(_acts, operands))
    return False


def on_one_line(term: Term, tail: bool = True) -> str:
    """A term on one line. `tail`: whether only a bracket or the end of a line follows."""
    match term:
        case tla.Lexeme(spelling):
            return spelling
        case tla.Infix(sign, left, right):
            gap = " " * (sign != "..")
            return f"{_operand(left, term)}{gap}{sign}{gap}{_operand(right, term, tail)}"
        case tla.Prefix(sign, operand):
            gap = " " * sign.isalpha()
            return sign + gap + _operand(operand, term)
        case tla.Prime(operand):
            return f"{_tight(operand)}'"
        case tla.Apply(name, arguments):
            return f"{name}({_list(arguments)})" if arguments else name
        case tla.Index(function, argument):
            return f"{_tight(function)}[{on_one_line(argument)}]"
        case tla.Dot(of, field):
            return f"{_tight(of)}.{field}"
        case tla.Junction(sign, operands):
            last = len(operands) - 1
            return f" {sign} ".join(_operand(t, term, tail and i == last) for i, t in enumerate(operands))
        case tla.If(condition, then, other):
            return f"IF {on_one_line(condition)} THEN {on_one_line(then)} ELSE {on_one_line(other, tail)}"
        case tla.LetIn(definitions, body):
            defined = " ".join(f"{_head(d)} {on_one_line(d.value)}" for d in definitions)
            return f"LET {defined} IN {on_one_line(body, tail)}"
        case tla.Binder(head, _, body):
            closing = CLOSING.get(head, "")
            return f"{_binder_head(term)} {on_one_line(body, tail or bool(closing))}{closing}"
        case tla.Mapped(value, bind):
            return f"{{{on_one_line(value)} : {_bind(bind)}}}"
        case tla.Listing("[", (of, image)):
            return f"[{on_one_line(of)} -> {on_one_line(image)}]"
        case tla.Listing(opening, elements):
            return f"{opening}{_list(elements)}{CLOSING[opening]}"
        case tla.Fields(sign, fields):
            return f"[{', '.join(f'{name}{sign}{on_one_line(value)}' for name, value in fields)}]"
        case tla.Except(function, updates):
            return f"[{on_one_line(function)} EXCEPT {', '.join(_update(u) + on_one_line(u.value) for u in updates)}]"
        case tla.Box(action, subscript):
            return f"[][{on_one_line(action)}]_{subscript}"
        case _:
            assert_never(term)


def _list(terms: Iterable[Term]) -> str:
    return ", ".join(map(on_one_line, terms))


def _binder_head(term: tla.Binder) -> str:
    gap = " " if term.binds and term.head not in CLOSING else ""
    colon = " |->" if term.head == "[" else " :"
    return f"{term.head}{gap}{', '.join(map(_bind, term.binds))}{colon}"


def _bind(bind: tla.Bind) -> str:
    around = tla.Infix("\\in", bind.of, bind.of)
    return f"{', '.join(bind.names)} \\in {_operand(bind.of, around)}"


def _update(update: tla.Update) -> str:
    keys = "".join(f"[{on_one_line(key)}]" for key in update.keys)
    return f"!{keys}{f'.{update.field}' if update.field else ''} = "


def _tight(term: Term) -> str:
    plain = tla.Lexeme | tla.Apply | tla.Index | tla.Dot | tla.Prime | tla.Except | tla.Fields | tla.Listing
    is_plain = isinstance(term, plain) or (isinstance(term, tla.Binder) and term.head == "[")
    return on_one_line(term) if is_plain else f"({on_one_line(term)})"


def _operand(term: Term, around: Term, tail: bool = False) -> str:
    line = on_one_line(term, tail)
    return f"({line})" if _needs_parentheses(term, around, tail) else line


def _is_open(term: Term) -> bool:
    return isinstance(term, tla.If | tla.LetIn) or (isinstance(term, tla.Binder) and term.head not in CLOSING)


def _needs_parentheses(term: Term, around: Term, tail: bool) -> bool:
    if _is_open(term):
        return not tail or isinstance(around, tla.Prefix)
    inner, outer = _strength(term), _strength(around)
    if inner == _TIGHT:
        return False
    if isinstance(term, tla.Prefix) and term.sign == "-" and outer > _COMPARISON:
        return True  # -- is an operator of its own
    if isinstance(around, tla.Prefix):
        return isinstance(term, tla.Infix | tla.Junction)
    if isinstance(term, tla.Infix) and isinstance(around, tla.Infix):
        if around.sign in _APART or (term.sign in _APART and outer > _COMPARISON):
            return True
        if inner == outer:
            return not (term.sign == around.sign and term is around.left and term.sign in _JOINING)
    return inner <= outer


def _strength(term: Term) -> int:
    match term:
        case tla.Infix(sign) | tla.Junction(sign):
            return _BINDING.get(sign, _PRODUCT if sign in (*_APART, "\\o") else _COMPARISON)
        case tla.Prefix(sign):
            return {"~": _BINDING["~"], "-": 12}.get(sign, 9)
    return _TIGHT


@lru_cache(maxsize=10_000)  # a nest is laid out once for each place, however many ways its surroundings try
def block(term: Term, at: int) -> Lines:
    """The first line is not indented."""
    flat = on_one_line(term)
    if at + len(flat) <= WIDTH and not (_stands_below(term) and not isinstance(term, tla.LetIn)):
        return [flat]
    return _break_lines(term, at)


def _break_lines(term: Term, at: int) -> Lines:
    match term:
        case tla.Junction(sign, operands):
            return _stack(((f"{sign} ", operand) for operand in operands), at)
        case tla.Infix("=>", left, right):
            guard = _after("", _parenthesize(left, term, at), " =>")
            return _first_that_fits(at, *(partial(_conclusion_lines, guard, right, to) for to in (at + 4, at)))
        case tla.Infix():
            return _infix(term, at)
        case tla.Prefix("UNCHANGED", of):
            return _beside("UNCHANGED ", of, at)
        case tla.Prefix(sign, operand):
            return _after(f"{sign}(", block(operand, at + len(sign) + 1), ")")
        case tla.If(condition, then, other):
            return _stack((("IF ", condition), ("THEN ", then), ("ELSE ", other)), at)
        case tla.LetIn(definitions, body):
            heads = ("LET ", *("    " for _ in definitions[1:]), "IN  ")
            return _stack(zip(heads, (*definitions, body), strict=True), at)
        case tla.Binder(head, binds, body):
            tail = CLOSING.get(head, "")
            if at + len(_binder_head(term)) <= WIDTH:
                return _put_below_head(_binder_head(term), body, tail, at)
            opening = head if tail else f"{head} "
            colon = " |->" if head == "[" else " :"
            below = _after("", _with_room(block, body, at + _LOW, len(tail)), tail)
            return [*_items(opening, colon, binds, _bind_lines, at), *_shift(below, at + _LOW)]
        case tla.Mapped(value, bind):
            lines = _after("{", block(value, at + 1), " :")
            return lines + _shift(_after("", _with_room(_bind_lines, bind, at + 1, 1), "}"), at + 1)
        case tla.Except(_, (update,)) if at + len(_except_head(term)) > _FAR - 10:
            return _put_below_head(_except_head(term), update.value, "]", at)
        case tla.Except(of, updates):
            head = f"[{on_one_line(of)} EXCEPT "
            return _items(head, "]", updates, lambda u, to: _beside(_update(u), u.value, to), at)
        case tla.Fields(sign, fields):
            return _items("[", "]", fields, lambda field, to: _beside(field[0] + sign, field[1], to), at)
        case tla.Apply(name, arguments) if arguments:
            return _items(f"{name}(", ")", arguments, block, at)
        case tla.Listing("<<", elements) if any(len(on_one_line(e)) > WIDTH // 2 for e in elements):
            return _items("<<", ">>", elements, block, at)
        case tla.Listing("{", elements) if any(len(on_one_line(e)) > WIDTH - at - 2 for e in elements):
            return _items("{", "}", elements, block, at)
        case tla.Listing("<<" | "{" as opening, elements):
            return _fill(opening, elements, CLOSING[opening], at)
        case tla.Box(action, subscript):
            tail = f"]_{subscript}"
            return _after("[][", _with_room(block, action, at + 3, len(tail)), tail)
        case tla.Index(function, argument) if not isinstance(function, tla.Lexeme):
            around = tla.Infix("=", function, function)
            return _after("", _parenthesize(function, around, at), f"[{on_one_line(argument)}]")
    return [on_one_line(term)]


def _shift(lines: Lines, at: int) -> Lines:
    return [" " * at + lines[0], *lines[1:]]


def _after(head: str, lines: Lines, tail: str = "") -> Lines:
    joined = [head + lines[0], *lines[1:]]
    joined[-1] += tail
    return joined


def _first_that_fits(at: int, *ways: Callable[[], Lines]) -> Lines:
    """The first way to break a term that is narrow enough, else the narrowest."""
    tried: list[Lines] = []
    for way in ways:
        tried.append(way())
        if _width(tried[-1], at) <= WIDTH:
            return tried[-1]
    return min(tried, key=lambda lines: _width(lines, at))


def _width(lines: Lines, at: int) -> int:
    return max(at + len(lines[0]), *map(len, lines))


def _bind_lines(bind: tla.Bind, at: int) -> Lines:
    around = tla.Infix("\\in", bind.of, bind.of)
    head = f"{', '.join(bind.names)} \\in "
    return _first_that_fits(
        at,
        lambda: _after(head, _parenthesize(bind.of, around, at + len(head))),
        lambda: [head.rstrip(), *_shift(_parenthesize(bind.of, around, at + _LOW), at + _LOW)],
    )


def _beside(head: str, item: Term | Definition, at: int) -> Lines:
    to = at + len(head)
    if isinstance(item, Definition):
        return _after(head, definition(item, to))
    return _first_that_fits(
        at,
        lambda: _after(head, block(item, to)),
        lambda: [head.rstrip(), *_shift(block(item, at + _LOW), at + _LOW)],
    )


def _below(term: Term, at: int) -> Lines:
    return _shift(block(term, at + 4), at + 4)


def _conclusion_lines(guard: Lines, term: Term, at: int) -> Lines:
    """Lay a conclusion out below its guard; the second of two implications in a row gets parentheses."""
    if isinstance(term, tla.Infix) and term.sign in ("=>", "<=>"):
        return [*guard, *_shift(_after("(", block(term, at + 1), ")"), at)]
    return [*guard, *_shift(block(term, at), at)]


def _except_head(term: tla.Except) -> str:
    return f"[{on_one_line(term.function)} EXCEPT {_update(term.updates[0]).rstrip()}"


def _infix(term: tla.Infix, at: int) -> Lines:
    """Lay the right side out beside the left one if it fits, else below."""
    left = _with_room(lambda t, to: _parenthesize(t, term, to), term.left, at, len(term.sign) + 3)
    if len(left) == 1:
        head = f"{left[0]} {term.sign} "
        right = _parenthesize(term.right, term, at + len(head))
        if all(len(line) <= WIDTH - (at + len(head) if i == 0 else 0) for i, line in enumerate(right)):
            return _after(head, right)
    right = _shift(_parenthesize(term.right, term, at + 4), at + 4)
    return [*_after("", left, f" {term.sign}"), *right]


def _parenthesize(term: Term, around: Term, at: int) -> Lines:
    behind = around.sign if isinstance(around, tla.Infix) and around.right is term else ""
    lines = block(term, at)
    if not behind and len(lines) == 1:
        lines = [on_one_line(term, False)]  # a quantifier at its end would take in what follows
    runs_on = len(lines) > 1 and isinstance(term, tla.Junction | tla.Infix)
    is_safe = not runs_on and not _needs_parentheses(term, around, bool(behind))
    if is_safe or (behind == "=" and _is_open(term)):
        return lines
    return _after("(", block(term, at + 1), ")")


def _put_below_head(head: str, body: Term, tail: str, at: int) -> Lines:
    """A head and its body: beside it, if that is one line, or below it."""
    beside = _with_room(block, body, at + len(head) + 1, len(tail))
    if len(beside) == 1 and at + len(head) + 1 + len(beside[0]) + len(tail) <= WIDTH:
        return _after(f"{head} ", beside, tail)
    below = _with_room(block, body, at + 4, len(tail))
    return [head, *_shift(_after("", below, tail), at + 4)]


def _with_room(rule: Callable[[T, int], Lines], item: T, at: int, room: int) -> Lines:
    """So much room at the ends of lines."""
    first, *rest = rule(item, at + room)
    return [first, *(line[room:] for line in rest)]


def _stack(items: Iterable[tuple[str, Term | Definition]], at: int) -> Lines:
    first, *others = (_beside(head, item, at) for head, item in items)
    return [*first, *(line for lines in others for line in _shift(lines, at))]


def _items(head: str, tail: str, items: Sequence[T], rule: Callable[[T, int], Lines], at: int) -> Lines:
    return _first_that_fits(
        at,
        lambda: _after(head, _list_lines(tail, items, rule, at + len(head))),
        lambda: [head, *_shift(_list_lines(tail, items, rule, at + _LOW), at + _LOW)],
    )


def _list_lines(tail: str, items: Sequence[T], rule: Callable[[T, int], Lines], at: int) -> Lines:
    blocks = [_with_room(rule, item, at, 1) for item in items]
    lines = [line for block_ in blocks[:-1] for line in _after("", _shift(block_, at), ",")]
    lines += _shift(blocks[-1], at)
    return _after("", [lines[0][at:], *lines[1:]], tail)


def _fill(head: str, elements: tuple[Term, ...], tail: str, at: int) -> Lines:
    lines: Lines = []
    line = head
    for i, element in enumerate(elements):
        element_line = on_one_line(element) + ("," if i < len(elements) - 1 else tail)
        room = WIDTH - (0 if lines else at)
        if line.strip() not in ("", head) and len(line) + 1 + len(element_line) > room:
            lines.append(line)
            line = " " * (at + len(head)) + element_line
        else:
            line += element_line if line == head else f" {element_line}"
    return [*lines, line]
