"""The types of a random model: what a declaration says, and how values of each are written."""

from dataclasses import dataclass, field
from random import Random

FEATURES = [
    "constants_given",
    "negative",
    "wide",
    "enum",
    "optional",
    "record",
    "union",
    "seq",
    "set",
    "nested",
    "network",
    "bag",
    "channels",
    "slots",
    "slots_everywhere",
    "initial",
    "history",
    "policy",
    "helper",
    "effect",
    "step",
    "taken",
    "reachable",
    "temporal",
    "fair_strong",
    "refinement",
    "constraint",
    "step_constraint",
    "symmetric",
    "empty",
    "errors",
    "match",
    "subsets",
]


@dataclass(frozen=True)
class Type:
    """A type of the language. `spelling` is its annotation; ints have bounds, others parts: elements, keys, fields."""

    kind: str
    spelling: str
    parts: tuple["Type", ...] = ()
    names: tuple[str, ...] = ()  # of fields, or members of an enumeration
    low: str = "0"
    high: str = ""
    inner: str = field(default="", compare=False)

    @property
    def is_flat(self) -> bool:
        """Whether its values can be listed and are few."""
        return self.kind in ("bool", "int", "enum", "sort") and self.spelling not in ("Wide", "Name")

    @property
    def element(self) -> "Type":
        return self.parts[-1]


BOOL = Type("bool", "bool")
INT = Type("int", "int")  # of local names and of what is computed


class Types:
    """The declarations of one model: constants, sorts, enumerations, integers, records and what is made of them."""

    def __init__(self, rng: Random, features: frozenset[str]) -> None:
        self.rng, self.features = rng, features
        self.constants: list[tuple[str, str, str]] = []  # name, type, declaration
        self.values: dict[str, object] = {}
        self.lines: list[str] = []
        self.sorts: list[Type] = []
        self.enums: list[Type] = []
        self.ints: list[Type] = []
        self.records: list[Type] = []
        self.unions: list[Type] = []
        self._declare()

    def has(self, feature: str) -> bool:
        return feature in self.features

    def _declare(self) -> None:
        for number in range(self.rng.choice((1, 1, 2))):
            self._sort(number)
        if self.has("enum"):
            self._enum()
        for number in range(self.rng.choice((1, 2, 2))):
            self._int(number)
        if self.has("slots_everywhere"):
            self._int_type("Third", "0", "2")  # of no power of two: the code in a slot is not the position
        if self.has("wide"):
            low = self.rng.choice(("0", "-4294967296", "-70000"))
            high = self.rng.choice(("1000000", "4294967296", "1099511627776"))
            self._int_type("Wide", low, high)
        if self.has("record") or self.has("network") or self.has("channels"):
            self._record("Pair", "NamedTuple")
        if self.has("union"):
            self._union()

    def _constant(self, name: str, value: int, at_least: int = 0) -> None:
        self.constants.append((name, "int", f'constant({value}, "a number", at_least={at_least})'))
        if self.has("constants_given") and self.rng.random() < 0.8:
            self.values[name] = self.rng.choice((1, 1, 2, 3)) if at_least else self.rng.choice((0, 1, 2, 2))

    def _sort(self, number: int) -> None:
        name, size = ("Node", "Disk")[number], ("nodes", "disks")[number]
        small = self.rng.choice((0, 0, 1)) if self.has("empty") else self.rng.choice((1, 2, 2, 3))
        self._constant(size, small)
        if size in self.values and not self.has("empty"):
            self.values[size] = self.rng.choice((1, 2))
        shape = self.rng.choice((size, size, size, f"max({size} - 1, 0)", f"min({size} + 1, 2)", f"{size} * 2 // 2"))
        symmetric = self.has("symmetric") and self.rng.random() < 0.8
        self.lines += [
            "",
            "",
            f'class {name}(Sort, size="{shape}"{", symmetric=True" if symmetric else ""}):',
            '    """Members."""',
        ]
        self.sorts.append(Type("sort", name, names=("symmetric",) if symmetric else ()))

    def _enum(self) -> None:
        members = ("RED", "GREEN", "BLUE")[: self.rng.choice((1, 2, 3))]
        self.lines += ["", "", "class Color(Enum):"] + [f'    {m} = "{m.lower()}"' for m in members]
        self.enums.append(Type("enum", "Color", names=members))

    def _int(self, number: int) -> None:
        name, bound = ("Count", "Place")[number], ("most", "places")[number]
        self._constant(bound, self.rng.choice((1, 2, 3)), self.rng.choice((0, 0, 1)))
        low = self.rng.choice(("-1", "-2", f"-{bound}", f"0 - {bound}")) if self.has("negative") else "0"
        high = self.rng.choice((bound, bound, f"{bound} + 1", f"min({bound}, 2)", f"2 * {bound} // 2", "2"))
        self._int_type(name, low, high)

    def _int_type(self, name: str, low: str, high: str) -> None:
        bound = f'UpTo("{high}")' if low == "0" else f'Between("{low}", "{high}")'
        self.lines.append(f"{name} = Annotated[int, {bound}]")
        self.ints.append(Type("int", name, low=low, high=high))

    def small(self) -> Type:
        """A type of few values."""
        return self.rng.choice((BOOL, *self.sorts, *self.enums, *[t for t in self.ints if t.is_flat]))

    def _record(self, name: str, base: str) -> Type:
        fields = {n: self.small() for n in ("a", "b", "c")[: self.rng.choice((1, 2, 2))]}
        if self.has("slots_everywhere") and self.rng.random() < 0.5:
            fields["b"] = next(of for of in self.ints if of.spelling == "Third")
        if base == "NamedTuple" and self.has("optional") and self.rng.random() < 0.3:
            fields["b"] = self.optional(self.small())
        self.lines += ["", "", f"class {name}({base}):"] + [f"    {n}: {t.spelling}" for n, t in fields.items()]
        record = Type("record", name, tuple(fields.values()), tuple(fields))
        if base == "NamedTuple":
            self.records.append(record)
            if self.has("nested") and name == "Pair":
                self.lines += ["", "", "class Outer(NamedTuple):", "    p: Pair", "    q: bool"]
                self.records.append(Type("record", "Outer", (record, BOOL), ("p", "q")))
        return record

    def _union(self) -> None:
        parts = [self._record(name, "Record") for name in ("Ask", "Reply", "Halt")[: self.rng.choice((2, 3))]]
        atoms = [t for t in (*self.sorts, *self.enums) if not t.names or t.kind == "enum"]
        if atoms and self.rng.random() < 0.25:
            parts.append(self.rng.choice(atoms))
        self._sum("Message", parts)
        if len(parts) > 2 and self.rng.random() < 0.5:
            self._sum("Some", self.rng.sample(parts, 2))
        if self.has("nested"):
            inner = self.rng.choice((*self.unions, self.optional(self.unions[0])))
            self.lines += ["", "", "class Cover(Record):", f"    m: {inner.spelling}", "    q: bool"]
            self.records.append(Type("record", "Cover", (inner, BOOL), ("m", "q")))

    def _sum(self, name: str, parts: list[Type]) -> Type:
        self.lines += ["", "", f"{name} = {' | '.join(p.spelling for p in parts)}"]
        self.unions.append(Type("union", name, tuple(parts)))
        return self.unions[-1]

    def relatives(self, of: Type) -> list[Type]:
        """The types of which a value may be equal to one of this type: it, its classes, and what it is a class of."""
        inner = of.parts[0] if of.kind == "opt" else of
        parts = inner.parts if inner.kind == "union" else ()
        sums = [u for u in self.unions if {*(parts or (inner,))} & {*u.parts}]
        options = [inner, *parts, *sums]
        return [of, *options, *(map(self.optional, options) if self.has("optional") else ())]

    def optional(self, of: Type) -> Type:
        return Type("opt", f"{of.spelling} | None", (of,))

    def value(self) -> Type:
        """A type of a variable or of a map's values."""
        options: list[Type] = [self.small(), self.small(), *self.ints, *self.records, *self.unions]
        if self.has("optional"):
            options += [self.optional(self.rng.choice((self.small(), *self.sorts, *self.records, *self.unions)))] * 2
        if self.has("seq"):
            of = self.rng.choice((self.small(), *self.records, *self.unions, *self.ints))
            options += [self.sequence(of)] * 2
        if self.has("set"):
            of = self.rng.choice((self.small(), *self.records, *self.unions))
            options += [self.set_of(self.rng.choice((of, *self.relatives(of))))] * 2
        return self.rng.choice(options)

    def sequence(self, of: Type) -> Type:
        bound = self.rng.choice(("1", "2", self.constants[-1][0]))
        return Type("seq", f'Annotated[tuple[{of.spelling}, ...], UpTo("{bound}")]', (of,), high=bound)

    def set_of(self, of: Type) -> Type:
        return Type("set", f"frozenset[{of.spelling}]", (of,))

    def key(self) -> Type:
        records = [r for r in self.records if r.spelling == "Pair" and all(p.is_flat for p in r.parts)]
        plain = [t for t in self.ints if t.is_flat]
        options: list[Type] = [*self.sorts, *self.sorts, *self.enums, *plain]
        return self.rng.choice(options + ([*records, *self.unions] if self.has("nested") else []))

    def map(self) -> Type:
        key, value = self.key(), self.value()
        if self.has("nested") and self.rng.random() < 0.5:
            value = Type("map", f"dict[{(inner := self.key()).spelling}, {value.spelling}]", (inner, value))
        return Type("map", f"dict[{key.spelling}, {value.spelling}]", (key, value))

    def message(self) -> Type:
        return self.rng.choice((*self.unions, *self.unions, *self.records, self.small()))

    def in_flight(self, container: str) -> Type:
        """A network, bag or channels, with what holds a number of messages."""
        of = self.message()
        bound = self.rng.choice(("1", "2"))
        if container == "Channels":
            key = self.rng.choice((*self.sorts, *self.enums))
            return Type(
                "channels",
                f'Annotated[Channels[{key.spelling}, {of.spelling}], UpTo("{bound}")]',
                (key, of),
                high=bound,
            )
        return Type(
            "bag", f'Annotated[{container}[{of.spelling}], UpTo("{bound}")]', (of,), names=(container,), high=bound
        )

    def large(self) -> Type:
        """A record of so many values that engines keep a set of it in slots, or a sum of two."""
        is_sum = self.has("union") and self.rng.random() < 0.6
        self._int_type("Name", "0", "8" if is_sum else "40")
        name = self.ints.pop()
        self.lines += ["", "", f"class Packet({'Record' if is_sum else 'NamedTuple'}):", "    at: Name", "    to: Name"]
        packet = Type("record", "Packet", (name, name), ("at", "to"))
        if not is_sum:
            return packet
        self.lines += ["", "", "class Notice(Record):", "    late: bool"]
        return self._sum("Letter", [packet, Type("record", "Notice", (BOOL,), ("late",))])

    def sets_in_slots(self) -> list[Type]:
        """A set of so many possible elements that engines keep it in slots, and what may be asked about it."""
        of = self.large()
        if of.kind == "record":
            return [Type("set", 'Annotated[frozenset[Packet], UpTo("2")]', (of,), high="2")]
        element = self.rng.choice((of, of, of.parts[0], self.optional(of)))
        bound = self.rng.choice(("2", "2", ""))
        return self._set_and_asked(element, bound)

    def set_of_a_sum(self) -> list[Type]:
        """A set of a sum, of one of its classes, or of either or None, and what may be asked about it."""
        of = self.rng.choice(self.unions)
        return self._set_and_asked(self.rng.choice(self.relatives(of)), self.rng.choice(("1", "2", "")))

    def _set_and_asked(self, element: Type, bound: str) -> list[Type]:
        spelling = f"frozenset[{element.spelling}]"
        spelling = f'Annotated[{spelling}, UpTo("{bound}")]' if bound else spelling
        asked = [self.rng.choice(self.relatives(element)) for _ in range(self.rng.choice((1, 1, 2)))]
        asked += [self.set_of(self.rng.choice(self.relatives(element)))] * (self.rng.random() < 0.3)
        return [Type("set", spelling, (element,), high=bound), *asked]
