"""TLA+ terms as text, with the line breaks that people make."""

from collections.abc import Callable, Iterable
from typing import TypeVar, assert_never

from isrcheck.tla import terms as tla
from isrcheck.tla.terms import CLOSING, Definition, Term

T = TypeVar("T")

WIDTH = 100

_BINDING = {"=>": 1, "<=>": 2, "/\\": 3, "\\/": 3, "~": 4, "\\cup": 8, "\\cap": 8, "\\": 8, "..": 9, "+": 10, "-": 11}
_COMPARISON = 5
_PRODUCT = 13
_APART = ("%", "\\div", "..", "*")  # never beside another sign without parentheses
_JOINING = ("+", "\\cup", "\\cap", "-", "\\o")  # a sign b sign c may be written
_TIGHT = 20
_FAR = 40  # the column from which a block of several lines goes below its head


def definition(defined: Definition, column: int = 0) -> list[str]:
    """A definition's lines; a body that does not fit stands below its name."""
    head = _head(defined)
    flat = f"{head} {written(defined.value)}"
    if column + len(flat) <= WIDTH and not _stands_below(defined.value):
        return [flat]
    beside = block(defined.value, column + len(head) + 1)
    if column and (len(beside) == 1 or column + len(head) < _FAR):
        return _after(f"{head} ", beside)
    return [head, *_below(defined.value, column)]


def _head(defined: Definition) -> str:
    return defined.name + (f"({', '.join(defined.parameters)})" if defined.parameters else "") + " =="


def _stands_below(term: Term) -> bool:
    """Whether a term is an action's conjunction, which has a line for each operand."""
    if isinstance(term, tla.Junction):
        return term.sign == "\\/" or any(map(_is_effect, term.operands))
    return isinstance(term, tla.LetIn)


def _is_effect(term: Term) -> bool:
    match term:
        case tla.Infix(_, tla.Prime()) | tla.Prefix("UNCHANGED"):
            return True
        case tla.If(_, then):
            return _is_effect(then)
        case tla.Junction(_, operands):
            return any(map(_is_effect, operands))
    return False


def written(term: Term, tail: bool = True) -> str:
    """A term on one line. `tail`: whether only a bracket or the end of a line follows."""
    match term:
        case tla.Word(text):
            return text
        case tla.Infix(sign, left, right):
            gap = "" if sign == ".." else " "
            return f"{_operand(left, term)}{gap}{sign}{gap}{_operand(right, term, tail)}"
        case tla.Prefix(sign, operand):
            gap = " " if sign.isalpha() else ""
            return f"{sign}{gap}{_operand(operand, term)}"
        case tla.Prime(operand):
            return f"{_tight(operand)}'"
        case tla.Apply(name, arguments):
            return f"{name}({_list(arguments)})" if arguments else name
        case tla.Index(function, argument):
            return f"{_tight(function)}[{written(argument)}]"
        case tla.Dot(record, field):
            return f"{_tight(record)}.{field}"
        case tla.Junction(sign, operands):
            last = len(operands) - 1
            return f" {sign} ".join(_operand(t, term, tail and i == last) for i, t in enumerate(operands))
        case tla.If(condition, then, other):
            return f"IF {written(condition)} THEN {written(then)} ELSE {written(other, tail)}"
        case tla.LetIn(definitions, body):
            defined = " ".join(f"{_head(d)} {written(d.value)}" for d in definitions)
            return f"LET {defined} IN {written(body, tail)}"
        case tla.Binder(head, _, body):
            closing = CLOSING.get(head, "")
            return f"{_binding(term)} {written(body, tail or bool(closing))}{closing}"
        case tla.Mapped(value, bind):
            return f"{{{written(value)} : {_bind(bind)}}}"
        case tla.Listing("[", (domain, image)):
            return f"[{written(domain)} -> {written(image)}]"
        case tla.Listing(opening, elements):
            return f"{opening}{_list(elements)}{CLOSING[opening]}"
        case tla.Fields(sign, fields):
            return f"[{', '.join(f'{name}{sign}{written(value)}' for name, value in fields)}]"
        case tla.Except(function, updates):
            return f"[{written(function)} EXCEPT {', '.join(_update(u) + written(u.value) for u in updates)}]"
        case tla.Box(action, subscript):
            return f"[][{written(action)}]_{subscript}"
        case _:
            assert_never(term)


def _list(terms: Iterable[Term]) -> str:
    return ", ".join(map(written, terms))


def _binding(term: tla.Binder) -> str:
    gap = " " if term.binds and term.head not in CLOSING else ""
    colon = " |->" if term.head == "[" else " :"
    return f"{term.head}{gap}{', '.join(map(_bind, term.binds))}{colon}"


def _bind(bind: tla.Bind) -> str:
    around = tla.Infix("\\in", bind.of, bind.of)
    return f"{', '.join(bind.names)} \\in {_operand(bind.of, around)}"


def _update(update: tla.Update) -> str:
    keys = "".join(f"[{written(key)}]" for key in update.keys)
    return f"!{keys}{f'.{update.field}' if update.field else ''} = "


def _tight(term: Term) -> str:
    plain = tla.Word | tla.Apply | tla.Index | tla.Dot | tla.Prime | tla.Except | tla.Fields | tla.Listing
    is_plain = isinstance(term, plain) or (isinstance(term, tla.Binder) and term.head == "[")
    return written(term) if is_plain else f"({written(term)})"


def _operand(term: Term, around: Term, tail: bool = False) -> str:
    text = written(term, tail)
    return f"({text})" if _needs_parentheses(term, around, tail) else text


def _is_open(term: Term) -> bool:
    """Whether a term reaches as far to the right as it can."""
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
    """How strongly a term's sign binds its operands."""
    match term:
        case tla.Infix(sign) | tla.Junction(sign):
            return _BINDING.get(sign, _PRODUCT if sign in (*_APART, "\\o") else _COMPARISON)
        case tla.Prefix(sign):
            return {"~": _BINDING["~"], "-": 12}.get(sign, 9)
    return _TIGHT


def block(term: Term, column: int) -> list[str]:
    """A term from a column on; its first line has no indentation."""
    flat = written(term)
    if column + len(flat) <= WIDTH and not (_stands_below(term) and not isinstance(term, tla.LetIn)):
        return [flat]
    return _broken(term, column)


def _broken(term: Term, column: int) -> list[str]:
    match term:
        case tla.Junction(sign, operands):
            return _stacked(((f"{sign} ", operand) for operand in operands), column)
        case tla.Infix("=>", left, right):
            return [*_after("", _guarded(left, term, column), " =>"), *_below(right, column)]
        case tla.Infix():
            return _infix(term, column)
        case tla.Prefix("UNCHANGED", operand):
            return _beside("UNCHANGED ", operand, column)
        case tla.Prefix(sign, operand):
            return _after(f"{sign}(", block(operand, column + len(sign) + 1), ")")
        case tla.If(condition, then, other):
            return _stacked((("IF ", condition), ("THEN ", then), ("ELSE ", other)), column)
        case tla.LetIn(definitions, body):
            heads = ("LET ", *("    " for _ in definitions[1:]), "IN  ")
            return _stacked(zip(heads, (*definitions, body), strict=True), column)
        case tla.Binder(head, binds, body):
            if head in CLOSING or column + len(_binding(term)) <= WIDTH:
                return _headed(_binding(term), body, CLOSING.get(head, ""), column)
            return [*_items(f"{head} ", " :", binds, lambda bind, _: [_bind(bind)], column), *_below(body, column)]
        case tla.Mapped(value, bind):
            head = f"{', '.join(bind.names)} \\in "
            lines = _after("{", block(value, column + 1), " :")
            return lines + _indented(_after(head, block(bind.of, column + 1 + len(head)), "}"), column + 1)
        case tla.Except(_, (update,)) if column + len(_changing(term)) > _FAR - 10:
            return _headed(_changing(term), update.value, "]", column)
        case tla.Except(function, updates):
            head = f"[{written(function)} EXCEPT "
            return _items(head, "]", updates, lambda update, at: _beside(_update(update), update.value, at), column)
        case tla.Fields(sign, fields):
            return _items("[", "]", fields, lambda field, at: _beside(field[0] + sign, field[1], at), column)
        case tla.Apply(name, arguments) if arguments:
            return _items(f"{name}(", ")", arguments, block, column)
        case tla.Listing("<<", elements) if any(len(written(e)) > WIDTH // 2 for e in elements):
            return _items("<<", ">>", elements, block, column)
        case tla.Listing("<<" | "{" as opening, elements):
            return _filled(opening, elements, CLOSING[opening], column)
        case tla.Box(action, subscript):
            tail = f"]_{subscript}"
            return _after("[][", _with_room(block, action, column + 3, len(tail)), tail)
        case tla.Index(function, argument) if not isinstance(function, tla.Word):
            around = tla.Infix("=", function, function)
            return _after("", _guarded(function, around, column), f"[{written(argument)}]")
    return [written(term)]


def _indented(lines: list[str], column: int) -> list[str]:
    return [" " * column + lines[0], *lines[1:]]


def _after(head: str, lines: list[str], tail: str = "") -> list[str]:
    """The lines with text before the first and after the last."""
    joined = [head + lines[0], *lines[1:]]
    joined[-1] += tail
    return joined


def _beside(head: str, item: Term | Definition, column: int) -> list[str]:
    at = column + len(head)
    return _after(head, definition(item, at) if isinstance(item, Definition) else block(item, at))


def _below(term: Term, column: int) -> list[str]:
    return _indented(block(term, column + 4), column + 4)


def _changing(term: tla.Except) -> str:
    return f"[{written(term.function)} EXCEPT {_update(term.updates[0]).rstrip()}"


def _infix(term: tla.Infix, column: int) -> list[str]:
    """Beside its left side if the first line then fits, else below it."""
    left = _with_room(lambda t, at: _guarded(t, term, at), term.left, column, len(term.sign) + 3)
    if len(left) == 1:
        head = f"{left[0]} {term.sign} "
        right = _guarded(term.right, term, column + len(head))
        if all(len(line) <= WIDTH - (column + len(head) if i == 0 else 0) for i, line in enumerate(right)):
            return _after(head, right)
    right = _indented(_guarded(term.right, term, column + 4), column + 4)
    return [*_after("", left, f" {term.sign}"), *right]


def _guarded(term: Term, around: Term, column: int) -> list[str]:
    """An operand in a block, in parentheses where it needs them."""
    behind = around.sign if isinstance(around, tla.Infix) and around.right is term else ""
    lines = block(term, column)
    runs_on = len(lines) > 1 and isinstance(term, tla.Junction | tla.Infix)
    is_safe = not runs_on and not _needs_parentheses(term, around, bool(behind))
    if is_safe or (behind == "=" and _is_open(term)):
        return lines
    return _after("(", block(term, column + 1), ")")


def _headed(head: str, body: Term, tail: str, column: int) -> list[str]:
    """A head and its body: beside it, if that is one line, or below it."""
    beside = _with_room(block, body, column + len(head) + 1, len(tail))
    if len(beside) == 1 and column + len(head) + 1 + len(beside[0]) + len(tail) <= WIDTH:
        return _after(f"{head} ", beside, tail)
    below = _with_room(block, body, column + 4, len(tail))
    return [head, *_indented(_after("", below, tail), column + 4)]


def _with_room(rule: Callable[[T, int], list[str]], item: T, column: int, room: int) -> list[str]:
    """The lines of an item, with so much room left at their ends."""
    first, *rest = rule(item, column + room)
    return [first, *(line[room:] for line in rest)]


def _stacked(items: Iterable[tuple[str, Term | Definition]], column: int) -> list[str]:
    first, *others = (_beside(head, item, column) for head, item in items)
    return [*first, *(line for lines in others for line in _indented(lines, column))]


def _items(head: str, tail: str, items: Iterable[T], rule: Callable[[T, int], list[str]], column: int) -> list[str]:
    at = column + len(head)
    blocks = [_with_room(rule, item, at, 1) for item in items]
    lines = [line for block_ in blocks[:-1] for line in _after("", _indented(block_, at), ",")]
    lines += _indented(blocks[-1], at)
    return _after(head, [lines[0][at:], *lines[1:]], tail)


def _filled(head: str, elements: tuple[Term, ...], tail: str, column: int) -> list[str]:
    at = column + len(head)
    lines: list[str] = []
    line = head
    for position, element in enumerate(elements):
        text = written(element) + ("," if position < len(elements) - 1 else tail)
        room = WIDTH - (column if not lines else 0)
        if line.strip() not in ("", head) and len(line) + 1 + len(text) > room:
            lines.append(line)
            line = " " * at + text
        else:
            line += text if line == head else f" {text}"
    return [*lines, line]
