"""Random models as text: declarations, actions, policies, helpers and properties."""

from contextlib import suppress
from random import Random
from textwrap import indent

from tools.fuzz.cycles import Declared
from tools.fuzz.expressions import Expressions, lower_end
from tools.fuzz.readings import Impossible, Scope
from tools.fuzz.types import BOOL, FEATURES, INT, Type

HEADER = '''"""A random model."""

from enum import Enum
from typing import Annotated, NamedTuple, Self

from isrcheck import (
    Bag, Between, Channels, Model, Network, Record, Sort, Taken, Temporal, UpTo, action, always_eventually,
    constant, constraint, each, eventually, eventually_always, history, initial, invariant, leads_to, members,
    policy, reachable, refines, require, start, step, subsets, temporal,
)
'''


class RandomModel:
    """A text with the name of its class, the constants to run it with, and the features that it was made of."""

    def __init__(self, source: str, cls: str, values: dict[str, object], features: frozenset[str]) -> None:
        self.source, self.cls, self.values, self.features = source, cls, values, features


def write_model(seed: int, only: frozenset[str] = frozenset()) -> RandomModel:
    """The model of a seed. `only` are features that it surely has."""
    rng = Random(seed)
    share = rng.choice((0.15, 0.3, 0.5))
    rare = _RARE if rng.random() < 0.5 else (*_RARE, *_LIMITING)  # what few engines take would keep the others idle
    drawn = frozenset(f for f in FEATURES if rng.random() < share * (0.3 if f in rare else 1))
    if rng.random() < 0.35:
        drawn -= _NOT_PROVED
    return Author(rng, drawn | only).model()


# What proofs for any size refuse, so that other models are left for them.
_NOT_PROVED = frozenset(["negative", "wide", "union", "network", "bag", "channels", "slots", "initial"])
_RARE = ("errors", "wide", "empty")
_LIMITING = ("initial", "constraint", "step_constraint", "temporal", "refinement")


class Author(Declared):
    """Writes one model."""

    def model(self) -> RandomModel:
        self._declare_variables()
        self._helpers()
        filled = self._policy() if self.has("policy") else ""  # after the helpers, which a policy may call
        for number in range(self.rng.choice((2, 3, 4, 5))):
            self._action(f"act{number}")
        if self.has("slots_everywhere") and self.has("union"):
            self._fill()
        if self.has("initial"):
            self._method("@initial", "begins", self._parameters(2), lambda s: self._block(s, 2))
        self._properties()
        constants = [f"    {n}: {t} = {v}" for n, t, v in self.types.constants]
        declared = [f"    {n}: {t.spelling} = {v}" for n, (t, v) in self.variables.items()]
        abstract = self._refinement() if self.has("refinement") else ""
        source = (
            HEADER
            + "\n".join(self.types.lines)
            + abstract
            + "\n\n\nclass M(Model):\n"
            + "\n".join(constants + declared)
        )
        self._drop_unused()
        variant = filled if "decides" in self.methods else ""
        source += (
            "\n" + indent("\n".join(line for lines in self.methods.values() for line in lines), "    ") + "\n" + variant
        )
        return RandomModel(source, "V" if variant else "M", self.types.values, self.features)

    def _drop_unused(self) -> None:
        """Helpers and policies that methods call: the reader refuses others."""
        for name in ("effect", "decides", "helper"):
            if not any(f"self.{name}(" in line for lines in self.methods.values() for line in lines):
                self.methods.pop(name, None)

    def _helpers(self) -> None:
        if self.has("helper"):
            given = self._parameters(2)
            returned = self.rng.choice((BOOL, BOOL, self.types.small()))
            returned = BOOL if returned.kind == "int" else returned
            try:
                self._method("", "helper", given, lambda s: self._value(returned, s), returned.spelling)
                self.helpers["self.helper"] = (list(given.values()), returned)
            except Impossible:
                pass
        if self.has("effect"):
            given = self._parameters(1)
            self._method("", "effect", given, lambda s: self._block(s, 2))
            self.effects["effect"] = list(given.values())

    def _value(self, of: Type, scope: Scope) -> list[str]:
        """The body of what returns a value."""
        last = [f"return {self.pen.write(of, scope)}"]
        if self.rng.random() < 0.3:
            return [f"if {self.pen.write(BOOL, scope, 1)}:", f"    return {self.pen.write(of, scope)}", *last]
        if self.rng.random() < 0.3:
            return [
                f"n0 = {self.pen.write(INT, scope)}",
                f"if n0 > {self.pen.write(INT, scope, 1)}:",
                *("    " + x for x in last),
                *last,
            ]
        return last

    def _policy(self) -> str:
        given = self._parameters(2)
        head = f"def decides(self{''.join(f', {n}: {t.spelling}' for n, t in given.items())}) -> bool:"
        lines = self._value(BOOL, self.scope(given))
        self.methods["decides"] = ["", "@policy", head, "    raise NotImplementedError"]
        self.helpers["self.decides"] = (list(given.values()), BOOL)
        return "\n\nclass V(M):\n" + "\n".join(["    " + head, *("        " + line for line in lines)]) + "\n"

    def _action(self, name: str) -> None:
        parameters = self._parameters(2)
        fair = ""
        if self.has("temporal"):
            fair = self.rng.choice(
                ("", "weak", "weak", "weak-any", *(("strong", "strong-any") if self.has("fair_strong") else ()))
            )
        self.actions[name] = parameters
        mark = f'@action(fair="{fair}")' if fair else "@action"
        self._method(mark, name, parameters, lambda s: self._require(s) + self._block(s, self.rng.choice((1, 1, 2, 3))))

    def _fill(self) -> None:
        """An action that adds any element to a set of a sum or of a class, and one that says what is asked about it."""
        sets = {n: t.element for n, (t, _) in self.variables.items() if t.kind == "set"}
        names = [name for name, element in sets.items() if element.kind in ("record", "union")]
        if not names:
            return
        few = f"require(len(self.{names[-1]}) < {self.rng.choice('12')})"
        self._write_given("fill", sets[names[-1]], [few, f"self.{names[-1]} |= {{p0}}"])
        asked = [n for n, (t, _) in self.variables.items() if t in self.types.relatives(sets[names[-1]])]
        if asked and self.rng.random() < 0.7:
            name = self.rng.choice(asked)
            self._write_given("name", self.variables[name][0], [f"self.{name} = p0"])

    def _write_given(self, action: str, of: Type, lines: list[str]) -> None:
        self.actions[action] = {"p0": of}
        self._method("@action", action, {"p0": of}, lambda s: lines)

    def _require(self, scope: Scope) -> list[str]:
        lines = [f"require({self.pen.write(BOOL, scope, 1)})" for _ in range(self.rng.choice((0, 0, 1)))]
        calls = []
        for name, (given, returned) in self.helpers.items():
            with suppress(Impossible):
                calls += [f"{name}({', '.join(self.pen.argument(p, scope) for p in given)})"] * (returned == BOOL)
        with suppress(Impossible):
            lines += [f"require({self.pen.ask(scope)})"] * (self.rng.random() < 0.2)
        if calls and self.rng.random() < 0.3:
            lines.append(f"require({self.rng.choice(('', 'not '))}{self.rng.choice(calls)})")
        return lines

    def _block(self, scope: Scope, most: int, depth: int = 1) -> list[str]:
        lines: list[str] = []
        for _ in range(most):
            try:
                lines += self._statement(scope, depth)
            except Impossible:
                continue
        return lines or ["pass"]

    def _statement(self, scope: Scope, depth: int) -> list[str]:
        draw = self.rng.random()
        if depth and draw < 0.12:
            lines = [f"if {self.pen.write(BOOL, scope, 1)}:"] + self._nest(scope, depth)
            if self.rng.random() < 0.3:
                lines += [f"elif {self.pen.write(BOOL, scope, 1)}:"] + self._nest(scope, depth)
            return lines + (["else:"] + self._nest(scope, depth) if self.rng.random() < 0.4 else [])
        if depth and draw < 0.3 and self.has("match"):
            return self._match(scope, depth)
        if draw < 0.33:
            name = self.pen.name("n")
            value = self.pen.write(INT, scope)
            scope.locals[name] = INT
            return [f"{name}{self.rng.choice(('', ': int'))} = {value}"]
        if draw < 0.4 and self.effects:
            return [f"self.effect({', '.join(self.pen.argument(p, scope) for p in self.effects['effect'])})"]
        return self._assign(scope)

    def _nest(self, scope: Scope, depth: int) -> list[str]:
        return ["    " + line for line in self._block(scope.inside(), self.rng.choice((1, 2)), depth - 1)]

    def _match(self, scope: Scope, depth: int) -> list[str]:
        known = [
            (t, k) for t, k in self.pen.readings(scope) if k.kind in ("union", "enum", "bool", "opt") and "[" not in t
        ]
        if not known:
            raise Impossible
        expression, of = self.rng.choice(known)
        lines = [f"match {expression}:"]
        cases: list[tuple[str, Scope]] = []
        match of.kind:
            case "union":
                for record in of.parts:
                    if record.kind != "record":
                        cases.append((f"{record.spelling}()", scope))
                        continue
                    names = {f: self.pen.name("m") for f in record.names}
                    fields = ", ".join(f"{f}={n}" for f, n in names.items())
                    inner = scope.inside(**{names[f]: t for f, t in zip(record.names, record.parts, strict=True)})
                    cases.append((f"{record.spelling}({fields})", inner))
            case "enum":
                cases = [(f"{of.spelling}.{member}", scope) for member in of.names]
            case "bool":
                cases = [("True", scope), ("False", scope)]
            case _:
                name = self.pen.name("m")
                cases = [("None", scope), (name, scope.inside(**{name: of.parts[0]}))]
        if of.kind != "opt" and len(cases) > 1 and self.rng.random() < 0.3:
            cases[-1] = ("_", scope)
        if self.rng.random() < 0.3 and of.kind == "union":
            cases.insert(0, (f"{of.parts[0].spelling}() if {self.pen.write(BOOL, scope, 1)}", scope))
        name, given = self._share_name(scope)
        for pattern, inner in cases:
            block = self._block(inner.inside(), 1, depth - 1)
            block += [f"{name} = {self.pen.fit(given, inner, 1)}"] if name else []
            lines += [f"    case {pattern}:", *("        " + line for line in block)]
        if name:
            scope.locals[name] = given
        return lines

    def _share_name(self, scope: Scope) -> tuple[str, Type]:
        """A local name that every case gives a value of this type; none in most matches."""
        known = [n for n in scope.locals if n.startswith("n")]
        name = self.rng.choice(known) if known and self.rng.random() < 0.3 else self.pen.name("n")
        plain = [t for t, _ in self.variables.values() if t.kind not in ("map", "bag", "channels")]
        return name if self.rng.random() < 0.4 else "", self.rng.choice(plain)

    def _assign(self, scope: Scope) -> list[str]:
        names = [*scope.variables, *(self.histories if self.rng.random() < 0.3 else ())]
        name = self.rng.choice(names)
        of = self.variables[name][0]
        if name in self.histories:
            scope = self.scope(scope.locals, histories=True)
        if of.kind in ("bag", "channels"):
            return self._message(f"self.{name}", of, scope)
        if (
            of.kind == "map"
            and of.parts[1].kind != "map"
            and self.rng.random() < 0.2
            and of.parts[0].kind in ("sort", "enum")
        ):
            key = self.pen.name("k")
            value = self.pen.fit(of.parts[1], scope.inside(**{key: of.parts[0]}), 1)
            return [f"self.{name} = {{{key}: {value} for {key} in {of.parts[0].spelling}}}"]
        target = f"self.{name}"
        while of.kind == "map":
            risky = of.parts[0].kind == "int" and not scope.safe and self.has("errors") and self.rng.random() < 0.2
            key = self.pen.key(of.parts[0], scope)
            if risky:
                key = self.rng.choice((self.pen.integer(of.parts[0]), f"{self.pen.positive(scope)} - 1"))
            target, of = f"{target}[{key}]", of.parts[1]
        if of.kind == "bool" and self.rng.random() < 0.6:
            return [f"{target} = not {target}"]
        if of.kind == "int" and of.spelling != "Wide" and self.rng.random() < 0.7:
            if self.rng.random() < 0.6:
                return [f"{target} += {self.rng.choice(('1', '1', '2'))}"]
            return [f"require({target} > {lower_end(of)})", f"{target} -= 1"]
        if of.kind == "set" and self.rng.random() < 0.4:
            operator = self.rng.choice(("|=", "|=", "-="))
            element = self.pen.relate(of.element) if operator == "-=" else of.element
            return [f"{target} {operator} {{{self.pen.fit(element, scope, 1)}}}"]
        if of.kind == "seq" and self.rng.random() < 0.4:
            return [f"{target} += ({self.pen.fit(of.element, scope, 1)},)"]
        others = [n for n in scope.variables if self.variables[n][0] == BOOL]
        if (
            others
            and target == f"self.{name}"
            and self.rng.random() < 0.15
            and name not in others
            and name not in self.histories
        ):
            return [f"{target}, self.{others[0]} = {self.pen.fit(of, scope, 1)}, {self.pen.write(BOOL, scope, 1)}"]
        return [f"{target} = {self.pen.fit(of, scope, 2)}"]

    def _message(self, target: str, of: Type, scope: Scope) -> list[str]:
        if of.kind == "channels":
            key = self.pen.key(of.parts[0], scope)
            message = self.pen.fit(of.element, scope, 1)
            name = self.pen.name("m")
            lines = self.rng.choice(
                (
                    f"{target}.send({key}, {message})",
                    f"{target}.send({key}, {message})",
                    f"{name} = {target}.receive({key})",
                    f"{target}.drop({key})",
                    f"{target}.duplicate({key})",
                    f"{target}.clear({key})",
                    f"{target}.drop({key}, 1)",
                    f"{target}.send_all((k for k in {of.parts[0].spelling}), {message})",
                )
            )
            if lines.startswith(name):
                scope.locals[name] = of.element
            return [lines]
        message = self.pen.fit(of.element, scope, 1)
        kinds = {of.element.spelling, *(each.spelling for each in of.element.parts if of.element.kind == "union")}
        known = [t for t, k in self.pen.readings(scope) if k.spelling in kinds]
        one = self.rng.choice(known) if known else message
        if of.names[0] == "Bag":
            return [self.rng.choice((f"{target}.add({message})", f"{target}.remove({one})"))]
        name = self.pen.name("x")
        source, element, _ = self.pen.source(scope, 1, ordered=True)
        every = self.pen.fit(of.element, scope.inside(**{name: element}).safely(), 1)
        words = (f"send({message})", f"send({message})", f"receive({one})", f"drop({one})", f"duplicate({one})")
        return [f"{target}.{self.rng.choice((*words, f'send_all({every} for {name} in {source})'))}"]

    def _properties(self) -> None:
        self._method("@invariant", "complete", {}, lambda s: self._complete(), "bool")
        for number in range(self.rng.choice((1, 2, 3))):
            self._property("@invariant", f"inv{number}")
        with suppress(Impossible):
            asked = self.pen.ask(self.scope())
            self.methods["absent"] = ["", "@invariant", "def absent(self) -> bool:", f"    return not ({asked})"]
        if self.has("reachable"):
            self._property("@reachable", "goal")
        if self.has("step"):
            taken = self.has("taken")
            self._property("@step", "moves", ", before: Self" + (", taken: Taken" if taken else ""), True)
        if self.has("constraint"):
            self._property("@constraint", "inside")
        if self.has("step_constraint"):
            self._property("@constraint", "followed", ", before: Self, taken: Taken", True)
        if self.has("temporal"):
            self._temporal()

    def _complete(self) -> list[str]:
        """A property that holds in every state, so that a search goes on to the end."""
        name = next(n for n, (t, _) in reversed(self.variables.items()) if t == BOOL)
        return [f"return self.{name} or not self.{name}"]

    def _property(self, mark: str, name: str, extra: str = "", of_steps: bool = False) -> None:
        scope = self.scope(histories=mark != "@constraint")
        if of_steps:
            scope.before = True
            scope.actions = self._takeable() if "taken" in extra else {}
        condition = self.pen.write(BOOL, scope, 3)
        if mark == "@constraint":
            condition = f"self.{self._complete()[0].split('.')[1].split(' ')[0]} or {condition}"
        self.methods[name] = ["", mark, f"def {name}(self{extra}) -> bool:", f"    return {condition}"]

    def _takeable(self) -> dict[str, dict[str, Type]]:
        """The actions with those parameters that are of one type in all of them."""
        types: dict[str, set[str]] = {}
        for parameters in self.actions.values():
            for name, of in parameters.items():
                types.setdefault(name, set()).add(of.spelling)
        return {a: {n: t for n, t in given.items() if len(types[n]) == 1} for a, given in self.actions.items()}

    def _temporal(self) -> None:
        scope = self.scope(histories=True).safely()
        p, q = self.pen.write(BOOL, scope), self.pen.write(BOOL, scope)
        operator = self.rng.choice(("eventually", "always_eventually", "eventually_always", "leads_to"))
        formula = f"{operator}({p}{f', {q}' if operator == 'leads_to' else ''})"
        self.methods["forever"] = ["", "@temporal", "def forever(self) -> Temporal:", f"    return {formula}"]

    def _refinement(self) -> str:
        """An abstract model of one variable, often of another's type, that an action may set under a guard."""
        options = [
            (n, t) for n, (t, v) in self.variables.items() if t.is_flat and n not in self.histories and "start" not in v
        ]
        if not options:
            return ""
        name, of = self.rng.choice(options)
        first = self.variables[name][1]
        mapped = f"self.{name}" if self.rng.random() < 0.7 else self.pen.fit(of, self.scope(), 1)
        if of.kind == "int" and of.low == "0" and first.isdigit() and self.rng.random() < 0.5:
            more = self.rng.choice((1, 2, 3))
            high = f"{of.high} + {more}"
            of, mapped = Type("int", f'Annotated[int, UpTo("{high}")]', high=high), f"self.{name} + {more}"
            first = str(int(first) + more)
        pen = Expressions(self.rng, self.types)
        scope = Scope({name: of}, {"to": of})
        constants = "\n".join(f"    {n}: {t} = {v}" for n, t, v in self.types.constants)
        guard = pen.write(BOOL, scope, 2)
        if first.isdigit() and self.rng.random() < 0.5:  # true or false at first, and perhaps not in a narrower type
            guard = f"self.{name} {self.rng.choice(('<', '>', '<=', '>=', '=='))} {first}"
        head = ["", "@refines(Abstract)", "def refined(self, abstract: Abstract) -> None:"]
        self.methods["refined"] = [*head, f"    abstract.{name} = {mapped}"]
        begin = (
            f"    {name}: {of.spelling} = {first}\n\n    @action\n    def change(self, to: {of.spelling}) -> None:\n"
        )
        body = f"{begin}        require({guard})\n        self.{name} = to\n"
        return f"\n\n\nclass Abstract(Model):\n{constants}\n{body}"
