"""Random expressions that read what is there, and the plainest value of each type."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tools.random_models.names import BOOL, COLOR, COLORS, TINY, Names, Pen, Type


class Readings:
    """The values that one method can read, and the plainest ones."""

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
    def add_to_scope(self, *more: tuple[str, Type]) -> Iterator[None]:
        outer, self.scope = self.scope, [*self.scope, *more]
        yield
        self.scope = outer

    def state(self) -> str:
        return "before" if self.role == "step" and self.pen.chance(50) else self.owner

    def possible(self, t: Type) -> bool:
        """Whether a value can be written at all: a sort's members have no names."""
        if t.kind == "sort":
            return any(known == t for _, known in self.scope)
        return all(self.possible(of) for _, of in t.fields)

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
        """Draw a way to read a value of this type; None if there is none."""
        readable: list[tuple[str, Type, bool]] = [(name, known, False) for name, known in self.scope]
        if self.owner:
            readable += [(name, known, True) for name, known in self.names.variables.items() if self.readable(name)]
            readable += [("self.fast", BOOL, False), ("self.shade", COLOR, False)] if self.pen.chance(20) else []
        readable = [(name, known, variable) for name, known, variable in readable if self.leads(known, t)]
        if not readable:
            return None
        name, known, variable = self.pen.pick(readable)
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
                return f"{t.annotation}({', '.join(self.leaf(of) for _, of in t.fields)})"
            case "sequence":
                return "()"
            case "set":
                return "frozenset()"
        raise AssertionError(t)
