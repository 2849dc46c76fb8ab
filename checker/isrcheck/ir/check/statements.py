"""Statements: each assigned value, result and argument must fit its declaration; ranges of temporal properties, too."""

from collections.abc import Iterator
from typing import assert_never

from isrcheck.errors import ModelError
from isrcheck.ir import nodes as ir
from isrcheck.ir.check.expressions import ExpressionChecker, Locals, refuse_display
from isrcheck.ir.check.fit import an, fits, has_another_name, merge, refuse_uncovered
from isrcheck.ir.domains import Domain, IntDomain, MapDomain
from isrcheck.ir.model import ABSTRACT, Method, ModelIR, Refinement, TemporalProperty
from isrcheck.ir.nodes import Everything, IntegerRange, ReadVariable, walk
from isrcheck.place import Place, source_line, source_lines


class StatementChecker:
    """Follows the locals of methods."""

    def __init__(self, model: ModelIR) -> None:
        self.model = model
        self.expressions = ExpressionChecker(model)
        self.variables = self.expressions.variables

    def method(self, method: Method) -> None:
        self.expressions.steering = method.returns is None  # an action, or a helper that acts for one
        self.expressions.assuming = method.name if method.role in ("assume", "applies") else ""
        scope: dict[str, Domain | None] = {p.name: p.domain for p in method.parameters}
        if isinstance(method, TemporalProperty):
            inner, _ = self.expressions.elements_of(method.clauses, scope)
            for operand in method.operands:
                self.expressions.truth(operand, inner, f"what {method.operator.value}() asks")
        abstract = method.abstract.variables if isinstance(method, Refinement) else ()
        self.abstract = {f"{ABSTRACT}{v.name}": v.domain for v in abstract}
        self.block(method.body, scope, method)

    def block(self, block: tuple[ir.Statement, ...], scope: dict[str, Domain | None], method: Method) -> None:
        for node in block:
            match node:
                case ir.Require(condition):
                    self.expressions.truth(condition, scope, "a guard")
                case ir.Assign():
                    self.assign(node, scope)
                case ir.When(condition, then, other):
                    self.expressions.truth(condition, scope, "a condition")
                    one, two = dict(scope), dict(scope)
                    self.block(then, one, method)
                    self.block(other, two, method)
                    if node.cover is not None:
                        refuse_uncovered(node.cover, self.expressions.domain(node.cover.subject, scope))
                        scope.update(one)
                    elif ends(then) or ends(other):
                        scope.update(two if ends(then) else one)
                    else:
                        self.meet(one, two, scope, node.at)
                case ir.Repeat(target, source, body):
                    inner, _ = self.expressions.elements_of(source.clauses, scope)
                    element = self.expressions.element(source.element, inner)
                    self.block(body, {**scope, target: element}, method)
                case ir.Perform(helper, arguments, at):
                    if self.model.helpers[helper].returns is not None:
                        raise ModelError(at, f"the value of {helper}() is dropped.", "Assign it to a name.")
                    self.expressions.arguments(helper, arguments, scope, at)
                case ir.Return(value):
                    self.check_result(value, scope, method)
                case _:
                    assert_never(node)

    def meet(self, one: Locals, two: Locals, scope: dict[str, Domain | None], at: Place) -> None:
        for name in one.keys() & two.keys():
            sentence = f"{name} is {{}} after one branch and {{}} after the other."
            scope[name] = merge(one[name], two[name], at, sentence)
        scope.update({n: d for n, d in {**one, **two}.items() if n not in scope})

    def check_result(self, value: ir.Expression, scope: Locals, method: Method) -> None:
        domain = self.expressions.domain(value, scope)
        declared = method.returns
        assert declared is not None
        if domain is not None and (has_another_name(declared, domain) or not fits(declared, domain)):
            remedy = self.hint(declared, value) or f"Return {an(declared)}, or change what it declares."
            raise ModelError(value.at, f"{method.name}() declares {an(declared)} and returns {an(domain)}.", remedy)
        refuse_display(domain, value)

    def hint(self, declared: Domain, value: ir.Expression) -> str:
        """A remedy from the comment beside the alias of an integer, and from variables of the declared domain."""
        if not isinstance(declared, IntDomain) or not declared.name:
            return ""
        said = _alias_comment(declared.name, {v.at.file for v in self.model.variables})
        under, meant, read = "", "", value
        alike = [v.name for v in self.model.variables if v.domain == declared]
        if isinstance(value, ir.Item):
            at = value.key.at
            read = value.container
            under = f"[{source_line(at.file, at.line)[at.column : at.end_column]}]"
            alike = [v.name for v in self.model.variables if getattr(v.domain, "value", None) == declared]
        if isinstance(read, ir.ReadVariable) and alike:
            meant = f" Did you mean {' or '.join(f'self.{name}{under}' for name in alike)}?"
        name = an(declared)
        return f"{name[0].upper()}{name[1:]} is {said}.{meant}" if said else meant.strip()

    def assign(self, node: ir.Assign, scope: dict[str, Domain | None]) -> None:
        domains: list[Domain | None] = []
        for target, value in zip(node.targets, node.values, strict=True):
            history = isinstance(target, ir.VariableTarget) and self.variables[target.variable].is_history
            steering, self.expressions.steering = self.expressions.steering, self.expressions.steering and not history
            domains.append(self.expressions.domain(value, scope))
            self.expressions.steering = steering
        for target, value, domain in zip(node.targets, node.values, domains, strict=True):
            if isinstance(target, str) and target in self.abstract:
                self.give(target, value, domain)
            elif isinstance(target, str):
                if isinstance(domain, MapDomain):
                    sentence = f"{target} would be a dict, a mutable value."
                    raise ModelError(value.at, sentence, "Read one of its values: self.x[key].")
                scope[target] = domain
            else:
                self.write(target, value, domain, scope)

    def give(self, target: str, value: ir.Expression, domain: Domain | None) -> None:
        wanted = self.abstract[target]
        if domain is not None and not fits(wanted, domain):
            sentence = (
                f"{target.removeprefix(ABSTRACT)} of the abstract model holds {an(wanted)} and is given {an(domain)}."
            )
            raise ModelError(value.at, sentence, "Give it a fitting value.")
        refuse_display(domain, value)

    def write(self, target: ir.VariableTarget, value: ir.Expression, given: Domain | None, scope: Locals) -> None:
        domain: Domain = self.variables[target.variable].domain
        for key in target.keys:
            if not isinstance(domain, MapDomain):
                sentence = f"{target.variable} is {an(domain)} there, whose parts do not change one by one."
                remedy = "Assign the whole value, with _replace for a record or + for a sequence."
                raise ModelError(target.at, sentence, remedy)
            self.expressions.expect(domain.key, key, scope, f"a key of {target.variable}")
            domain = domain.value
        if given is not None and not fits(domain, given):
            sentence = f"{target.variable} holds {an(domain)} and is given {an(given)}."
            raise ModelError(value.at, sentence, "Give it a fitting value.")
        refuse_display(given, value)
        if isinstance(domain, MapDomain) and getattr(domain.key, "low", 0) != 0:
            sentence = f"the keys of {target.variable} begin below 0, and a map is made over a range from 0."
            raise ModelError(value.at, sentence, "Write self.x[key] = ... for each key.")
        if isinstance(domain, MapDomain) and not isinstance(value, ir.Comprehension):
            sentence = f"{target.variable} would share a dict, a mutable value."
            raise ModelError(value.at, sentence, "Write {k: ... for k in ...}.")


def ends(block: tuple[ir.Statement, ...]) -> bool:
    """Whether every way returns."""
    return any(
        isinstance(each, ir.Return)
        or (isinstance(each, ir.When) and ends(each.then) and (each.cover is not None or ends(each.other)))
        for each in block
    )


def _alias_comment(name: str, files: set[str]) -> str:
    for source in (line for file in sorted(files) for line in source_lines(file)):
        if source.startswith(f"{name} = ") and "#" in source:
            return source.partition("#")[2].strip().partition(";")[0]
    return ""


def refuse_state(model: ModelIR) -> None:
    """Refuse one that reads a variable, or ranges over something else than members or numbers. Raises ModelError."""
    for method in model.temporal:
        for clause in method.clauses:
            if not isinstance(clause.source, Everything | IntegerRange):
                sentence = f"{method.name}() runs over something else than a sort, an enumeration or range()."
                raise ModelError(clause.source.at, sentence, f"Write `for {clause.target} in ...` with one of these.")
            for name in _variables(model, (clause.source, clause.conditions)):
                sentence = f"what {method.name}() runs over depends on the variable {name}."
                remedy = "Move the condition into the formula, such as leads_to(a and P, Q)."
                raise ModelError(clause.at, sentence, remedy)
    for environment in model.environments:
        for name in _variables(model, environment.body):
            sentence = f"the fairness {environment.name}() reads the variable {name}."
            raise ModelError(environment.at, sentence, "It may read the step taken, and constants.")


def _variables(model: ModelIR, nodes: object) -> Iterator[str]:
    return (node.name for node in walk(model.with_helpers(nodes)) if isinstance(node, ReadVariable))
