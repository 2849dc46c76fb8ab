"""Statements of an action: when it can be taken, what it changes, and where its text goes wrong."""

from collections.abc import Mapping

from isrcheck.ir import nodes
from isrcheck.ir.domains import Domain, MapDomain
from isrcheck.ir.frozen import replace
from isrcheck.ir.nodes import Statement
from isrcheck.proofs.relational import terms as t
from isrcheck.proofs.relational import values as v
from isrcheck.proofs.relational.bounds import negative
from isrcheck.proofs.relational.expressions import Reader
from isrcheck.proofs.relational.faults import Faults, refusal
from isrcheck.proofs.relational.terms import Logic
from isrcheck.proofs.relational.values import Value


class Execution:
    """Runs a block. `state` and `reader.locals` are what they are after it; all of `guards` hold if it is taken."""

    def __init__(self, reader: Reader, domains: Mapping[str, Domain], faults: Faults) -> None:
        self.reader, self.domains, self.faults = reader, domains, faults
        self.guards: list[Logic] = []
        self.keys: list[tuple[Logic, Value, Domain]] = []  # written under, where the term is true

    def run(self, block: tuple[Statement, ...]) -> None:
        with self.faults.under():
            for statement in block:
                before = len(self.guards)
                self._statement(statement)
                self.faults.assume(*self.guards[before:])

    def _statement(self, statement: Statement) -> None:
        match statement:
            case nodes.Require(condition):
                self.guards.append(self.reader.truth(condition))
            case nodes.Assign():
                self._assign(statement)
            case nodes.When():
                self._branch(statement)
            case _:
                raise refusal(statement, "a message to each of several (send_all)")

    def _assign(self, statement: nodes.Assign) -> None:
        values = [self._value(*pair) for pair in zip(statement.targets, statement.values, strict=True)]
        for target, value in zip(statement.targets, values, strict=True):
            if isinstance(target, str):
                self.reader = self.reader.with_local(target, value)
            else:
                self._write(target, value)

    def _value(self, target: nodes.VariableTarget | str, value: nodes.Expression) -> Value:
        """Read a value to assign; the last key of `x[k] += 1` is written, and prunes the step above its bound."""
        match value:
            case nodes.Operation(left=nodes.Item() as old) if not isinstance(target, str) and _is_read(old, target):
                domain = self.domains[target.variable]
                for _ in target.keys[:-1]:
                    domain = _map_domain(domain).value
                with self.faults.quietly():
                    last = self.reader.plain(target.keys[-1])
                with self.faults.under(self.reader.bounds.inside(last, _map_domain(domain).key)):
                    return self.reader.value(value)
        return self.reader.value(value)

    def _write(self, target: nodes.VariableTarget, value: Value) -> None:
        domain = self.domains[target.variable]
        keys = []
        for number, key in enumerate(target.keys, 1):
            domain = _map_domain(domain)
            keys.append(self.reader.plain(key))
            if number < len(target.keys):
                self.reader.check_key(keys[-1], domain.key, key.at)
            else:
                self.faults.add(negative(keys[-1], domain.key), key.at, "the key is negative")
                self.keys.append((t.TRUE, keys[-1], domain.key))
            domain = domain.value
        try:
            old = self.reader.state[target.variable]
            new = v.update_map(old, tuple(keys), v.fit(value, domain))
        except v.Unsupported as error:
            raise refusal(target, str(error)) from None
        self.reader = replace(self.reader, state={**self.reader.state, target.variable: new})

    def _branch(self, statement: nodes.When) -> None:
        test = self.reader.truth(statement.condition)
        if test.op == "const":
            self.run(statement.then if test.value or statement.cover else statement.other)
            return
        one, two = (Execution(self.reader, self.domains, self.faults) for _ in range(2))
        for branch, condition, block in ((one, test, statement.then), (two, t.not_(test), statement.other)):
            with self.faults.under(condition):
                branch.run(block)
            self.guards += [t.implies(condition, guard) for guard in branch.guards]
            self.keys += [(t.and_(condition, where), key, of) for where, key, of in branch.keys]
        try:
            state = {n: v.choose(test, one.reader.state[n], two.reader.state[n]) for n in self.reader.state}
            last = one if statement.cover else two  # of a match, which has a case for every value
            both = one.reader.locals.keys() & last.reader.locals.keys()
            locals_ = {n: v.choose(test, one.reader.locals[n], last.reader.locals[n]) for n in both}
        except v.Unsupported as error:
            raise refusal(statement, str(error)) from None
        self.reader = replace(self.reader, state=state, locals=locals_)


def _map_domain(domain: Domain) -> MapDomain:
    assert isinstance(domain, MapDomain)
    return domain


def _is_read(item: nodes.Item, target: nodes.VariableTarget) -> bool:
    """Whether an item is what a target names."""
    keys, container = [item.key], item.container
    while isinstance(container, nodes.Item):
        keys.append(container.key)
        container = container.container
    named = isinstance(container, nodes.ReadVariable) and container.name == target.variable
    return named and tuple(reversed(keys)) == target.keys
