"""The variables of a random model, their initial values, and the heads of its methods."""

from collections.abc import Callable, Mapping
from random import Random

from tools.fuzz.expressions import Expressions
from tools.fuzz.readings import Impossible, Scope
from tools.fuzz.types import BOOL, Type, Types

NOTHING: Mapping[str, Type] = {}


class Declared:
    """The names that the methods of one model can use."""

    def __init__(self, rng: Random, features: frozenset[str]) -> None:
        self.rng, self.features = rng, features
        self.types = Types(rng, features)
        self.pen = Expressions(rng, self.types)
        self.variables: dict[str, tuple[Type, str]] = {}
        self.histories: set[str] = set()
        self.helpers: dict[str, tuple[list[Type], Type]] = {}
        self.effects: dict[str, list[Type]] = {}
        self.actions: dict[str, dict[str, Type]] = {}
        self.methods: dict[str, list[str]] = {}

    def has(self, feature: str) -> bool:
        return feature in self.features

    def _declare_variables(self) -> None:
        types = [self.types.value() for _ in range(self.rng.choice((1, 2, 3)))] + [self.types.map()] * self.rng.choice(
            (0, 1, 1)
        )
        words = {"network": "Network", "bag": "Bag", "channels": "Channels"}
        types += [self.types.in_flight(container) for feature, container in words.items() if self.has(feature)]
        types += [self.types.set_in_slots()] if self.has("slots") else []
        for of in [*types, self.types.ints[0], BOOL]:
            try:
                self.variables[f"v{len(self.variables)}"] = of, self._first(of)
            except Impossible:
                continue
        if self.has("history"):
            of = self.rng.choice((BOOL, self.types.ints[0]))
            self.variables["past"] = of, f"history({self._plain(of)})"
            self.histories = {"past"}

    def _first(self, of: Type) -> str:
        if of.kind == "int" and self.rng.random() < 0.2:
            return f'start("max(0, min({of.high}, 1))")'
        if of.kind == "set" and of.element.kind in ("sort", "enum") and self.rng.random() < 0.5:
            return f"members({of.element.spelling})"
        if of.kind == "map":
            return f"each({of.parts[0].spelling}, {self._first(of.parts[1])})"
        if of.kind in ("bag", "channels"):
            return f"{(of.names or ('Channels',))[0]}()"
        if of.kind == "record":
            return f"{of.spelling}({', '.join(self._plain(each) for each in of.parts)})"
        if of.kind == "union":
            return self._plain(self.rng.choice(of.parts))
        return self._plain(of)

    def _plain(self, of: Type) -> str:
        """A value that may stand outside methods."""
        match of.kind:
            case "int" | "bool":
                return "0" if of.kind == "int" else self.rng.choice(("False", "True"))
            case "record":
                return f"{of.spelling}({', '.join(self._plain(each) for each in of.parts)})"
            case "sort" if "symmetric" not in of.names and not self.has("empty"):
                return f"{of.spelling}[0]"
            case "sort":
                raise Impossible(of.spelling)
        return self.pen.literal(of, Scope({}))

    def scope(self, names: Mapping[str, Type] = NOTHING, histories: bool = False) -> Scope:
        variables = {n: t for n, (t, _) in self.variables.items() if histories or n not in self.histories}
        return Scope(variables, dict(names), helpers=dict(self.helpers))

    def _parameters(self, most: int) -> dict[str, Type]:
        options: list[Callable[[], Type]] = [
            self.types.small,
            self.types.small,
            lambda: self.rng.choice(self.types.sorts),
        ]
        if self.has("optional"):
            options.append(lambda: self.types.optional(self.types.small()))
        if self.has("set") and self.has("subsets"):
            options.append(lambda: self.types.set_of(self.rng.choice(self.types.sorts)))
        if self.types.records or self.types.unions:
            options.append(lambda: self.rng.choice((*self.types.records, *self.types.unions)))
        in_flight = [t.element for t, _ in self.variables.values() if t.kind == "bag" or (t.kind == "set" and t.high)]
        if in_flight:
            options += [lambda: self.rng.choice(in_flight)] * 2
        chosen = [self.rng.choice(options)() for _ in range(self.rng.choice((0, 1, 1, 2)[: most + 2]))]
        large = next((p for p in chosen if p.spelling == "Packet"), None)
        return {f"p{i}": p for i, p in enumerate([large] if large else chosen)}

    def _method(
        self,
        mark: str,
        name: str,
        parameters: dict[str, Type],
        body: Callable[[Scope], list[str]],
        returns: str = "None",
        extra: str = "",
    ) -> None:
        scope = self.scope(parameters)
        lines = body(scope)
        given = "".join(f", {n}: {t.spelling}" for n, t in parameters.items())
        head = ["", *([mark] if mark else []), f"def {name}(self{given}{extra}) -> {returns}:"]
        self.methods[name] = head + ["    " + line for line in lines or ["pass"]]
