"""Random statements."""

from tools.random_models.expressions import Expressions
from tools.random_models.names import BOOL, COLOR, COLORS, SMALL, TINY, Type


def indent(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


class Writer(Expressions):
    """The statements of one method."""

    def body(self, length: int, depth: int = 2) -> list[str]:
        lines: list[str] = []
        for _ in range(length):
            lines += self.statement(depth)
        return lines

    def target(self, name: str = "") -> tuple[str, Type] | None:
        """A variable or a part of a map to write to."""
        stop_percent = 0 if name else 15
        name = name or self.pen.pick([n for n in self.names.variables if n not in self.names.histories])
        t, path = self.names.variables[name], f"self.{name}"
        while t.kind == "map" and not self.pen.chance(stop_percent):
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
            return [f"if {test}:", *indent(then), *([inner, *indent(other)] if other else [])]
        if form == 2 and depth == 2:
            t = pen.pick([SMALL, BOOL, COLOR, *(v for v in self.names.variables.values() if v.kind != "map")])
            if self.possible(t):
                name, value = self.names.fresh("y"), self.expression(t, 2, stored=True)
                self.scope = [*self.scope, (name, t)]
                return [f"{name}: {t.annotation} = {value}" if self.pen.chance(30) else f"{name} = {value}"]
        if form == 3 and self.names.effects:
            method = pen.pick(self.names.effects)
            if all(self.possible(p) for _, p in method.parameters):
                given = ", ".join(self.expression(p, 1, stored=True) for _, p in method.parameters)
                return [f"self.{method.name}({given})"]
        if form == 4 and self.names.histories:
            return self.write_history()
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
        changes = self.list_changes(path, t)
        return [self.pen.pick(changes)] if changes else self.assignment(path, t)

    def list_changes(self, path: str, t: Type) -> list[str]:
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

    def write_history(self) -> list[str]:
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
        changes = self.write_mapping(t)
        return [f"{path} = {changes}"] if changes else ["pass"]

    def write_mapping(self, t: Type) -> str | None:
        assert t.key is not None
        if t.key.kind == "bool":
            return None
        name = self.names.fresh("k")
        source = t.key.annotation if t.key.kind != "int" else f"range({t.key.bound} + 1)"
        with self.add_to_scope((name, t.key)):
            if t.inner.kind == "map":
                value = self.write_mapping(t.inner)
            else:
                value = self.expression(t.inner, 1, stored=True) if self.possible(t.inner) else None
        return f"{{{name}: {value} for {name} in {source}}}" if value else None
