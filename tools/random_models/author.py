"""Random modules: their types, a base model with a policy to fill, and the variant that fills it."""

from collections.abc import Sequence
from functools import cache

from hypothesis import strategies as st
from tools.random_models.loading import HEADER
from tools.random_models.names import (
    BOOL,
    COLOR,
    COLORS,
    INT,
    NODE,
    PEER,
    SMALL,
    TINY,
    Method,
    Names,
    Pen,
    Type,
    map_of,
    option,
    parts_of,
    set_of,
)
from tools.random_models.statements import Writer, indent


def _reachable_policy(policy: Method) -> list[str]:
    """Write a property that asks a policy which nothing else asks: the reader refuses that."""
    over = {"Small": "range(self.top + 1)", "Node": "Node", "Color": "Color"}
    names = [f"q{n}" for n in range(len(policy.parameters))]
    clauses = "".join(f" for {q} in {over[t.annotation]}" for q, (_, t) in zip(names, policy.parameters, strict=True))
    asked = f"self.{policy.name}({', '.join(names)})"
    return [
        "",
        "@reachable",
        "def decided(self) -> bool:",
        f"    return {f'any({asked}{clauses})' if names else asked}",
    ]


def _list_called(helpers: dict[str, list[str]], lines: list[str]) -> list[str]:
    """The lines of the helpers that these lines call, or other such helpers: the reader refuses the others."""
    calling, used = "\n".join(lines), list[str]()
    for name in reversed(helpers):  # a helper calls those before it
        if f"self.{name}(" in calling or f"before.{name}(" in calling:
            used.append(name)
            calling += "\n".join(helpers[name])
    return [line for name in reversed(used) for line in helpers[name]]


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
            base += _reachable_policy(self.decision)
        base = [*declarations, *_list_called(helpers, [*base, *variant]), *base]
        return "\n".join(
            [*self.types(), *self.functions_text, "", "", "class Base(Model):", *indent(base), *variant, ""]
        )

    def types(self) -> list[str]:
        records = [
            [f"class {r.annotation}(NamedTuple):", *indent([f"{n}: {of.annotation}" for n, of in r.fields]), "", ""]
            for r in (self.record, self.held)
        ]
        head = HEADER.rstrip("\n").split("\n")
        sorts = ['class Node(Sort, size="nodes"):', '    """Two of a kind."""', "", ""]
        sorts += ['class Peer(Sort, size="2"):', '    """Others."""', "", ""]
        sorts += ["class Color(Enum):", '    RED = "red"', '    GREEN = "green"', '    BLUE = "blue"', "", ""]
        aliases = ['Small = Annotated[int, UpTo("top")]', "Tiny = Annotated[int, UpTo(1)]", "", ""]
        sequences = [
            'Notes = Annotated[tuple[Note, ...], UpTo("room")]',
            f'Numbers = Annotated[tuple[{self.numbers.inner.annotation}, ...], UpTo("room + 1")]',
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
            lines.append(f"{name}: {t.annotation} = {value}  # {t.kind}")
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
                return f"{t.annotation}({', '.join(self.initial(of) for _, of in t.fields)})"
            case "sequence":
                return "()"
            case "set":
                listed = t.inner.kind in ("sort", "enum") and pen.chance(50)
                return f"members({t.inner.annotation})" if listed else "frozenset()"
        assert t.key is not None
        return f"each({t.key.annotation}, {self.initial(t.inner)})"

    # Methods

    def parameters(self, writer: Writer, menu: Sequence[Type], most: int) -> tuple[tuple[str, Type], ...]:
        drawn = tuple((self.names.fresh("p"), self.pen.pick(menu)) for _ in range(self.pen.between(0, most)))
        writer.scope = [*writer.scope, *drawn]
        return drawn

    def head(self, name: str, mark: str, parameters: Sequence[tuple[str, Type]], returns: str) -> list[str]:
        given = ", ".join(["self", *(f"{n}: {t.annotation}" for n, t in parameters)])
        return ["", *([f"@{mark}"] if mark else []), f"def {name}({given}) -> {returns}:"]

    def write_returns(self, writer: Writer, t: Type) -> list[str]:
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
        bodies: dict[str, list[str]] = {}
        plain = [SMALL, BOOL, COLOR, NODE, option(SMALL), self.record, option(self.record), self.notes, set_of(NODE)]
        results = [INT, BOOL, BOOL, COLOR, self.record, set_of(NODE), option(self.record)]
        for _ in range(pen.between(0, 2)):
            writer = Writer(pen, names, "helper")
            method = Method(names.fresh("helper"), self.parameters(writer, plain, 2), pen.pick(results))
            assert method.returns is not None
            head = self.head(method.name, "", method.parameters, method.returns.annotation)
            bodies[method.name] = [*head, *indent(self.write_returns(writer, method.returns))]
            names.pure.append(method)
        if pen.chance(40):
            writer = Writer(pen, names, "function")
            alone = [t for t in plain if t.kind != "sort"]
            method = Method(
                names.fresh("function"), self.parameters(writer, alone, 2), pen.pick([INT, BOOL, COLOR]), True
            )
            assert method.returns is not None
            given = ", ".join(f"{n}: {t.annotation}" for n, t in method.parameters)
            self.functions_text += ["", "", f"def {method.name}({given}) -> {method.returns.annotation}:"]
            self.functions_text += indent(self.write_returns(writer, method.returns))
            names.pure.append(method)
        if pen.chance(60):
            writer = Writer(pen, names, "effect")
            method = Method(names.fresh("effect"), self.parameters(writer, [SMALL, BOOL, NODE, COLOR], 2))
            head = self.head(method.name, "", method.parameters, "None")
            bodies[method.name] = [*head, *indent(writer.body(pen.between(1, 2)))]
            names.effects.append(method)
        return bodies

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
        lines = [*self.head("decide", "", filled.parameters, "bool"), *indent(self.write_returns(writer, BOOL))]
        self.names.pure.append(filled)
        return lines

    def action(self, name: str) -> list[str]:
        pen = self.pen
        writer = Writer(pen, self.names, "action")
        menu = [NODE, SMALL, TINY, COLOR, BOOL, option(NODE), PEER, set_of(PEER), self.held, option(TINY)]
        changed = pen.pick([n for n in self.names.variables if n not in self.names.histories])
        wanted = [
            t for t in parts_of(self.names.variables[changed]) if t.kind in ("sort", "int", "bool", "enum", "option")
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
        return [*lines, *indent([*guards, *body])]

    def properties(self, prefix: str) -> list[str]:
        lines: list[str] = []
        for number, mark in enumerate(("invariant", "reachable")):
            writer = Writer(self.pen, self.names, "property")
            lines += [*self.head(f"{prefix}_{number}", mark, (), "bool"), *indent(self.write_returns(writer, BOOL))]
        writer = Writer(self.pen, self.names, "step")
        if self.pen.chance(50):
            taken = self.pen.pick(self.names.actions)
            head = f"def {prefix}_step(self, before: Self, taken: Taken) -> bool:"
            known = [(f"taken.{n}", t) for n, t in taken.parameters]
            with writer.add_to_scope(*known):
                body = [f'return taken.action != "{taken.name}" or {writer.condition(2)}']
        else:
            head = f"def {prefix}_step(self, before: Self) -> bool:"
            body = self.write_returns(writer, BOOL)
        return [*lines, "", "@step", head, *indent(body)]

    def variant(self) -> list[str]:
        lines = ['"""Fills what is open."""']
        lines += self.policy(self.decision)
        if self.pen.chance(40):
            lines += self.action("extra")
        if self.pen.chance(40):
            lines += self.properties("own")
        return ["", "", "class Chosen(Base):", *indent(lines)]


@cache
def _below(n: int) -> st.SearchStrategy[int]:
    return st.integers(0, n - 1)


@st.composite
def models(draw: st.DrawFn) -> str:
    """The source text of a model."""
    return Author(Pen(lambda n: draw(_below(n)))).write()
