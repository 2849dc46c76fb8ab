"""Readings for expressions of a random model: variables, local names, fields, elements; what a `for` runs over."""

from dataclasses import dataclass, field, replace
from random import Random

from tools.fuzz.types import BOOL, INT, Type, Types


class Impossible(Exception):
    """No expression of this type can be written here."""


@dataclass
class Scope:
    """The readings that an expression may use. `safe` ones raise no error in any state."""

    variables: dict[str, Type]
    locals: dict[str, Type] = field(default_factory=dict)
    safe: bool = False
    before: bool = False
    helpers: dict[str, tuple[list[Type], Type]] = field(default_factory=dict)
    actions: dict[str, dict[str, Type]] = field(default_factory=dict)  # for `taken`

    def inside(self, **names: Type) -> "Scope":
        return replace(self, locals={**self.locals, **names})

    def safely(self) -> "Scope":
        return replace(self, safe=True, helpers={})


class Readings:
    """The writer of random expressions that read a state. `fresh` numbers the names that comprehensions bind."""

    def __init__(self, rng: Random, types: Types) -> None:
        self.rng, self.types, self.fresh = rng, types, 0

    def name(self, letter: str) -> str:
        self.fresh += 1
        return f"{letter}{self.fresh}"

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def integer(self, of: Type) -> str:
        if of.spelling == "Wide":
            return self.rng.choice(("0", "7", "65535", "999999", of.high if of.high.isdigit() else "1", of.low))
        return self.rng.choice(("0", "1", "1", "2", "0" if of.low == "0" else "-1"))

    def read(self, of: Type, scope: Scope) -> str:
        """A variable, local name, field, element or constant of this type."""
        options = [expression for expression, known in self.readings(scope) if same(known, of)]
        if of.kind == "int":
            options += [f"self.{name}" for name, type_, _ in self.types.constants if type_ == "int"]
        if not options:
            raise Impossible(of.spelling)
        return self.rng.choice(options)

    def readings(self, scope: Scope) -> list[tuple[str, Type]]:
        """Everything that can be read, with its type; maps, bags and channels by what is in them."""
        roots = [(name, of) for name, of in scope.locals.items()]
        for name, of in scope.variables.items():
            roots.append((f"self.{name}", of))
            if scope.before and self.chance(0.5):
                roots.append((f"before.{name}", of))
        return [each for expression, of in roots for each in self._within(expression, of, scope, 3)]

    def _within(self, expression: str, of: Type, scope: Scope, depth: int) -> list[tuple[str, Type]]:
        if of.kind in ("map", "channels"):
            try:
                key = self.key(of.parts[0], scope)
            except Impossible:
                return []
            value = of.element if of.kind == "map" else Type("seq", "", (of.element,), high=of.high)
            return self._within(f"{expression}[{key}]", value, scope, depth - 1)
        known = [(expression, of)]
        if of.kind == "record" and depth:
            for field_name, inner in zip(of.names, of.parts, strict=True):
                known += self._within(f"{expression}.{field_name}", inner, scope, depth - 1)
        if of.kind == "union" and depth and all(inner.kind == "record" for inner in of.parts):
            fields = [dict(zip(inner.names, inner.parts, strict=True)) for inner in of.parts]
            for name, inner in fields[0].items():
                if all(each.get(name) == inner for each in fields):
                    known += self._within(f"{expression}.{name}", inner, scope, depth - 1)
        if of.kind == "seq" and not scope.safe and self.types.has("errors") and self.chance(0.1):
            known += self._within(f"{expression}[{self.rng.choice(('0', '1', '-1'))}]", of.element, scope, 0)
        return known

    def key(self, of: Type, scope: Scope) -> str:
        """A key of a map that is surely there: nothing computed."""
        options = [n for n, known in scope.locals.items() if same(known, of) and known.spelling == of.spelling]
        options += [f"self.{n}" for n, known in scope.variables.items() if known.spelling == of.spelling]
        if of.kind == "enum":
            options.append(f"{of.spelling}.{self.rng.choice(of.names)}")
        if of.kind == "int" and of.is_flat:
            options.append("0")
            if not scope.safe and self.types.has("errors") and self.chance(0.1):
                options = [self.integer(of), f"{self.positive(replace(scope, safe=True))} - 1"]
        if of.kind == "union":
            options += [self.key(inner, scope) for inner in of.parts]
        if of.kind == "record":
            options.append(
                f"{of.spelling}({', '.join(self.key(each, scope) for each in of.parts)})"
                if all(p != BOOL for p in of.parts)
                else ""
            )
        options = [o for o in options if o]
        if not options:
            raise Impossible(of.spelling)
        return self.rng.choice(options)

    def source(self, scope: Scope, depth: int, ordered: bool = False) -> tuple[str, Type, bool]:
        """The source that a comprehension runs over, the type of its elements, and whether its order is known."""
        options: list[tuple[str, Type, bool]] = [(s.spelling, s, True) for s in (*self.types.sorts, *self.types.enums)]
        for expression, of in self.readings(scope):
            if of.kind == "seq":
                options += [(expression, of.element, True)] * 2
            if of.kind == "set" and not ordered:
                options += [(expression, of.element, False)] * 2
        if not ordered:
            bags = [(f"self.{n}", v.element, False) for n, v in scope.variables.items() if v.kind == "bag"]
            options += bags * 2
            if self.types.has("subsets") and self.chance(0.3):
                sort = self.rng.choice(self.types.sorts)
                options.append((f"subsets({sort.spelling})", self.types.set_of(sort), True))
        plain = [t for t in self.types.ints if t.is_flat]
        if plain and self.chance(0.3):
            options.append((f"range({self.positive(scope)})", INT, True))
            options += [(f"frozenset({{{self.positive(scope)} - 1}})", INT, False)] * (not ordered)
        return self.rng.choice(options)

    def positive(self, scope: Scope) -> str:
        """An integer that isrcheck knows not to be negative."""
        options = ["1", "2"] + [f"len({t})" for t, of in self.readings(scope) if of.kind in ("seq", "set")]
        options += [
            t for t, of in self.readings(scope) if of.kind == "int" and of.low == "0" and of.is_flat and of is not INT
        ]
        return self.rng.choice(options)


def same(known: Type, of: Type) -> bool:
    if known.kind == "int" and of.kind == "int":
        return True
    return known.kind == of.kind and (
        known.spelling == of.spelling or (known.kind in ("seq", "set") and same(known.element, of.element))
    )
