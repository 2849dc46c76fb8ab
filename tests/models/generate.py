"""Source text of random small models in the whole language.

Every expression is written for a type, so that most models are valid; what a step stores is mostly kept within bounds,
so that it leads somewhere. `models()` is a Hypothesis strategy: a failing model shrinks.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TypeVar

from hypothesis import strategies as st
from tests.models.loading import HEADER

T = TypeVar("T")


@dataclass(frozen=True)
class Type:
    """A type of the language: `text` is its annotation."""

    kind: str  # int, bool, sort, enum, option, record, sequence, set or map
    text: str
    of: "Type | None" = None
    key: "Type | None" = None
    fields: "tuple[tuple[str, Type], ...]" = ()
    bound: str = ""  # of an int: its highest value, as text in a method

    @property
    def inner(self) -> "Type":
        assert self.of is not None
        return self.of


BOOL = Type("bool", "bool")
INT = Type("int", "int")  # any integer: what helpers return
SMALL = Type("int", "Small", bound="self.top")
TINY = Type("int", "Tiny", bound="1")
NODE = Type("sort", "Node")
PEER = Type("sort", "Peer")
COLOR = Type("enum", "Color")
COLORS = ("Color.RED", "Color.GREEN", "Color.BLUE")


def option(of: Type) -> Type:
    return Type("option", f"{of.text} | None", of)


def set_of(of: Type) -> Type:
    return Type("set", f"frozenset[{of.text}]", of)


def map_of(key: Type, of: Type) -> Type:
    return Type("map", f"dict[{key.text}, {of.text}]", of, key)


@dataclass(frozen=True)
class Method:
    name: str
    parameters: tuple[tuple[str, Type], ...]
    returns: Type | None = None
    alone: bool = False  # a function of the module


@dataclass
class Names:
    """What a model declares."""

    variables: dict[str, Type] = field(default_factory=dict)
    histories: set[str] = field(default_factory=set)
    pure: list[Method] = field(default_factory=list)
    effects: list[Method] = field(default_factory=list)
    actions: list[Method] = field(default_factory=list)
    made: int = 0

    def fresh(self, letter: str) -> str:
        self.made += 1
        return f"{letter}{self.made}"


class Pen:
    """Makes choices."""

    def __init__(self, choose: Callable[[int], int]) -> None:
        self.choose = choose

    def pick(self, options: Sequence[T]) -> T:
        return options[self.choose(len(options))] if len(options) > 1 else options[0]

    def chance(self, percent: int) -> bool:
        return self.choose(100) >= 100 - percent

    def between(self, low: int, high: int) -> int:
        return low + self.choose(high - low + 1)


class Writer:
    """Writes the expressions and statements of one method."""

    def __init__(self, pen: Pen, names: Names, role: str) -> None:
        self.pen, self.names, self.role = pen, names, role
        self.scope: list[tuple[str, Type]] = []
        self.owner = "" if role == "function" else "self"
        self.history = role in ("property", "step")
        self.calls = 2  # how many helpers may still be called
        self.loops = 0  # how many comprehensions stand around

    def careless(self) -> bool:
        """Now and then, where it is certain that it happens if it happens: not under a set, which has no order."""
        return self.role in ("action", "property", "step") and not self.loops and self.pen.chance(3)

    @contextmanager
    def knowing(self, *more: tuple[str, Type]) -> Iterator[None]:
        outer, self.scope = self.scope, [*self.scope, *more]
        yield
        self.scope = outer

    # What can be read

    def state(self) -> str:
        return "before" if self.role == "step" and self.pen.chance(50) else self.owner

    def possible(self, t: Type) -> bool:
        """Whether a value can be written at all: a sort's members have no names."""
        if t.kind == "sort":
            return any(known == t for _, known in self.scope)
        return all(self.possible(part) for _, part in t.fields)

    def top(self, t: Type) -> str:
        return t.bound if self.owner or t is TINY else "2"

    def key(self, t: Type) -> str:
        """A key that is there, mostly."""
        known = [name for name, of in self.scope if of == t]
        if t.kind == "sort":
            return self.pen.pick(known)
        known += [f"self.{name}" for name, of in self.names.variables.items() if of == t and self.readable(name)]
        if t.kind == "int":
            return f"{self.pen.pick(known or ['0'])} + 1" if self.careless() else self.pen.pick([*known, "0", t.bound])
        literals: Sequence[str] = COLORS if t == COLOR else ("False", "True")
        return self.pen.pick([*known, *literals])

    def readable(self, name: str) -> bool:
        return name not in self.names.histories or self.history

    def read(self, t: Type) -> str | None:
        """One of the ways to read a value of this type, if there is any."""
        found: list[tuple[str, Type, bool]] = [(name, known, False) for name, known in self.scope]
        if self.owner:
            found += [(name, known, True) for name, known in self.names.variables.items() if self.readable(name)]
            found += [("self.fast", BOOL, False), ("self.shade", COLOR, False)] if self.pen.chance(20) else []
        found = [(name, known, variable) for name, known, variable in found if self.leads(known, t)]
        if not found:
            return None
        name, known, variable = self.pen.pick(found)
        return self.path(f"{self.state()}.{name}" if variable else name, known, t)

    def leads(self, known: Type, t: Type) -> bool:
        """Whether a value of one type has one of another in it."""
        if known == t:
            return True
        match known.kind:
            case "map":
                assert known.key is not None
                return self.possible(known.key) and self.leads(known.inner, t)
            case "record":
                return any(of == t for _, of in known.fields)
            case "option" | "sequence":
                return self.possible(t) and (known.inner == t or any(of == t for _, of in known.inner.fields))
        return False

    def path(self, path: str, known: Type, t: Type) -> str:
        while known.kind == "map" and known != t:
            assert known.key is not None
            path, known = f"{path}[{self.key(known.key)}]", known.inner
        if known == t:
            return path
        if known.kind == "record":
            return f"{path}.{self.pen.pick([f for f, of in known.fields if of == t])}"
        item, there = path, f"{path} is not None"
        if known.kind == "sequence":
            place = self.pen.pick(["-1", "0", self.key(TINY) if self.owner else "1"])
            item, there = f"{path}[{place}]", f"len({path}) > {place.replace('-1', '0')}"
        if known.inner != t:
            item = f"{item}.{self.pen.pick([f for f, of in known.inner.fields if of == t])}"
        return item if self.careless() else f"({item} if {there} else {self.leaf(t)})"

    # Expressions

    def leaf(self, t: Type) -> str:
        """The plainest value of a type."""
        known = [name for name, of in self.scope if of == t]
        if known and self.pen.chance(60):
            return self.pen.pick(known)
        match t.kind:
            case "int":
                return self.pen.pick(["0", "1", self.top(t) if t.bound else "2"])
            case "bool":
                return self.pen.pick(["False", "True"])
            case "enum":
                return self.pen.pick(COLORS)
            case "sort":
                return self.pen.pick(known)
            case "option":
                return "None"
            case "record":
                return f"{t.text}({', '.join(self.leaf(of) for _, of in t.fields)})"
            case "sequence":
                return "()"
            case "set":
                return "frozenset()"
        raise AssertionError(t)

    def expression(self, t: Type, depth: int, stored: bool = False) -> str:
        """A value of this type; one that is stored is mostly within its bounds."""
        read = self.read(t) if self.pen.chance(25 if depth > 0 else 85) else None
        if read:
            return read
        if depth <= 0 and (t.kind != "int" or not stored):
            return self.leaf(t)
        if t.kind not in ("bool", "map") and depth > 0 and self.pen.chance(10):
            condition = self.condition(depth - 1)
            return (
                f"({self.expression(t, depth - 1, stored)} if {condition} else {self.expression(t, depth - 1, stored)})"
            )
        call = self.call(t, depth) if depth > 0 and self.pen.chance(15) else None
        if call:
            return call
        match t.kind:
            case "int":
                return self.kept(t, depth) if stored else self.integer(depth, signed=False)
            case "bool":
                return self.condition(depth)
            case "enum" | "sort":
                return self.leaf(t)
            case "option":
                present = self.possible(t.inner) and self.pen.chance(75)
                return self.expression(t.inner, depth - 1, stored) if present else self.leaf(t)
            case "record":
                return self.record(t, depth, stored)
            case "sequence":
                return self.sequence(t, depth, stored)
            case "set":
                return self.set(t, depth, stored)
        raise AssertionError(t)

    def call(self, t: Type, depth: int) -> str | None:
        known = [m for m in self.names.pure if m.returns == t or (m.returns == INT and t.kind == "int" and not t.bound)]
        known = [m for m in known if (m.alone or self.owner) and all(self.possible(p) for _, p in m.parameters)]
        if not known or not self.calls:
            return None
        self.calls -= 1
        method = self.pen.pick(known)
        arguments = ", ".join(self.expression(p, depth - 1) for _, p in method.parameters)
        return f"{'' if method.alone else self.state() + '.'}{method.name}({arguments})"

    def kept(self, t: Type, depth: int) -> str:
        """An integer within its bound, mostly."""
        pen, top = self.pen, self.top(t)
        read = self.read(t) if pen.chance(50) else None
        if read:
            return pen.pick([f"({read} + 1) % ({top} + 1)", f"{read} + 1"])
        if pen.chance(4):
            return self.integer(depth, signed=True)
        inner = self.integer(depth - 1, signed=False)
        return pen.pick(
            [f"min({inner}, {top})", f"({inner}) % ({top} + 1)", f"max(0, {inner} - 1)", inner, self.leaf(t)]
        )

    def integer(self, depth: int, signed: bool) -> str:
        """An integer; never negative unless signed."""
        pen = self.pen
        t = pen.pick([SMALL, TINY, SMALL])
        if depth <= 0:
            return (self.read(t) if pen.chance(80) else None) or self.leaf(t)
        form = pen.choose(14)
        one, two = (self.integer(depth - 1, signed) if n <= (form < 6) else "" for n in range(2))
        match form:
            case 0:
                return f"({one} + {two})"
            case 1:
                return f"({one} - {two})" if signed else f"max(0, {one} - {two})"
            case 2:
                return f"{one} * {pen.pick(['2', two])}"
            case 3:
                return f"({one}) {pen.pick(['//', '%'])} {pen.pick(['2', '3'])}"
            case 4:
                return f"{pen.pick(['min', 'max'])}({one}, {two})"
            case 5:
                return f"({one} if {self.condition(depth - 1)} else {two})"
            case 6 | 7:
                return f"len({self.collection(depth)})"
            case 8 | 9:
                return self.gathered(depth)
            case 10:
                return self.call(INT, depth) or one
            case 11 if signed:
                return f"-{one}"
        return one

    def collection(self, depth: int) -> str:
        """A set or a sequence to count or to run through."""
        found = [t for t in self.names.variables.values() if t.kind in ("set", "sequence")]
        t = self.pen.pick([*found, set_of(NODE), set_of(COLOR)])
        return self.expression(t, depth - 1)

    def source(self, depth: int, ordered: bool = False) -> tuple[str, Type]:
        """What a comprehension runs over, and what its variable is then."""
        found: list[tuple[str, Type]] = [("Color", COLOR), (f"range({self.top(SMALL)} + 1)", SMALL), ("range(2)", TINY)]
        if self.owner:
            found += [("Node", NODE), ("Peer", PEER), ("Node", NODE)]
        for t in self.names.variables.values():
            if t.kind == "sequence" or (t.kind == "set" and not ordered):
                found.append((self.expression(t, max(0, depth - 2)), t.inner))
        for name, t in self.names.variables.items():
            if t.kind == "map" and self.owner and t.key is not None and name not in self.names.histories:
                found.append((f"self.{name}", t.key))
        return self.pen.pick(found)

    @contextmanager
    def running(self, depth: int, ordered: bool = False, clauses: int = 0) -> Iterator[str]:
        """The `for` part of a comprehension, with its variables known inside."""
        parts, names = [], []
        outer = self.scope
        for _ in range(clauses or 1 + self.pen.chance(15)):
            self.loops += 1
            text, t = self.source(depth, ordered)
            name = self.names.fresh("x")
            parts.append(f"for {name} in {text}")
            names.append((name, t))
            self.scope = [*outer, *names]
            if self.pen.chance(35):
                parts.append(f"if {self.condition(min(1, depth - 1))}")
            self.loops -= 1
        self.loops += 1
        yield " ".join(parts)
        self.loops -= 1
        self.scope = outer

    def gathered(self, depth: int) -> str:
        pen = self.pen
        with self.running(depth) as loops:
            if pen.chance(25):
                return f"sum(1 {loops})"
            element = self.integer(depth - 2, signed=False)
            gather = pen.pick(["sum", "min", "max"])
            rest = "" if gather == "sum" else ", default=0"
            return f"{gather}({element} {loops})" if not rest else f"{gather}(({element} {loops}){rest})"

    def record(self, t: Type, depth: int, stored: bool) -> str:
        pen = self.pen
        read = self.read(t) if pen.chance(45) else None
        changed = [(n, of) for n, of in t.fields if pen.chance(60) and self.possible(of)] if read else []
        if changed:
            fields = ", ".join(f"{n}={self.expression(of, depth - 1, stored)}" for n, of in changed)
            return f"{read}._replace({fields})"
        keyword = pen.chance(50)
        parts = [f"{n}={p}" if keyword else p for n, p in self.parts(t, depth, stored)]
        return f"{t.text}({', '.join(parts)})"

    def parts(self, t: Type, depth: int, stored: bool) -> list[tuple[str, str]]:
        return [(n, self.expression(of, depth - 1, stored)) for n, of in t.fields]

    def sequence(self, t: Type, depth: int, stored: bool) -> str:
        pen = self.pen
        old = self.expression(t, 0)
        element = self.expression(t.inner, depth - 1, stored) if self.possible(t.inner) else None
        forms = [
            f"{old}[1:]",
            f"{old}[:1]",
            f"{old}[{self.integer(0, signed=False)}:]",
            f"{old}[0:{pen.pick(['1', '2'])}]",
            old,
        ]
        if element:
            forms += [
                f"{old} + ({element},)",
                f"{old}[1:] + ({element},)",
                f"({element},)",
                f"({element},) + {old}[:1]",
            ]
            forms += [f"{old} + ({element},)"] * 3
        if pen.chance(20):
            with self.running(depth, ordered=True, clauses=1) as loops:
                if self.possible(t.inner):
                    inner = self.expression(t.inner, depth - 1, stored)
                    return f"tuple({inner} {loops}){pen.pick(['', '[:1]', '[:2]'])}"
        return pen.pick(forms)

    def set(self, t: Type, depth: int, stored: bool) -> str:
        pen = self.pen
        forms = [self.expression(t, 0), "frozenset()"]
        if t.inner.kind in ("sort", "enum") and (self.owner or t.inner.kind == "enum"):
            forms.append(f"frozenset({t.inner.text})")
        if self.possible(t.inner):
            one, two = (self.expression(t.inner, depth - 1, stored) for _ in range(2))
            old = self.expression(t, 0)
            forms += [f"frozenset({{{one}}})", f"frozenset({{{one}, {two}}})", f"frozenset(({one},))"]
            forms += [
                f"{old} | {{{one}}}",
                f"{old} - {{{one}}}",
                f"{old} & {{{one}, {two}}}",
                f"{old} | {{{one}, {two}}}",
            ]
        forms.append(f"({self.expression(t, depth - 1)} {pen.pick(['|', '-', '&'])} {self.expression(t, depth - 1)})")
        if pen.chance(25):
            with self.running(depth) as loops:
                if self.possible(t.inner):
                    return f"frozenset({self.expression(t.inner, depth - 1, stored)} {loops})"
        return pen.pick(forms)

    # Conditions

    def condition(self, depth: int) -> str:
        pen = self.pen
        if depth <= 0:
            return (self.read(BOOL) if pen.chance(50) else None) or self.comparison(0)
        form = pen.choose(12)
        if form < 2:
            joined = f" {pen.pick(['and', 'or'])} ".join(self.condition(depth - 1) for _ in range(2))
            return f"({joined})"
        if form == 2:
            return f"(not {self.condition(depth - 1)})"
        if form in (3, 4):
            with self.running(depth) as loops:
                return f"{pen.pick(['all', 'any'])}({self.condition(depth - 1)} {loops})"
        if form == 5:
            return self.call(BOOL, depth) or self.comparison(depth)
        if form == 6:
            return f"({self.condition(depth - 1)} if {self.condition(depth - 1)} else {self.condition(depth - 1)})"
        return self.comparison(depth)

    def comparison(self, depth: int) -> str:
        pen, less = self.pen, depth - 1
        known = [t for t in (*self.names.variables.values(), *(t for _, t in self.scope)) if self.possible(t)]
        t = pen.pick([SMALL, *(k for k in known if k.kind != "map"), *(k.inner for k in known if k.kind == "map")])
        if t.kind == "map" or not self.possible(t):
            t = SMALL
        same = pen.pick(["==", "!="])
        match t.kind:
            case "int":
                one, two, three = (self.integer(less, signed=True) for _ in range(3))
                order = pen.pick(["<", "<=", ">", ">=", "==", "!="])
                chain = f" {pen.pick(['<', '<='])} {three}" if pen.chance(15) else ""
                return f"({one} {order} {two}{chain})"
            case "option":
                one = self.expression(t, less)
                if pen.chance(50) and not one[0].isdigit():
                    return f"({one} {pen.pick(['is', 'is not'])} None)"
                return f"({one} {same} {self.expression(t, less)})"
            case "set":
                one, two = self.expression(t, less), self.expression(t, less)
                if self.possible(t.inner) and pen.chance(50):
                    return f"({self.expression(t.inner, less)} {pen.pick(['in', 'not in'])} {one})"
                return f"({one} {pen.pick(['<=', '<', '>=', '>', same])} {two})"
            case "sequence":
                one = self.expression(t, less)
                if self.possible(t.inner) and pen.chance(40):
                    return f"({self.expression(t.inner, less)} {pen.pick(['in', 'not in'])} {one})"
                return f"({one} {same} {self.expression(t, less)})"
        return f"({self.expression(t, less)} {same} {self.expression(t, less)})"

    # Statements

    def body(self, length: int, depth: int = 2) -> list[str]:
        lines: list[str] = []
        for _ in range(length):
            lines += self.statement(depth)
        return lines

    def target(self, name: str = "") -> tuple[str, Type] | None:
        """A variable or a part of a map to write to."""
        whole = 0 if name else 15
        name = name or self.pen.pick([n for n in self.names.variables if n not in self.names.histories])
        t, path = self.names.variables[name], f"self.{name}"
        while t.kind == "map" and not self.pen.chance(whole):
            assert t.key is not None
            if not self.possible(t.key):
                return None
            path, t = f"{path}[{self.key(t.key)}]", t.inner
        return path, t

    def statement(self, depth: int) -> list[str]:
        pen = self.pen
        form = pen.choose(20)
        if form < 2 and depth > 0:
            test = self.condition(1)
            then = self.body(pen.between(1, 2), depth - 1)
            other = self.body(1, depth - 1) if pen.chance(60) else []
            inner = f"elif {self.condition(1)}:" if other and pen.chance(30) else "else:"
            return [f"if {test}:", *_indented(then), *([inner, *_indented(other)] if other else [])]
        if form == 2 and depth == 2:
            t = pen.pick([SMALL, BOOL, COLOR, *(v for v in self.names.variables.values() if v.kind != "map")])
            if self.possible(t):
                name, value = self.names.fresh("y"), self.expression(t, 2, stored=True)
                self.scope = [*self.scope, (name, t)]
                return [f"{name}: {t.text} = {value}" if self.pen.chance(30) else f"{name} = {value}"]
        if form == 3 and self.names.effects:
            method = pen.pick(self.names.effects)
            if all(self.possible(p) for _, p in method.parameters):
                given = ", ".join(self.expression(p, 1, stored=True) for _, p in method.parameters)
                return [f"self.{method.name}({given})"]
        if form == 4 and self.names.histories:
            return self.remembered()
        if form == 5:
            return self.both()
        target = self.target()
        return self.assignment(*target) if target else ["pass"]

    def change(self, name: str) -> list[str]:
        """An assignment that makes something of a variable, so that the model goes somewhere."""
        target = self.target(name)
        if target is None:
            return ["pass"]
        path, t = target
        given = [n for n, of in self.scope if of == t]
        if given and self.pen.chance(50):
            return [f"{path} = {self.pen.pick(given)}"]
        made = self.changed(path, t)
        return [self.pen.pick(made)] if made else self.assignment(path, t)

    def changed(self, path: str, t: Type) -> list[str]:
        inner = (
            self.expression(t.inner, 1, stored=True) if t.of and t.kind != "map" and self.possible(t.inner) else None
        )
        match t.kind:
            case "int":
                return [f"{path} += 1", f"{path} = ({path} + 1) % ({t.bound} + 1)", f"{path} = {t.bound} - {path}"]
            case "bool":
                return [f"{path} = not {path}"]
            case "enum":
                one, two, three = COLORS
                return [f"{path} = {one} if {path} == {two} else {two} if {path} == {three} else {three}"]
            case "option" if inner:
                return [f"{path} = None if {path} is not None else {inner}", f"{path} = {inner}"]
            case "sequence" if inner:
                return [f"{path} = {path} + ({inner},)", f"{path} = {path}[1:] + ({inner},)", f"{path} += ({inner},)"]
            case "set" if inner:
                return [
                    f"{path} |= {{{inner}}}",
                    f"{path} = {path} - {{{inner}}} if {inner} in {path} else {path} | {{{inner}}}",
                ]
            case "record":
                fields = [(f, of) for f, of in t.fields if self.possible(of)]
                if fields:
                    field, of = self.pen.pick(fields)
                    value = f"1 - {path}.{field}" if of == TINY else self.expression(of, 1, stored=True)
                    return [f"{path} = {path}._replace({field}={value})"]
        return []

    def remembered(self) -> list[str]:
        name = self.pen.pick(sorted(self.names.histories))
        t = self.names.variables[name]
        if t.kind == "int":
            return [f"self.{name} = min(self.{name} + 1, {t.bound})"]
        self.history = True
        value = self.expression(t, 2, stored=True)
        self.history = False
        return [f"self.{name} = {value}"]

    def both(self) -> list[str]:
        one, two = self.target(), self.target()
        if (
            not one
            or not two
            or "map" in (one[1].kind, two[1].kind)
            or not all(self.possible(t) for _, t in (one, two))
        ):
            return ["pass"]
        if one[1] == two[1]:
            return [f"{one[0]}, {two[0]} = {two[0]}, {one[0]}"]
        values = [self.expression(t, 1, stored=True) for _, t in (one, two)]
        return [f"{one[0]}, {two[0]} = {values[0]}, {values[1]}"]

    def assignment(self, path: str, t: Type) -> list[str]:
        pen = self.pen
        if t.kind == "map":
            return self.whole_map(path, t)
        if t.kind == "set" and self.possible(t.inner) and pen.chance(60):
            operator = pen.pick(["|", "|", "-", "&"])
            element = self.expression(t.inner, 1, stored=True)
            return [f"{path} {operator}= {pen.pick([f'{{{element}}}', self.expression(t, 1, stored=True)])}"]
        if t.kind == "int" and pen.chance(30):
            return [pen.pick([f"{path} += 1", f"{path} = ({path} + 1) % ({t.bound} + 1)", f"{path} -= min(1, {path})"])]
        if t.kind == "bool" and pen.chance(40):
            return [f"{path} = not {path}"]
        if not self.possible(t):
            return ["pass"]
        return [f"{path} = {self.expression(t, 2, stored=True)}"]

    def whole_map(self, path: str, t: Type) -> list[str]:
        made = self.mapping(t)
        return [f"{path} = {made}"] if made else ["pass"]

    def mapping(self, t: Type) -> str | None:
        assert t.key is not None
        if t.key.kind == "bool":
            return None
        name = self.names.fresh("k")
        source = t.key.text if t.key.kind != "int" else f"range({t.key.bound} + 1)"
        with self.knowing((name, t.key)):
            if t.inner.kind == "map":
                value = self.mapping(t.inner)
            else:
                value = self.expression(t.inner, 1, stored=True) if self.possible(t.inner) else None
        return f"{{{name}: {value} for {name} in {source}}}" if value else None


def _asking(policy: Method) -> list[str]:
    """A property that asks a policy which nothing else asks: the reader refuses that."""
    over = {"Small": "range(self.top + 1)", "Node": "Node", "Color": "Color"}
    names = [f"q{n}" for n in range(len(policy.parameters))]
    clauses = "".join(f" for {q} in {over[t.text]}" for q, (_, t) in zip(names, policy.parameters, strict=True))
    asked = f"self.{policy.name}({', '.join(names)})"
    return [
        "",
        "@reachable",
        "def decided(self) -> bool:",
        f"    return {f'any({asked}{clauses})' if names else asked}",
    ]


def _called(helpers: dict[str, list[str]], lines: list[str]) -> list[str]:
    """The lines of the helpers that these lines call, or other such helpers: the reader refuses the others."""
    text, used = "\n".join(lines), list[str]()
    for name in reversed(helpers):  # a helper calls those before it
        if f"self.{name}(" in text:
            used.append(name)
            text += "\n".join(helpers[name])
    return [line for name in reversed(used) for line in helpers[name]]


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _parts(t: Type) -> Iterator[Type]:
    """A map's keys, and what stands under them; a set's or a sequence's elements."""
    if t.kind == "map":
        assert t.key is not None
        yield t.key
        yield from _parts(t.inner)
    elif t.kind in ("set", "sequence"):
        yield t.inner
    elif t.kind == "record":
        yield from (of for _, of in t.fields)
    else:
        yield t


class Author:
    """Writes one module: its types, a base model that leaves policies open, and the variant that fills them."""

    def __init__(self, pen: Pen) -> None:
        self.pen, self.names = pen, Names()
        fields: list[tuple[str, Type]] = [("size", SMALL)]
        more = [
            ("color", COLOR),
            ("owner", option(NODE)),
            ("mark", option(TINY)),
            ("late", BOOL),
            ("group", set_of(PEER)),
        ]
        fields += [pair for pair in more if pen.chance(40)]
        self.record = Type("record", "Note", fields=tuple(fields))
        held = (("at", NODE), ("how", pen.pick([TINY, BOOL, COLOR])))
        self.held = Type("record", "Held", fields=held)
        self.notes = Type("sequence", "Notes", self.record)
        self.numbers = Type("sequence", "Numbers", pen.pick([SMALL, TINY, COLOR, option(TINY)]))
        self.constants = {"nodes": pen.pick([2, 2, 1]), "top": pen.pick([2, 2, 3, 1]), "room": pen.pick([2, 1])}

    def write(self) -> str:
        declarations, helpers = self.declarations(), self.helpers()
        base = self.policy(None)
        actions = self.pen.between(3, 6)
        base += [line for n in range(actions) for line in self.action(f"act{n}")]
        base += self.properties("base")
        variant = self.variant()
        if not any("self.decide(" in line for line in (*base, *variant)):
            base += _asking(self.decision)
        base = [*declarations, *_called(helpers, [*base, *variant]), *base]
        return "\n".join(
            [*self.types(), *self.functions_text, "", "", "class Base(Model):", *_indented(base), *variant, ""]
        )

    def types(self) -> list[str]:
        records = [
            [f"class {r.text}(NamedTuple):", *_indented([f"{n}: {of.text}" for n, of in r.fields]), "", ""]
            for r in (self.record, self.held)
        ]
        head = HEADER.rstrip("\n").split("\n")
        sorts = ['class Node(Sort, size="nodes"):', '    """Two of a kind."""', "", ""]
        sorts += ['class Peer(Sort, size="2"):', '    """Others."""', "", ""]
        sorts += ["class Color(Enum):", '    RED = "red"', '    GREEN = "green"', '    BLUE = "blue"', "", ""]
        aliases = ['Small = Annotated[int, UpTo("top")]', "Tiny = Annotated[int, UpTo(1)]", "", ""]
        sequences = [
            'Notes = Annotated[tuple[Note, ...], UpTo("room")]',
            f'Numbers = Annotated[tuple[{self.numbers.inner.text}, ...], UpTo("room + 1")]',
        ]
        return [*head, "", "", *sorts, *aliases, *records[0], *records[1], *sequences]

    def declarations(self) -> list[str]:
        pen, names = self.pen, self.names
        lines = ['"""A model written by chance."""', ""]
        lines += [f'{n}: int = constant({v}, "a number", at_least=1)' for n, v in self.constants.items()]
        lines += [
            "",
            "@assume",
            "def some_room(self) -> bool:",
            "    return self.room >= 1 and self.top + self.room >= 2",
            "",
        ]
        lines += [
            'fast: bool = constant(True, "a truth value")',
            'shade: Color = constant(Color.GREEN, "a choice")',
            "",
        ]
        simple = [SMALL, TINY, BOOL, COLOR, option(NODE), option(SMALL), option(COLOR), self.record]
        composite = [option(self.record), option(self.held), self.notes, self.numbers, set_of(NODE), set_of(SMALL)]
        composite += [set_of(self.held), set_of(COLOR), set_of(option(TINY)), set_of(self.record)]
        keys = [NODE, NODE, COLOR, SMALL, BOOL, PEER, TINY]
        for number in range(pen.between(2, 4)):
            menu = [simple, composite, simple, composite] if number else [simple]
            t = pen.pick(pen.pick(menu))
            if pen.chance(35):
                t = map_of(pen.pick(keys), t)
                if pen.chance(20):
                    t = map_of(pen.pick([PEER, NODE, TINY]), t)
            names.variables[f"v{number}"] = t
        names.variables["count"] = SMALL
        if pen.chance(50):
            names.variables["past"] = pen.pick([SMALL, set_of(NODE), option(SMALL), BOOL])
            names.histories.add("past")
        for name, t in names.variables.items():
            value = self.initial(t)
            value = f"history({value})" if name in names.histories else value
            lines.append(f"{name}: {t.text} = {value}  # {t.kind}")
        return lines

    def initial(self, t: Type) -> str:
        pen = self.pen
        match t.kind:
            case "int":
                return pen.pick(["0", "0", "1"])
            case "bool":
                return pen.pick(["False", "True"])
            case "enum":
                return pen.pick(COLORS)
            case "option":
                return "None"
            case "record":
                return f"{t.text}({', '.join(self.initial(of) for _, of in t.fields)})"
            case "sequence":
                return "()"
            case "set":
                listed = t.inner.kind in ("sort", "enum") and pen.chance(50)
                return f"members({t.inner.text})" if listed else "frozenset()"
        assert t.key is not None
        return f"each({t.key.text}, {self.initial(t.inner)})"

    # Methods

    def parameters(self, writer: Writer, menu: Sequence[Type], most: int) -> tuple[tuple[str, Type], ...]:
        found = tuple((self.names.fresh("p"), self.pen.pick(menu)) for _ in range(self.pen.between(0, most)))
        writer.scope = [*writer.scope, *found]
        return found

    def head(self, name: str, mark: str, parameters: Sequence[tuple[str, Type]], returns: str) -> list[str]:
        given = ", ".join(["self", *(f"{n}: {t.text}" for n, t in parameters)])
        return ["", *([f"@{mark}"] if mark else []), f"def {name}({given}) -> {returns}:"]

    def returned(self, writer: Writer, t: Type) -> list[str]:
        """A body that returns a value in one of several ways."""
        pen = self.pen
        value, other = (writer.expression(t, 2) for _ in range(2))
        form = pen.choose(4)
        if form == 0:
            return [f"if {writer.condition(1)}:", f"    return {value}", f"return {other}"]
        if form == 1:
            return [f"y = {value}", f"if {writer.condition(1)}:", f"    y = {other}", "return y"]
        if form == 2:
            lines = [f"if {writer.condition(1)}:", f"    return {value}", f"elif {writer.condition(0)}:"]
            return [*lines, f"    return {other}", "else:", f"    return {writer.leaf(t)}"]
        return [f"return {value}"]

    def helpers(self) -> dict[str, list[str]]:
        """Each helper's lines by its name."""
        pen, names = self.pen, self.names
        self.functions_text: list[str] = []
        found: dict[str, list[str]] = {}
        plain = [SMALL, BOOL, COLOR, NODE, option(SMALL), self.record, option(self.record), self.notes, set_of(NODE)]
        results = [INT, BOOL, BOOL, COLOR, self.record, set_of(NODE), option(self.record)]
        for _ in range(pen.between(0, 2)):
            writer = Writer(pen, names, "helper")
            method = Method(names.fresh("helper"), self.parameters(writer, plain, 2), pen.pick(results))
            assert method.returns is not None
            head = self.head(method.name, "", method.parameters, method.returns.text)
            found[method.name] = [*head, *_indented(self.returned(writer, method.returns))]
            names.pure.append(method)
        if pen.chance(40):
            writer = Writer(pen, names, "function")
            alone = [t for t in plain if t.kind != "sort"]
            method = Method(
                names.fresh("function"), self.parameters(writer, alone, 2), pen.pick([INT, BOOL, COLOR]), True
            )
            assert method.returns is not None
            given = ", ".join(f"{n}: {t.text}" for n, t in method.parameters)
            self.functions_text += ["", "", f"def {method.name}({given}) -> {method.returns.text}:"]
            self.functions_text += _indented(self.returned(writer, method.returns))
            names.pure.append(method)
        if pen.chance(60):
            writer = Writer(pen, names, "effect")
            method = Method(names.fresh("effect"), self.parameters(writer, [SMALL, BOOL, NODE, COLOR], 2))
            head = self.head(method.name, "", method.parameters, "None")
            found[method.name] = [*head, *_indented(writer.body(pen.between(1, 2)))]
            names.effects.append(method)
        return found

    def policy(self, filled: Method | None) -> list[str]:
        writer = Writer(self.pen, self.names, "helper")
        if filled is None:
            parameters = self.parameters(writer, [SMALL, NODE, COLOR], 2)
            self.decision = Method("decide", parameters, BOOL)
            lines = self.head("decide", "policy", parameters, "bool")
            self.names.pure.append(self.decision)
            return [*lines, '    """Left open."""', "    raise NotImplementedError"]
        writer.scope = list(filled.parameters)
        self.names.pure.remove(filled)
        lines = [*self.head("decide", "", filled.parameters, "bool"), *_indented(self.returned(writer, BOOL))]
        self.names.pure.append(filled)
        return lines

    def action(self, name: str) -> list[str]:
        pen = self.pen
        writer = Writer(pen, self.names, "action")
        menu = [NODE, SMALL, TINY, COLOR, BOOL, option(NODE), PEER, set_of(PEER), self.held, option(TINY)]
        changed = pen.pick([n for n in self.names.variables if n not in self.names.histories])
        wanted = [
            t for t in _parts(self.names.variables[changed]) if t.kind in ("sort", "int", "bool", "enum", "option")
        ]
        wanted = [t for t in wanted if t.kind != "option" or t.inner.kind != "record"]
        given = tuple((self.names.fresh("p"), t) for t in wanted if t.kind == "sort" or pen.chance(50))[:2]
        writer.scope = list(given)
        parameters = given + self.parameters(writer, menu, 2 - len(given) if pen.chance(40) else 0)
        self.names.actions.append(Method(name, parameters))
        lines = self.head(name, "action", parameters, "None")
        guards = [f"require({writer.condition(2)})"] if pen.chance(30) else []
        body = [*writer.change(changed), *writer.body(pen.between(0, 2))]
        if pen.chance(10):
            body.append(f"require({writer.condition(1)})")
        return [*lines, *_indented([*guards, *body])]

    def properties(self, prefix: str) -> list[str]:
        lines: list[str] = []
        for number, mark in enumerate(("invariant", "reachable")):
            writer = Writer(self.pen, self.names, "property")
            lines += [*self.head(f"{prefix}_{number}", mark, (), "bool"), *_indented(self.returned(writer, BOOL))]
        writer = Writer(self.pen, self.names, "step")
        if self.pen.chance(50):
            seen = self.pen.pick(self.names.actions)
            head = f"def {prefix}_step(self, before: Self, taken: Taken) -> bool:"
            known = [(f"taken.{n}", t) for n, t in seen.parameters]
            with writer.knowing(*known):
                body = [f'return taken.action != "{seen.name}" or {writer.condition(2)}']
        else:
            head = f"def {prefix}_step(self, before: Self) -> bool:"
            body = self.returned(writer, BOOL)
        return [*lines, "", "@step", head, *_indented(body)]

    def variant(self) -> list[str]:
        lines = ['"""Fills what is open."""']
        lines += self.policy(self.decision)
        if self.pen.chance(40):
            lines += self.action("extra")
        if self.pen.chance(40):
            lines += self.properties("own")
        return ["", "", "class Chosen(Base):", *_indented(lines)]


@cache
def _below(n: int) -> st.SearchStrategy[int]:
    return st.integers(0, n - 1)


@st.composite
def models(draw: st.DrawFn) -> str:
    """The source text of a model."""
    return Author(Pen(lambda n: draw(_below(n)))).write()
