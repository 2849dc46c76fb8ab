"""TLA+ terms: what an expression is made of. `layout.py` writes them."""

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Word:
    """A name, a number, a string, TRUE, FALSE or @."""

    text: str


@dataclass(frozen=True, slots=True)
class Infix:
    r"""Two operands with a sign such as = or \cup between them."""

    sign: str
    left: "Term"
    right: "Term"


@dataclass(frozen=True, slots=True)
class Prefix:
    """~, SUBSET, UNION, DOMAIN or UNCHANGED, and its operand."""

    sign: str
    operand: "Term"


@dataclass(frozen=True, slots=True)
class Prime:
    """The operand's value in the next state."""

    operand: "Term"


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator and its arguments; without arguments its name alone."""

    name: str
    arguments: "tuple[Term, ...]"


@dataclass(frozen=True, slots=True)
class Index:
    """function[argument]."""

    function: "Term"
    argument: "Term"


@dataclass(frozen=True, slots=True)
class Dot:
    """record.field."""

    record: "Term"
    field: str


@dataclass(frozen=True, slots=True)
class Junction:
    """A conjunction or disjunction of any number of parts."""

    sign: str  # /\ or \/
    parts: "tuple[Term, ...]"


@dataclass(frozen=True, slots=True)
class If:
    condition: "Term"
    then: "Term"
    other: "Term"


@dataclass(frozen=True, slots=True)
class Definition:
    """name(parameters) == value."""

    name: str
    parameters: tuple[str, ...]
    value: "Term"


@dataclass(frozen=True, slots=True)
class LetIn:
    definitions: tuple[Definition, ...]
    body: "Term"


@dataclass(frozen=True, slots=True)
class Bind:
    r"""Names \in a set."""

    names: tuple[str, ...]
    of: "Term"


@dataclass(frozen=True, slots=True)
class Quantified:
    r"""\A or \E over bound names, or CHOOSE over one."""

    sign: str
    binds: tuple[Bind, ...]
    body: "Term"


@dataclass(frozen=True, slots=True)
class Braces:
    """{a, b}."""

    elements: "tuple[Term, ...]"


@dataclass(frozen=True, slots=True)
class Filtered:
    r"""{x \in S : condition}."""

    bind: Bind
    condition: "Term"


@dataclass(frozen=True, slots=True)
class Mapped:
    r"""{value : x \in S}."""

    value: "Term"
    bind: Bind


@dataclass(frozen=True, slots=True)
class Function:
    r"""[x \in S |-> value]."""

    bind: Bind
    value: "Term"


@dataclass(frozen=True, slots=True)
class FunctionSet:
    """[S -> T]."""

    domain: "Term"
    range: "Term"


@dataclass(frozen=True, slots=True)
class Update:
    """One `![key][key].field = value` of an EXCEPT; a field is a Word in `fields`."""

    keys: "tuple[Term, ...]"
    field: str
    value: "Term"


@dataclass(frozen=True, slots=True)
class Except:
    function: "Term"
    updates: tuple[Update, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """[name |-> value, ...]."""

    fields: "tuple[tuple[str, Term], ...]"


@dataclass(frozen=True, slots=True)
class RecordSet:
    """[name: set, ...]."""

    fields: "tuple[tuple[str, Term], ...]"


@dataclass(frozen=True, slots=True)
class Tuple:
    """<<a, b>>."""

    elements: "tuple[Term, ...]"


@dataclass(frozen=True, slots=True)
class Lambda:
    name: str
    body: "Term"


@dataclass(frozen=True, slots=True)
class Box:
    """[][action]_vars."""

    action: "Term"
    subscript: str


Term = (
    Word
    | Infix
    | Prefix
    | Prime
    | Apply
    | Index
    | Dot
    | Junction
    | If
    | LetIn
    | Quantified
    | Braces
    | Filtered
    | Mapped
    | Function
    | FunctionSet
    | Except
    | Record
    | RecordSet
    | Tuple
    | Lambda
    | Box
)

TRUE, FALSE, AT, EMPTY_SET, EMPTY = Word("TRUE"), Word("FALSE"), Word("@"), Braces(()), Tuple(())


def number(value: int) -> Term:
    """An integer; TLA+ has no negative literals without Integers' minus."""
    return Word(str(value)) if value >= 0 else Prefix("-", Word(str(-value)))


def both(*parts: Term) -> Term:
    """The conjunction of these; nested ones are joined, TRUE is left out."""
    return _junction("/\\", parts, TRUE, FALSE)


def either(*parts: Term) -> Term:
    """The disjunction of these; nested ones are joined, FALSE is left out."""
    return _junction("\\/", parts, FALSE, TRUE)


def _junction(sign: str, parts: tuple[Term, ...], neutral: Term, deciding: Term) -> Term:
    found: list[Term] = []
    for part in parts:
        found.extend(part.parts if isinstance(part, Junction) and part.sign == sign else (part,))
    kept = [part for part in found if part != neutral]
    if kept and kept[0] == deciding:
        return deciding
    if not kept:
        return neutral
    return kept[0] if len(kept) == 1 else Junction(sign, tuple(kept))


_OPPOSITE = {"=": "#", "#": "=", "\\in": "\\notin", "\\notin": "\\in", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def negated(term: Term) -> Term:
    """What is true where the term is false."""
    match term:
        case Infix(sign=sign, left=left, right=right) if sign in _OPPOSITE:
            return Infix(_OPPOSITE[sign], left, right)
        case Prefix(sign="~", operand=operand):
            return operand
        case Word(text="TRUE"):
            return FALSE
        case Word(text="FALSE"):
            return TRUE
        case Infix(sign="=>", left=left, right=right):
            return both(left, negated(right))
        case Quantified(sign="\\E", binds=binds, body=body):
            return Quantified("\\A", binds, _excluded(body))
    return Prefix("~", term)


def _excluded(body: Term) -> Term:
    """That a conjunction is not so, as people say it: if all but the last part is so, that one is not."""
    if isinstance(body, Junction) and body.sign == "/\\":
        return implies(both(*body.parts[:-1]), negated(body.parts[-1]))
    return negated(body)


def implies(condition: Term, then: Term) -> Term:
    """condition => then, without what is idle."""
    if condition == TRUE or then == TRUE:
        return then
    return TRUE if condition == FALSE else Infix("=>", condition, then)


def chosen(condition: Term, then: Term, other: Term) -> Term:
    """IF condition THEN then ELSE other, unless it is decided or both are alike."""
    if condition == TRUE or then == other:
        return then
    return other if condition == FALSE else If(condition, then, other)


def parts(term: Any) -> list[Any]:
    """The term and every term, definition, bind and update in it."""
    found, waiting = [], [term]
    while waiting:
        part = waiting.pop()
        if isinstance(part, tuple):
            waiting.extend(part)
        elif is_dataclass(part):
            found.append(part)
            waiting.extend(getattr(part, f.name) for f in fields(part))
    return found


def words(term: Term) -> set[str]:
    """Every name that a term uses."""
    found = {p.text for p in parts(term) if isinstance(p, Word)}
    return found | {p.name for p in parts(term) if isinstance(p, Apply)}


def rewritten(term: Any, rule: Callable[[Any], Any]) -> Any:
    """The term with the rule applied from the outside in; where the rule returns something new, that stands."""
    new = rule(term)
    if new is not term:
        return new
    if isinstance(term, tuple):
        made = tuple(rewritten(part, rule) for part in term)
        return term if all(a is b for a, b in zip(made, term, strict=True)) else made
    if not is_dataclass(term) or isinstance(term, type):
        return term
    changed = {}
    for f in fields(term):
        value = getattr(term, f.name)
        made = rewritten(value, rule)
        if made is not value:
            changed[f.name] = made
    return replace(term, **changed) if changed else term
