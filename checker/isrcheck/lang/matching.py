"""The statement `match`: its cases become conditions, each behind those before it."""

import ast
from collections.abc import Callable
from functools import partial, reduce

from isrcheck.ir import nodes as ir
from isrcheck.ir.check.statements import ends
from isrcheck.ir.domains import Domain, RecordDomain, sum_of
from isrcheck.ir.nodes import Expression, Operator, Statement, substitute
from isrcheck.lang.expressions import operate, read_value
from isrcheck.lang.names import Names, key_of, narrow_value
from isrcheck.lang.narrowing import become, class_domain, learn, meet
from isrcheck.place import Place

Block = tuple[Statement, ...]
Bindings = dict[str, Expression]
ReadBlock = Callable[[list[ast.stmt], Names], Block]


def read_match(node: ast.Match, names: Names, read_block: ReadBlock) -> list[Statement]:
    at, first = names.at(node.subject), list[Statement]()
    subject = read_value(node.subject, names)
    if not key_of(subject):
        name = f"matched_{node.lineno}"
        while name in names.locals or names.has_meaning(name):
            name += "_"
        names.locals.add(name)
        first = [ir.Assign((name,), (subject,), at)]
        subject = ir.ReadLocal(name, at)
    return [*first, *_Matched(subject, node, frozenset(names.locals), read_block).cases(0, names)]


class _Matched:
    def __init__(self, subject: Expression, node: ast.Match, before: frozenset[str], read_block: ReadBlock) -> None:
        while isinstance(subject, ir.Narrowed):
            subject = subject.value  # as known at each case
        self.subject, self.node, self.before, self.read_block = subject, node, before, read_block
        self.tests: list[Expression] = []  # of cases without a guard

    def cases(self, number: int, names: Names) -> list[Statement]:
        """The statements of the cases from this one on; `names` grows as behind an if."""
        case, is_last = self.node.cases[number], number == len(self.node.cases) - 1
        at = names.at(case.pattern)
        tests, bindings = self.pattern(case.pattern, narrow_value(self.subject, names), names)
        inner, two = names.inner({*bindings}), names.inner(set())
        for test in tests:
            learn(inner, test, True)
        bound = (ir.Assign((*bindings,), (*bindings.values(),), at),) if bindings else ()
        asked = list(tests)
        if case.guard is not None:
            guard = substitute(read_value(case.guard, inner), bindings)  # asked before the names have values
            learn(inner, guard, True)
            asked.append(guard)
        elif len(tests) == 1:
            self.tests.append(tests[0])
            learn(two, tests[0], False)
        then = (*bound, *self.read_block(case.body, inner))
        if not asked:
            names.locals.update(inner.locals)
            become(names, inner)
            return [*then]
        test = reduce(partial(operate, Operator.AND, at), asked)
        if is_last:
            names.locals.update(inner.locals)
            become(names, inner)
            cover = ir.Cover(self.subject, tuple(self.tests), names.at(self.node.subject))
            return [ir.When(test, then, (), at, cover)]
        other = tuple(self.cases(number + 1, two))
        after_branches(names, (then, inner), (other, two))
        return [ir.When(test, then, other, at)]

    def pattern(self, node: ast.pattern, of: Expression, names: Names) -> tuple[list[Expression], Bindings]:
        """Return a pattern's tests in order, and the names that it binds."""
        at = names.at(node)
        match node:
            case ast.MatchAs(inner, name):
                tests, bindings = self.pattern(inner, of, names) if inner else ([], {})
                if name is not None:
                    self.refuse_known(node, name, names)
                    kinds = [test.domain for test in tests if isinstance(test, ir.IsMember) and test.value is of]
                    bindings[name] = ir.Narrowed(of, kinds[0], True, at) if kinds else of
                return tests, bindings
            case ast.MatchValue(value):
                return [ir.Operation(Operator.EQ, of, read_value(value, names), at)], {}
            case ast.MatchSingleton(value):
                return [ir.Operation(Operator.EQ, of, ir.Literal(value, at), at)], {}
            case ast.MatchOr(parts):
                return self.either(parts, of, at, names)
            case ast.MatchClass():
                return self.of_class(node, of, names)
        remedy = "Write case Vote(epoch=e), case Kind.A, case A() | B(), or case _."
        raise names.outside(node, "this pattern", remedy)

    def refuse_known(self, node: ast.pattern, name: str, names: Names) -> None:
        """CPython gives it another value even where the guard fails."""
        if name in self.before or names.has_meaning(name):
            raise names.refuse(node, f"{name} has a meaning already.", "Choose another name in the pattern.")

    def either(
        self, parts: list[ast.pattern], of: Expression, at: Place, names: Names
    ) -> tuple[list[Expression], Bindings]:
        """Each part binds the same names, as Python demands."""
        alternatives = [self.pattern(alternative, of, names) for alternative in parts]
        for one, (tests, _) in zip(parts, alternatives, strict=True):
            if not tests:
                raise names.refuse(one, "this part of `|` always matches.", "Leave the other parts out.")
        alone = [tests[0] for tests, _ in alternatives if len(tests) == 1]
        kinds: list[Domain] = [test.domain for test in alone if isinstance(test, ir.IsMember)]
        every = [reduce(partial(operate, Operator.AND, at), tests) for tests, _ in alternatives]
        any_of_them = reduce(partial(operate, Operator.OR, at), every)
        bindings = alternatives[-1][1]
        for test, (_, bound) in zip(every[-2::-1], alternatives[-2::-1], strict=True):
            bindings = {name: ir.Conditional(test, bound[name], value, at) for name, value in bindings.items()}
        return [ir.IsMember(of, sum_of(kinds), at) if len(kinds) == len(parts) else any_of_them], bindings

    def of_class(self, node: ast.MatchClass, of: Expression, names: Names) -> tuple[list[Expression], Bindings]:
        domain, at = class_domain(node.cls, names), names.at(node)
        fields = [name for name, _ in domain.fields] if isinstance(domain, RecordDomain) else []
        named = [*fields[: len(node.patterns)], *node.kwd_attrs]
        if len(node.patterns) > len(fields) or len({*named}) < len(named) or not {*named} <= {*fields}:
            remedy = f"It has {', '.join(fields) or 'none'}."
            raise names.refuse(node, f"these are not fields of {ast.unparse(node.cls)}.", remedy)
        tests: list[Expression] = [ir.IsMember(of, domain, at)]
        bindings: Bindings = {}
        inside = ir.Narrowed(of, domain, True, at)
        for name, pattern in zip(named, [*node.patterns, *node.kwd_patterns], strict=True):
            more, bound = self.pattern(pattern, ir.ReadField(inside, name, names.at(pattern)), names)
            if again := bindings.keys() & bound.keys():
                raise names.refuse(pattern, f"{min(again)} is bound twice.", "Choose another name in the pattern.")
            tests += more
            bindings |= bound
        return tests, bindings


def after_branches(names: Names, then: tuple[Block, Names], other: tuple[Block, Names]) -> None:
    """Merge the names with a value, and the facts, after two branches. A branch that returned does not count."""
    (block, one), (second, two) = then, other
    names.sometimes.update(one.locals ^ two.locals)
    names.locals.update(two.locals if ends(block) else one.locals if ends(second) else one.locals & two.locals)
    if ends(block) or ends(second):
        become(names, two if ends(block) else one)
    else:
        meet(names, one, two)
