"""TLA+ terms as text: what does not fit on a line goes below, and the operands of a junction stand in a list."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from isrcheck.tla import terms as tla
from isrcheck.tla.terms import CLOSING, Definition, Term

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


@dataclass(frozen=True)
class Break:
    """A place where a line ends, or what stands there on one line."""

    flat: str = " "


@dataclass(frozen=True, eq=False)
class Either:
    """A piece of a row on one line, and the piece of one on several."""

    one_line: "Doc"
    broken: "Doc"

    @cached_property
    def flat(self) -> str:
        return _on_one_line(self.one_line)


@dataclass(frozen=True, eq=False)
class TextRow:
    """Pieces whose breaks all end lines, or none. `indent`: of its further lines; None: they begin where it does."""

    pieces: "tuple[Doc, ...]"
    indent: int | None = 0
    may_fit: bool = False  # it stands on one line if it fits; else it has several where the row around it has

    @cached_property
    def flat(self) -> str:
        return "".join(map(_on_one_line, self.pieces))


Doc = str | Break | Either | TextRow
BREAK = Break()


def _on_one_line(doc: Doc) -> str:
    return doc if isinstance(doc, str) else doc.flat


def definition(defined: Definition) -> list[str]:
    return _render(_define(defined), 0)


def stack(head: str, term: Term) -> list[str]:
    """A head and a term, which goes below if both do not fit."""
    return _render(_put_below(head, term), 0)


def block(term: Term, at: int) -> list[str]:
    """The lines of a term that begins in a column; the first has no indentation."""
    return _render(_place(term), at)


def on_one_line(term: Term, tail: bool = True) -> str:
    """A term on one line. `tail`: whether only a bracket or the end of a line follows."""
    return _on_one_line(_lay_out(term, tail))


def _render(doc: Doc, at: int) -> list[str]:
    lines, line = list[str](), " " * at
    waiting: list[tuple[int, Doc]] = [(at, doc)]
    while waiting:
        indent, piece = waiting.pop()
        match piece:
            case str():
                line += piece
            case Break():
                lines.append(line)
                line = " " * indent
            case Either():
                waiting.append((indent, piece.broken))
            case TextRow(pieces, more, may_fit):
                if may_fit and len(line) + len(piece.flat) + _room_behind(waiting) <= WIDTH:
                    pieces = (piece.flat,)
                inner = len(line) if more is None else indent + more
                waiting += [(inner, each) for each in reversed(pieces)]
    first, *others = *lines, line
    return [first[at:], *others]


def _room_behind(waiting: list[tuple[int, Doc]]) -> int:
    """The width of what follows up to where its line may end."""
    width, pieces = 0, [doc for _, doc in waiting]
    while pieces:
        match pieces.pop():
            case str() as letters:
                width += len(letters)
            case Break():
                return width
            case Either(_, broken):
                pieces.append(broken)
            case TextRow((first, *_), may_fit=True) as row if not isinstance(first, Break):
                width += len(row.flat)
            case TextRow(inner):
                pieces += reversed(inner)
    return width


def _row(*pieces: Doc, indent: int | None = 0, may_fit: bool = False) -> TextRow:
    return TextRow(pieces, indent, may_fit)


def _align(*pieces: Doc) -> TextRow:
    return _row(*pieces, indent=None)


def _put_below(head: str, term: Term) -> TextRow:
    return _row(head, _row(BREAK, _place(term), indent=4), may_fit=not _stands_below(term))


def _define(let: Definition) -> TextRow:
    parameters = f"({', '.join(let.parameters)})" if let.parameters else ""
    return _put_below(f"{let.name}{parameters} ==", let.value)


def _put_beside(head: str, term: Term) -> TextRow:
    """A head, and a term that goes below only if it is long."""
    return _row(head, _row(BREAK, _place(term), indent=4, may_fit=True))


def _join(docs: Iterable[Doc], *between: Doc) -> Iterator[Doc]:
    for number, doc in enumerate(docs):
        yield from (*between, doc) if number else (doc,)


def _fill(docs: Iterable[Doc]) -> TextRow:
    return _align(*_join(docs, ",", _row(BREAK, may_fit=True)))


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


@lru_cache(maxsize=10_000)
def _place(term: Term) -> TextRow:
    """A term with nothing beside it, in one line if it fits."""
    return _row(_lay_out(term, True), indent=None, may_fit=isinstance(term, tla.LetIn) or not _stands_below(term))


def _place_last(term: Term, tail: bool) -> Doc:
    """A term at the end of another one."""
    return _place(term) if tail else Either(_lay_out(term, False), _place(term))


@lru_cache(maxsize=10_000)
def _lay_out(term: Term, tail: bool) -> Doc:
    """A term whose breaks end lines. `tail`: whether on one line only a bracket or the end of a line follows."""
    match term:
        case tla.Lexeme(spelling):
            return spelling
        case tla.Prime(operand):
            return _row(_tight(operand), "'")
        case tla.Dot(of, field):
            return _row(_tight(of), f".{field}")
        case tla.Index(function, argument):
            return _row(_tight(function), "[", _place(argument), "]")
        case tla.Apply(name, ()):
            return name
        case tla.Apply(name, (tla.Fields() | tla.Binder() | tla.Mapped() as argument,)):
            return _row(f"{name}(", _lay_out(argument, True), ")")
        case tla.Apply(name, arguments):
            return _row(f"{name}(", _row(Break(""), *_join(map(_place, arguments), ",", BREAK), indent=4), ")")
        case tla.Prefix(sign, operand):
            return _row(sign + " " * sign.isalpha(), _operand(operand, term))
        case tla.Infix():
            return _infix(term, tail)
        case tla.Junction(sign, operands):
            last = len(operands) - 1
            items = (Either(_line(t, term, tail and i == last), _place(t)) for i, t in enumerate(operands))
            return _align(Either("", f"{sign} "), *_join(items, BREAK, f"{sign} "))
        case tla.If(condition, then, other):
            branches = ("THEN ", _place(then), BREAK, "ELSE ", _place_last(other, tail))
            return _align("IF ", _place(condition), BREAK, *branches)
        case tla.LetIn(definitions, body):
            defined = _align(*_join(map(_define, definitions), BREAK))
            return _align("LET ", defined, BREAK, Either("IN ", "IN  "), _place_last(body, tail))
        case tla.Box(action, subscript):
            return _row("[][", _place(action), f"]_{subscript}")
    return _lay_out_brackets(term, tail)


def _lay_out_brackets(term: Term, tail: bool) -> Doc:
    match term:
        case tla.Binder(head, _, body):
            closing = CLOSING.get(head, "")
            return _row(_binder_head(term), _row(BREAK, _place_last(body, tail or bool(closing)), indent=4), closing)
        case tla.Mapped(value, bind):
            return _row("{", _align(_place(value), " :", BREAK, _bind(bind)), "}")
        case tla.Listing("[", (of, image)):
            return _row("[", _align(_place(of), " ->", BREAK, _place(image)), "]")
        case tla.Listing(opening, elements) if any(len(on_one_line(e)) > WIDTH // 2 for e in elements):
            return _row(opening, _align(*_join(map(_place, elements), ",", BREAK)), CLOSING[opening])
        case tla.Listing(opening, elements):
            return _row(opening, _fill(map(_place, elements)), CLOSING[opening])
        case tla.Fields(sign, fields):
            named = (_put_beside(name + sign.rstrip(), value) for name, value in fields)
            return _row("[", _align(*_join(named, ",", BREAK)), "]")
        case tla.Except(function, (update,)):
            return _row("[", _place(function), " EXCEPT ", _update(update), "]")
        case tla.Except(function, updates):
            listed = _row(BREAK, *_join(map(_update, updates), ",", BREAK), indent=4)
            return _row("[", _place(function), " EXCEPT", listed, "]")
    raise AssertionError(term)


def _binder_head(term: tla.Binder) -> TextRow:
    gap = " " if term.binds and term.head not in CLOSING else ""
    return _row(f"{term.head}{gap}", _fill(map(_bind, term.binds)), " |->" if term.head == "[" else " :")


def _bind(bind: tla.Bind) -> TextRow:
    return _row(f"{', '.join(bind.names)} \\in ", _operand(bind.of, tla.Infix("\\in", bind.of, bind.of)))


def _update(update: tla.Update) -> TextRow:
    keys = "".join(f"[{on_one_line(key)}]" for key in update.keys)
    return _put_beside(f"!{keys}{f'.{update.field}' if update.field else ''} =", update.value)


def _infix(term: tla.Infix, tail: bool) -> TextRow:
    sign, right = term.sign, _operand(term.right, term, tail, True)
    left = _operand(term.left, term)
    if sign == "..":
        return _row(left, sign, right)
    if sign == "=" and isinstance(term.right, _STANDING_BESIDE):
        return _row(left, " = ", right)
    return _row(left, f" {sign}", _row(BREAK, right, indent=4))


_PLAIN = (tla.Lexeme, tla.Apply, tla.Index, tla.Dot, tla.Prime, tla.Except, tla.Fields, tla.Listing)
_STANDING_BESIDE = (tla.If, tla.Except, tla.Fields, tla.Listing, tla.Binder)  # their sign, whatever room is left


def _tight(term: Term) -> Doc:
    is_plain = isinstance(term, _PLAIN) or (isinstance(term, tla.Binder) and term.head == "[")
    return _lay_out(term, True) if is_plain else _row("(", _place(term), ")")


def _operand(term: Term, around: Term, tail: bool = False, is_right: bool = False) -> Doc:
    """An operand of a sign; several lines of operands are in parentheses, and so is what a next sign would change."""
    if is_right and isinstance(term, tla.Junction) and isinstance(around, tla.Infix) and around.sign == "=>":
        return Either(_line(term, around, tail), _place(term))
    always = _needs_parentheses(term, around, is_right)
    several = always or isinstance(term, tla.Junction | tla.Infix)
    opens, closes = (Either(sign * always, sign * several) for sign in "()")
    return Either(
        _line(term, around, tail),
        _row(opens, _align(_lay_out(term, is_right)), closes, may_fit=True),
    )


def _line(term: Term, around: Term, tail: bool) -> str:
    """An operand on one line."""
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
            return {"-": 12, "DOMAIN": 9, "SUBSET": 8, "UNION": 8}.get(sign, _BINDING["~"])
    return _TIGHT
