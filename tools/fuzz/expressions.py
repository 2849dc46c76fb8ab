"""Random expressions of a type, in the names that are in scope."""

from collections.abc import Callable
from contextlib import suppress

from tools.fuzz.readings import Impossible, Readings, Scope, same
from tools.fuzz.types import BOOL, INT, Type

Writer = Callable[[], str]


class Expressions(Readings):
    """Writes expressions. `fresh` gives names of their own to what comprehensions run over."""

    def write(self, of: Type, scope: Scope, depth: int = 2) -> str:
        """An expression of this type. Raises Impossible."""
        writers = self._writers(of, scope, depth)
        self.rng.shuffle(writers)
        for write in writers:
            try:
                return write()
            except Impossible:
                continue
        raise Impossible(of.spelling)

    def _writers(self, of: Type, scope: Scope, depth: int) -> list[Writer]:
        simple: list[Writer] = [lambda: self.read(of, scope)] * 3 + [lambda: self.literal(of, scope)]
        if depth <= 0:
            return simple if self.chance(0.8) else simple[:1] + simple[3:]
        deeper: list[Writer] = getattr(self, f"_{of.kind}")(of, scope, depth - 1)
        deeper.append(lambda: self._conditional(of, scope, depth - 1))
        deeper += [lambda: self._call(of, scope, depth - 1)] * (2 if scope.helpers else 0)
        if of.kind in ("bool", "int"):
            return simple[:1] + deeper
        return simple + deeper

    def literal(self, of: Type, scope: Scope) -> str:
        """A value, as plain as there is. Raises Impossible for a sort."""
        match of.kind:
            case "bool":
                return self.rng.choice(("True", "False"))
            case "int":
                return self.integer(of)
            case "enum":
                return f"{of.spelling}.{self.rng.choice(of.names)}"
            case "opt":
                return "None"
            case "seq":
                return "()"
            case "set":
                return "frozenset()"
            case "record":
                return f"{of.spelling}({', '.join(self.write(each, scope, 0) for each in of.parts)})"
            case "union":
                return self.literal(self.rng.choice(of.parts), scope)
            case "sort" if (
                "symmetric" not in of.names and not scope.safe and self.types.has("errors") and self.chance(0.2)
            ):
                return f"{of.spelling}[{self.rng.choice('001')}]"
        raise Impossible(of.spelling)

    def comprehension(
        self, scope: Scope, depth: int, element: Callable[[Scope, str, Type], str], ordered: bool = False
    ) -> str:
        """Return `element for x in source if condition`; one in two has a condition."""
        expression, of, is_ordered = self.source(scope, depth, ordered)
        name = self.name("x")
        inner = scope.inside(**{name: of})
        if not is_ordered:
            inner = inner.safely()
        condition = f" if {self.write(BOOL, inner, min(depth, 1))}" if self.chance(0.5) else ""
        return f"{element(inner, name, of)} for {name} in {expression}{condition}"

    def ask(self, scope: Scope) -> str:
        """Whether something that can be read, which may be of several classes, is in a set. Raises Impossible."""
        readings = self.readings(scope)
        pairs = [
            f"{value} in {expression}"
            for expression, of in readings
            if of.kind == "set" and of.element.kind in ("record", "union", "opt")
            for value, known in readings
            if known in self.types.relatives(of.element)
        ]
        if not pairs:
            raise Impossible
        return self.rng.choice(pairs)

    def relate(self, of: Type) -> Type:
        """The type, or in one case of three another whose values may be equal to its own."""
        return self.rng.choice(self.types.relatives(of)) if self.chance(0.35) else of

    def narrow(self, of: Type, scope: Scope, depth: int) -> str:
        """A union where it is of this class, else another value."""
        unions = [t for t, k in self.readings(scope) if k.kind == "union" and of in k.parts and "[" not in t]
        if not unions:
            raise Impossible(of.spelling)
        expression = self.rng.choice(unions)
        return f"({expression} if isinstance({expression}, {of.spelling}) else {self.write(of, scope, depth)})"

    def _conditional(self, of: Type, scope: Scope, depth: int) -> str:
        names = [(t, known) for t, known in self.readings(scope) if known.kind == "opt" and same(known.parts[0], of)]
        plain = [(t, known) for t, known in names if "[" not in t]
        if plain and self.chance(0.7):
            expression, _ = self.rng.choice(plain)
            return f"({expression} if {expression} is not None else {self.write(of, scope, depth)})"
        elements = [(t, k) for t, k in self.readings(scope) if k.kind == "seq" and same(k.element, of)]
        if elements and self.chance(0.7):
            expression, _ = self.rng.choice(elements)
            place, least = self.rng.choice((("0", "0"), ("-1", "0"), ("1", "1")))
            return f"({expression}[{place}] if len({expression}) > {least} else {self.write(of, scope, depth)})"
        return (
            f"({self.write(of, scope, depth)} if {self.write(BOOL, scope, depth)} else {self.write(of, scope, depth)})"
        )

    def _call(self, of: Type, scope: Scope, depth: int) -> str:
        helpers = [(n, given) for n, (given, returned) in scope.helpers.items() if same(returned, of)]
        if not helpers:
            raise Impossible(of.spelling)
        name, given = self.rng.choice(helpers)
        return f"{name}({', '.join(self.argument(each, scope) for each in given)})"

    def argument(self, of: Type, scope: Scope) -> str:
        return self.key(of, scope) if of.kind == "int" else self.write(of, scope, 0)

    def _bool(self, of: Type, scope: Scope, depth: int) -> list[Writer]:
        def write(kind: Type) -> str:
            return self.write(kind, scope, depth)

        def compare() -> str:
            return f"{write(INT)} {self.rng.choice(('<', '<=', '>', '>=', '==', '!='))} {write(INT)}"

        def equal() -> str:
            known = [(t, k) for t, k in self.readings(scope) if k.kind not in ("seq", "bag")]
            if not known:
                raise Impossible
            expression, kind = self.rng.choice(known)
            other = self.relate(kind)
            return f"{expression} {self.rng.choice(('==', '!='))} {in_brackets(other, self.write(other, scope, depth))}"

        def contains() -> str:
            known = [(t, k.element) for t, k in self.readings(scope) if k.kind in ("set", "seq", "bag")]
            if not known:
                raise Impossible
            expression, element = self.rng.choice(known)
            element = self.relate(element)
            value = in_brackets(element, self.write(element, scope, depth))
            return f"{value} {self.rng.choice(('in', 'not in'))} {expression}"

        def contains_listed() -> str:
            known = [(t, k) for t, k in self.readings(scope) if k.kind in ("record", "union", "opt", "enum")]
            if not known:
                raise Impossible
            expression, kind = self.rng.choice(known)
            listed = ", ".join(self.write(self.relate(kind), scope, 0) for _ in range(2))
            return f"{expression} in frozenset({{{listed}}})"

        def subset() -> str:
            known = [(t, k) for t, k in self.readings(scope) if k.kind == "set"]
            if not known:
                raise Impossible
            expression, kind = self.rng.choice(known)
            other = self.types.set_of(self.relate(kind.element))
            return f"{expression} {self.rng.choice(('<', '<=', '>=', '>', '=='))} {self.write(other, scope, depth)}"

        def is_none() -> str:
            known = [t for t, k in self.readings(scope) if k.kind == "opt"]
            if not known:
                raise Impossible
            return f"{self.rng.choice(known)} is {self.rng.choice(('', 'not '))}None"

        def instance() -> str:
            known = [(t, k) for t, k in self.readings(scope) if k.kind == "union"]
            if not known:
                raise Impossible
            expression, kind = self.rng.choice(known)
            record = self.rng.choice(kind.parts)
            if "[" not in expression and record.names and record.kind == "record" and self.chance(0.6):
                name = self.rng.choice(record.names)
                value = record.parts[record.names.index(name)]
                other = in_brackets(value, self.write(value, scope, 0))
                return f"isinstance({expression}, {record.spelling}) and {expression}.{name} == {other}"
            return f"isinstance({expression}, {record.spelling})"

        def take() -> str:
            if not scope.actions:
                raise Impossible
            action, parameters = self.rng.choice(list(scope.actions.items()))
            if parameters and self.chance(0.5):
                name = self.rng.choice(list(parameters))
                other = in_brackets(parameters[name], self.write(parameters[name], scope, 0))
                return f'taken.action == "{action}" and taken.{name} == {other}'
            return f'taken.action {self.rng.choice(("==", "!="))} "{action}"'

        def every() -> str:
            inner = self.comprehension(scope, depth, lambda s, n, k: self.write(BOOL, s, depth))
            return f"{self.rng.choice(('all', 'any'))}({inner})"

        def choose_class() -> str:
            if not self.types.unions:
                raise Impossible
            one, two = (self.literal(of, scope) for of in self.rng.sample(self.rng.choice(self.types.unions).parts, 2))
            return f"({one} if {write(BOOL)} else {two}) {self.rng.choice(('==', '!='))} {one}"

        def join() -> str:
            return f"({write(BOOL)} {self.rng.choice(('and', 'or'))} {write(BOOL)})"

        return [
            compare,
            compare,
            equal,
            equal,
            contains,
            contains_listed,
            lambda: self.ask(scope),
            subset,
            is_none,
            instance,
            take,
            take,
            every,
            every,
            choose_class,
            join,
            lambda: f"(not {write(BOOL)})",
        ]

    def _int(self, of: Type, scope: Scope, depth: int) -> list[Writer]:
        def write() -> str:
            return self.write(INT, scope, depth)

        def arithmetic() -> str:
            return f"({write()} {self.rng.choice(('+', '+', '-', '*'))} {write()})"

        def divide() -> str:
            return f"({write()} {self.rng.choice(('//', '%'))} {self.rng.choice(('2', '3', '7'))})"

        def extreme() -> str:
            return f"{self.rng.choice(('min', 'max'))}({write()}, {write()})"

        def gather() -> str:
            function = self.rng.choice(("sum", "min", "max"))
            inner = self.comprehension(scope, depth, lambda s, n, k: self.write(INT, s, depth))
            errs = self.types.has("errors") and not scope.safe and self.chance(0.1)
            return (
                f"{function}({inner})"
                if function == "sum" or errs
                else f"{function}(({inner}), default={self.literal(INT, scope)})"
            )

        def length() -> str:
            known = [t for t, k in self.readings(scope) if k.kind in ("seq", "set")]
            known += [f"self.{n}" for n, k in scope.variables.items() if k.kind == "bag"]
            if not known:
                raise Impossible
            return f"len({self.rng.choice(known)})"

        def count() -> str:
            known = [(n, k) for n, k in scope.variables.items() if k.kind == "bag"]
            if not known:
                raise Impossible
            name, kind = self.rng.choice(known)
            return f"self.{name}.count({self.write(kind.element, scope, depth)})"

        return [
            arithmetic,
            arithmetic,
            divide,
            extreme,
            gather,
            gather,
            length,
            count,
            lambda: f"-{write()}",
            lambda: self.literal(of, scope),
        ]

    def fit(self, of: Type, scope: Scope, depth: int) -> str:
        """An expression to be stored: an integer in it is mostly no lower than its type allows, and often no higher."""
        if of.kind == "record":
            with suppress(Impossible):
                return self.read(of, scope if self.chance(0.4) else Scope({}))
            return f"{of.spelling}({', '.join(self.fit(each, scope, depth - 1) for each in of.parts)})"
        if of.kind != "int" or (self.types.has("errors") and not scope.safe and self.chance(0.04)):
            return self.write(of, scope, depth)
        if of.spelling == "Wide":
            return self.rng.choice(
                (self.integer(of), f"max({of.low}, min({of.high}, {self.write(INT, scope, 1)} * 65537))")
            )
        low = lower_end(of)
        expression = self.write(INT, scope, depth)
        return (
            f"max({low}, {expression})"
            if self.chance(0.6)
            else f"min(max({low}, {expression}), {self.rng.choice(('0', '1', '2'))})"
        )

    def _enum(self, of: Type, scope: Scope, depth: int) -> list[Writer]:
        return []

    _sort = _enum

    def _opt(self, of: Type, scope: Scope, depth: int) -> list[Writer]:
        return [lambda: self.fit(of.parts[0], scope, depth)] * 3

    def _record(self, of: Type, scope: Scope, depth: int) -> list[Writer]:
        def replace_field() -> str:
            known = [t for t, k in self.readings(scope) if k == of]
            place = self.rng.randrange(len(of.parts))
            if not known:
                raise Impossible
            return f"{self.rng.choice(known)}._replace({of.names[place]}={self.fit(of.parts[place], scope, depth)})"

        return [lambda: self.fit(of, scope, depth + 1), replace_field, lambda: self.narrow(of, scope, depth)]

    def _union(self, of: Type, scope: Scope, depth: int) -> list[Writer]:
        return [lambda: self.fit(self.rng.choice(of.parts), scope, depth)] * 3 + [
            lambda: self.read(self.rng.choice(of.parts), scope)
        ]

    def _seq(self, of: Type, scope: Scope, depth: int) -> list[Writer]:
        def choose() -> str:
            sequences = [t for t, k in self.readings(scope) if k.kind == "seq" and same(k.element, of.element)]
            return self.rng.choice(sequences) if sequences else "()"

        def filter_elements() -> str:
            sequence = choose()
            if sequence == "()":
                raise Impossible
            name = self.name("e")
            condition = self.write(BOOL, scope.inside(**{name: of.element}), depth)
            return f"tuple({name} for {name} in {sequence} if {condition})"

        def slice_elements() -> str:
            expression = choose()
            if expression == "()":
                raise Impossible
            bound = self.positive(scope)
            return self.rng.choice((f"{expression}[{bound}:]", f"{expression}[:{bound}]"))

        return [lambda: f"{choose()} + ({self.fit(of.element, scope, depth)},)"] * 3 + [
            filter_elements,
            slice_elements,
            slice_elements,
        ]

    def _set(self, of: Type, scope: Scope, depth: int) -> list[Writer]:
        def write() -> str:
            return self.read(of, scope) if self.chance(0.5) else self.write(of, scope, depth)

        def single() -> str:
            return f"frozenset({{{self.fit(of.element, scope, depth)}}})"

        def join() -> str:
            return f"({write()} | {self.rng.choice((write, single))()})"

        def remove() -> str:
            other = self.types.set_of(self.relate(of.element))
            return f"({write()} {self.rng.choice('&-')} {self.write(other, scope, depth)})"

        def filter_class() -> str:
            known = [t for t, k in self.readings(scope) if k.kind == "set" and of.element in k.element.parts]
            if not known or of.element.kind != "record":
                raise Impossible
            name = self.name("x")
            return (
                f"frozenset({name} for {name} in {self.rng.choice(known)} if isinstance({name}, {of.element.spelling}))"
            )

        def gather() -> str:
            def element(inner: Scope, name: str, known: Type) -> str:
                return (
                    name
                    if same(known, of.element) and known.spelling == of.element.spelling
                    else self.fit(of.element, inner, 1)
                )

            return f"frozenset({self.comprehension(scope, depth, element)})"

        return [single, join, remove, gather, gather, filter_class]


def in_brackets(of: Type, expression: str) -> str:
    """A truth value beside a comparison: without brackets it would be a chain."""
    return f"({expression})" if of == BOOL else expression


def lower_end(of: Type) -> str:
    """The lowest value, as an expression of a method."""
    bare = of.low.removeprefix("0 - ").removeprefix("-")
    if bare.isdigit():
        return of.low
    return f"-self.{bare}"
