"""TLA+ terms as text, with the line breaks that people make: bulleted junctions, IF, LET and quantifiers in blocks."""

from collections.abc import Callable, Iterable
from typing import TypeVar, assert_never

from isrcheck.tla.terms import (
    Apply,
    Bind,
    Box,
    Braces,
    Definition,
    Dot,
    Except,
    Filtered,
    Function,
    FunctionSet,
    If,
    Index,
    Infix,
    Junction,
    Lambda,
    LetIn,
    Mapped,
    Prefix,
    Prime,
    Quantified,
    Record,
    RecordSet,
    Term,
    Tuple,
    Update,
    Word,
)

T = TypeVar("T")

WIDTH = 100

_BINDING = {"=>": 1, "<=>": 2, "/\\": 3, "\\/": 3, "~": 4, "\\cup": 8, "\\cap": 8, "\\": 8, "..": 9, "+": 10, "-": 11}
_COMPARISON = 5
_PRODUCT = 13
_APART = ("%", "\\div", "..", "*")  # never beside another sign without parentheses
_JOINING = ("+", "\\cup", "\\cap", "-", "\\o")  # a sign b sign c may be written
_OPEN = (If, LetIn, Quantified, Lambda)  # these reach as far to the right as they can
_TIGHT = 20
_FAR = 40  # the column from which a block of several lines goes below its head


def definition(made: Definition, column: int = 0) -> list[str]:
    """A definition's lines; a body that does not fit beside its name stands below, indented."""
    head = made.name + (f"({', '.join(made.parameters)})" if made.parameters else "") + " =="
    flat = f"{head} {written(made.value)}"
    if column + len(flat) <= WIDTH and not _stands_below(made.value):
        return [flat]
    beside = block(made.value, column + len(head) + 1)
    if column and (len(beside) == 1 or column + len(head) < _FAR):
        return _after(f"{head} ", beside)
    return [head, *_indented(block(made.value, column + 4), column + 4)]


def _stands_below(term: Term) -> bool:
    """Whether a term is an action's conjunction, which has a line for each part."""
    if isinstance(term, Junction):
        return term.sign == "\\/" or any(_is_effect(p) for p in term.parts)
    return isinstance(term, LetIn)


def _is_effect(term: Term) -> bool:
    match term:
        case Infix(left=Prime()) | Prefix(sign="UNCHANGED"):
            return True
        case If(then=then):
            return _is_effect(then)
        case Junction(parts=parts):
            return any(map(_is_effect, parts))
    return False


def _indented(lines: list[str], column: int) -> list[str]:
    return [" " * column + lines[0], *lines[1:]]


def _after(head: str, lines: list[str], tail: str = "") -> list[str]:
    """The lines with text before the first and after the last."""
    found = [head + lines[0], *lines[1:]]
    found[-1] += tail
    return found


# On one line


def written(term: Term, tail: bool = True) -> str:
    """A term on one line. `tail`: whether nothing follows it but a bracket or the end of a line."""
    match term:
        case Word(text=text):
            return text
        case Infix(sign=sign, left=left, right=right):
            gap = "" if sign == ".." else " "
            return f"{_operand(left, term)}{gap}{sign}{gap}{_operand(right, term, tail)}"
        case Prefix(sign=sign, operand=operand):
            gap = " " if sign.isalpha() else ""
            return f"{sign}{gap}{_operand(operand, term)}"
        case Prime(operand=operand):
            return f"{_tight(operand)}'"
        case Apply(name=name, arguments=arguments):
            return f"{name}({_list(arguments)})" if arguments else name
        case Index(function=function, argument=argument):
            return f"{_tight(function)}[{written(argument)}]"
        case Dot(record=record, field=field):
            return f"{_tight(record)}.{field}"
        case Junction(sign=sign, parts=parts):
            last = len(parts) - 1
            return f" {sign} ".join(_operand(p, term, tail and i == last) for i, p in enumerate(parts))
        case If(condition=condition, then=then, other=other):
            return f"IF {written(condition)} THEN {written(then)} ELSE {written(other, tail)}"
        case LetIn(definitions=definitions, body=body):
            made = " ".join(f"{_head(d)} == {written(d.value)}" for d in definitions)
            return f"LET {made} IN {written(body, tail)}"
        case Quantified(sign=sign, binds=binds, body=body):
            return f"{sign} {', '.join(map(_bind, binds))} : {written(body, tail)}"
        case Lambda(name=name, body=body):
            return f"LAMBDA {name} : {written(body, tail)}"
        case Except(function=function, updates=updates):
            return f"[{written(function)} EXCEPT {', '.join(_update(u) + written(u.value) for u in updates)}]"
        case Box(action=action, subscript=subscript):
            return f"[][{written(action)}]_{subscript}"
        case _:
            return _bracketed(term)


def _bracketed(
    term: Braces | Filtered | Mapped | Function | FunctionSet | Record | RecordSet | Tuple,
) -> str:
    match term:
        case Braces(elements=elements):
            return f"{{{_list(elements)}}}"
        case Tuple(elements=elements):
            return f"<<{_list(elements)}>>"
        case Filtered(bind=bind, condition=condition):
            return f"{{{_bind(bind)} : {written(condition)}}}"
        case Mapped(value=value, bind=bind):
            return f"{{{written(value)} : {_bind(bind)}}}"
        case Function(bind=bind, value=value):
            return f"[{_bind(bind)} |-> {written(value)}]"
        case FunctionSet(domain=domain, range=range_):
            return f"[{written(domain)} -> {written(range_)}]"
        case Record(fields=fields):
            return f"[{', '.join(f'{n} |-> {written(v)}' for n, v in fields)}]"
        case RecordSet(fields=fields):
            return f"[{', '.join(f'{n}: {written(v)}' for n, v in fields)}]"
        case _:
            assert_never(term)


def _list(terms: Iterable[Term]) -> str:
    return ", ".join(map(written, terms))


def _head(made: Definition) -> str:
    return made.name + (f"({', '.join(made.parameters)})" if made.parameters else "")


def _bind(bind: Bind) -> str:
    around = Infix("\\in", bind.of, bind.of)
    return f"{', '.join(bind.names)} \\in {_operand(bind.of, around)}"


def _update(update: Update) -> str:
    keys = "".join(f"[{written(key)}]" for key in update.keys)
    return f"!{keys}{f'.{update.field}' if update.field else ''} = "


def _tight(term: Term) -> str:
    """What a prime, an index or a field stands behind."""
    plain = isinstance(term, Word | Apply | Index | Dot | Prime | Except | Function | Record | Tuple | Braces)
    return written(term) if plain else f"({written(term)})"


def _operand(term: Term, around: Term, tail: bool = False) -> str:
    text = written(term, tail)
    return f"({text})" if _wrapped(term, around, tail) else text


def _wrapped(term: Term, around: Term, tail: bool) -> bool:
    """Whether an operand needs parentheses."""
    if isinstance(term, _OPEN):
        return not tail or isinstance(around, Prefix)
    inner, outer = _binds(term), _binds(around)
    if inner == _TIGHT:
        return False
    if isinstance(term, Prefix) and term.sign == "-" and outer > _COMPARISON:
        return True  # -- is an operator of its own
    if isinstance(around, Prefix):
        return isinstance(term, Infix | Junction)
    if isinstance(term, Infix) and isinstance(around, Infix):
        if term.sign in _APART and outer > _COMPARISON:
            return True
        if around.sign in _APART:
            return True
    if inner == outer:
        return not (
            isinstance(term, Infix)
            and isinstance(around, Infix)
            and term.sign == around.sign
            and term is around.left
            and term.sign in _JOINING
        )
    return inner < outer


def _binds(term: Term) -> int:
    match term:
        case Infix(sign=sign) | Junction(sign=sign):
            return _BINDING.get(sign, _PRODUCT if sign in (*_APART, "\\o") else _COMPARISON)
        case Prefix(sign="~"):
            return _BINDING["~"]
        case Prefix(sign="-"):
            return 12
        case Prefix():
            return 9
    return _TIGHT


# On several lines


def block(term: Term, column: int) -> list[str]:
    """A term from a column on: its first line without indentation, further ones with theirs."""
    flat = written(term)
    if column + len(flat) <= WIDTH and not (_stands_below(term) and not isinstance(term, LetIn)):
        return [flat]
    return _broken(term, column)


def _broken(term: Term, column: int) -> list[str]:
    match term:
        case Junction(sign=sign, parts=parts):
            found: list[str] = []
            for part in parts:
                lines = _after(f"{sign} ", block(part, column + 3))
                found += lines if not found else _indented(lines, column)
            return found
        case Infix(sign="=>", left=left, right=right):
            first = _guarded(left, term, column)
            first[-1] += " =>"
            return [*first, *_indented(block(right, column + 4), column + 4)]
        case Infix():
            return _infix(term, column)
        case Prefix(sign="UNCHANGED", operand=operand):
            return _after("UNCHANGED ", block(operand, column + 10))
        case Prefix(sign=sign, operand=operand):
            return _after(f"{sign}(", block(operand, column + len(sign) + 1), ")")
        case If(condition=condition, then=then, other=other):
            lines = _after("IF ", block(condition, column + 3))
            lines += _indented(_after("THEN ", block(then, column + 5)), column)
            return lines + _indented(_after("ELSE ", block(other, column + 5)), column)
        case LetIn(definitions=definitions, body=body):
            lines = _after("LET ", definition(definitions[0], column + 4))
            for made in definitions[1:]:
                lines += _indented(definition(made, column + 4), column + 4)
            return lines + _indented(_after("IN  ", block(body, column + 4)), column)
        case Quantified(sign=sign, binds=binds, body=body):
            head = f"{sign} {', '.join(map(_bind, binds))} :"
            if column + len(head) <= WIDTH:
                return _headed(head, body, "", column)
            lines = _items(f"{sign} ", " :", binds, lambda bind, _: [_bind(bind)], column)
            return [*lines, *_indented(block(body, column + 4), column + 4)]
        case Lambda(name=name, body=body):
            return _headed(f"LAMBDA {name} :", body, "", column)
        case _:
            return _broken_brackets(term, column)


def _broken_brackets(term: Term, column: int) -> list[str]:
    match term:
        case Filtered(bind=bind, condition=condition):
            return _headed(f"{{{_bind(bind)} :", condition, "}", column)
        case Mapped(value=value, bind=bind):
            lines = _after("{", block(value, column + 1), " :")
            of = block(bind.of, column + 6 + len(", ".join(bind.names)))
            return lines + _indented(_after(f"{', '.join(bind.names)} \\in ", of, "}"), column + 1)
        case Function(bind=bind, value=value):
            return _headed(f"[{_bind(bind)} |->", value, "]", column)
        case Except(function=function, updates=(update,)) if column + len(_changing(term)) > _FAR - 10:
            return _headed(_changing(term), update.value, "]", column)
        case Except(function=function, updates=updates):
            head = f"[{written(function)} EXCEPT "
            return _items(head, "]", updates, _broken_update, column)
        case Record(fields=fields):
            return _items(
                "[", "]", fields, lambda f, at: _after(f"{f[0]} |-> ", block(f[1], at + len(f[0]) + 5)), column
            )
        case RecordSet(fields=fields):
            return _items("[", "]", fields, lambda f, at: _after(f"{f[0]}: ", block(f[1], at + len(f[0]) + 2)), column)
        case Apply(name=name, arguments=arguments) if arguments:
            return _items(f"{name}(", ")", arguments, block, column)
        case Tuple(elements=elements) if any(len(written(e)) > WIDTH // 2 for e in elements):
            return _items("<<", ">>", elements, block, column)
        case Braces(elements=elements):
            return _filled("{", elements, "}", column)
        case Tuple(elements=elements):
            return _filled("<<", elements, ">>", column)
        case Box(action=action, subscript=subscript):
            tail = f"]_{subscript}"
            return _after("[][", _with_room(block, action, column + 3, len(tail)), tail)
        case Index(function=function, argument=argument) if not isinstance(function, Word):
            lines = _guarded(function, Infix("=", function, function), column)
            return _after("", lines, f"[{written(argument)}]")
    return [written(term)]


def _changing(term: Except) -> str:
    return f"[{written(term.function)} EXCEPT {_update(term.updates[0]).rstrip()}"


def _broken_update(update: Update, column: int) -> list[str]:
    head = _update(update)
    return _after(head, block(update.value, column + len(head)))


def _infix(term: Infix, column: int) -> list[str]:
    """Beside its left side if the first line then fits, else below it."""
    left = _with_room(lambda t, at: _guarded(t, term, at), term.left, column, len(term.sign) + 3)
    head = f"{left[-1] if len(left) == 1 else ''} {term.sign} "
    at = column + len(head) if len(left) == 1 else column + 4
    right = _guarded(term.right, term, at)
    if len(left) == 1 and all(len(line) <= WIDTH - (at if i == 0 else 0) for i, line in enumerate(right)):
        return _after(head, right)
    left[-1] += f" {term.sign}"
    return [*left, *_indented(_guarded(term.right, term, column + 4), column + 4)]


def _guarded(term: Term, around: Term, column: int) -> list[str]:
    """An operand in a block, in parentheses where it needs them or would run into what follows."""
    right = isinstance(around, Infix) and around.right is term
    if right and isinstance(around, Infix) and around.sign == "=" and isinstance(term, _OPEN):
        return block(term, column)
    lines = block(term, column)
    if not _wrapped(term, around, right) and not (len(lines) > 1 and isinstance(term, Junction | Infix)):
        return lines
    return _after("(", block(term, column + 1), ")")


def _headed(head: str, body: Term, tail: str, column: int) -> list[str]:
    """A head and below it what it is about; beside it, if that is one line or a list."""
    beside = _with_room(block, body, column + len(head) + 1, len(tail))
    if len(beside) == 1 and column + len(head) + 1 + len(beside[0]) + len(tail) <= WIDTH:
        return _after(f"{head} ", beside, tail)
    below = _with_room(block, body, column + 4, len(tail))
    return [head, *_indented(_after("", below, tail), column + 4)]


def _with_room(rule: Callable[[T, int], list[str]], item: T, column: int, room: int) -> list[str]:
    """What the rule makes of an item, with so much room left at the end of its lines."""
    first, *rest = rule(item, column + room)
    return [first, *(line[room:] for line in rest)]


def _items(head: str, tail: str, items: Iterable[T], rule: Callable[[T, int], list[str]], column: int) -> list[str]:
    """Items below each other, behind the head."""
    at = column + len(head)
    found: list[str] = []
    for item in items:
        lines = _with_room(rule, item, at, 1)
        if found:
            found[-1] += ","
            found += _indented(lines, at)
        else:
            found = _after(head, lines)
    return _after("", found, tail)


def _filled(head: str, elements: tuple[Term, ...], tail: str, column: int) -> list[str]:
    """As many elements on a line as fit."""
    at = column + len(head)
    found: list[str] = []
    line = head
    for position, element in enumerate(elements):
        text = written(element) + ("," if position < len(elements) - 1 else tail)
        room = WIDTH - (column if not found else 0)
        if line.strip() not in ("", head) and len(line) + 1 + len(text) > room:
            found.append(line)
            line = " " * at + text
        else:
            line += text if line == head else f" {text}"
    return [*found, line]
