"""Random expressions of every type and form."""

from collections.abc import Iterator
from contextlib import contextmanager

from tools.random_models.names import BOOL, COLOR, INT, NODE, PEER, SMALL, TINY, Type, set_of
from tools.random_models.readings import Readings

EMPTY = ("frozenset()", "()")  # what comes of these has no type


class Expressions(Readings):
    """Expressions of one method. `depth` is how deep they may be."""

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
                return self.write_bounded(t, depth) if stored else self.integer(depth, signed=False)
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
        if t == BOOL and self.role in ("property", "step") and self.pen.chance(30):
            return f"enabled({self.state()}.{self.pen.pick(self.names.actions).name})"
        known = [m for m in self.names.pure if m.returns == t or (m.returns == INT and t.kind == "int" and not t.bound)]
        known = [m for m in known if (m.alone or self.owner) and all(self.possible(p) for _, p in m.parameters)]
        if not known or not self.calls:
            return None
        self.calls -= 1
        method = self.pen.pick(known)
        arguments = ", ".join(self.expression(p, depth - 1) for _, p in method.parameters)
        return f"{'' if method.alone else self.state() + '.'}{method.name}({arguments})"

    def write_bounded(self, t: Type, depth: int) -> str:
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
                return self.gather(depth)
            case 10:
                return self.call(INT, depth) or one
            case 11 if signed:
                return f"-{one}"
        return one

    def collection(self, depth: int) -> str:
        """A set or a sequence to count or to run through."""
        sources = [t for t in self.names.variables.values() if t.kind in ("set", "sequence")]
        t = self.pen.pick([*sources, set_of(NODE), set_of(COLOR)])
        return self.expression(t, depth - 1)

    def source(self, depth: int, ordered: bool = False) -> tuple[str, Type]:
        """Return the source of a comprehension, and the type of its variable."""
        sources: list[tuple[str, Type]] = [
            ("Color", COLOR),
            (f"range({self.top(SMALL)} + 1)", SMALL),
            ("range(2)", TINY),
        ]
        if self.owner:
            sources += [("Node", NODE), ("Peer", PEER), ("Node", NODE)]
        for t in self.names.variables.values():
            if t.kind == "sequence" or (t.kind == "set" and not ordered):
                written = self.expression(t, max(0, depth - 2))
                sources += [(written, t.inner)] if written not in EMPTY else []
        for name, t in self.names.variables.items():
            if t.kind == "map" and self.owner and t.key is not None and name not in self.names.histories:
                sources.append((f"self.{name}", t.key))
        return self.pen.pick(sources)

    @contextmanager
    def open_loops(self, depth: int, ordered: bool = False, clauses: int = 0) -> Iterator[str]:
        """The `for` part of a comprehension, with its variables known inside."""
        parts, names = [], []
        outer = self.scope
        for _ in range(clauses or 1 + self.pen.chance(15)):
            self.loops += 1
            iterated, t = self.source(depth, ordered)
            name = self.names.fresh("x")
            parts.append(f"for {name} in {iterated}")
            names.append((name, t))
            self.scope = [*outer, *names]
            if self.pen.chance(35):
                parts.append(f"if {self.condition(min(1, depth - 1))}")
            self.loops -= 1
        self.loops += 1
        yield " ".join(parts)
        self.loops -= 1
        self.scope = outer

    def gather(self, depth: int) -> str:
        pen = self.pen
        with self.open_loops(depth) as loops:
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
        return f"{t.annotation}({', '.join(parts)})"

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
            with self.open_loops(depth, ordered=True, clauses=1) as loops:
                if self.possible(t.inner):
                    inner = self.expression(t.inner, depth - 1, stored)
                    return f"tuple({inner} {loops}){pen.pick(['', '[:1]', '[:2]'])}"
        return pen.pick(forms)

    def set(self, t: Type, depth: int, stored: bool) -> str:
        pen = self.pen
        forms = [self.expression(t, 0), "frozenset()"]
        if t.inner.kind in ("sort", "enum") and (self.owner or t.inner.kind == "enum"):
            forms.append(f"frozenset({t.inner.annotation})")
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
            with self.open_loops(depth) as loops:
                if self.possible(t.inner):
                    return f"frozenset({self.expression(t.inner, depth - 1, stored)} {loops})"
        return pen.pick(forms)

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
            with self.open_loops(depth) as loops:
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
