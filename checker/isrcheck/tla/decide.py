"""Conditions that the text of a model decides, such as a policy that always gives the same answer."""

from collections.abc import Callable, Iterable
from contextlib import suppress

from msgspec import structs

from isrcheck.ir import nodes as ir
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import Method, ModelIR
from isrcheck.tla.expressions import Block, Expressions
from isrcheck.tla.terms import FALSE, TRUE, Apply, If, Infix, Junction, Lexeme, Prefix, Term

_WORDS = {True: TRUE, False: FALSE}


class Decider:
    """Evaluates terms that read neither variables nor constants."""

    def __init__(self, root: Expressions) -> None:
        self.root, names = root, root.names.methods
        self._helpers = {names[n]: m for n, m in root.model.helpers.items()}
        self._known: dict[Term, Lexeme | None] = {}

    def truth(self, term: Term) -> bool | None:
        """Whether a condition is true or false in every state; None if that depends."""
        value = self.value(term)
        return None if value not in (TRUE, FALSE) else value == TRUE

    def value(self, term: Term) -> Lexeme | None:
        if term not in self._known:
            self._known[term] = self._value(term)
        return self._known[term]

    def _value(self, term: Term) -> Lexeme | None:
        match term:
            case Lexeme(spelling):
                return term if spelling in ("TRUE", "FALSE") or spelling.isdigit() or spelling.startswith('"') else None
            case Apply(name, arguments) if name in self._helpers:
                return self._value_of_call(self._helpers[name], arguments)
            case Infix("=" | "#" as sign, left, right):
                one, two = self.value(left), self.value(right)
                return None if one is None or two is None else _WORDS[(one == two) == (sign == "=")]
            case Infix("=>", left, right):
                return self._junction("\\/", (Prefix("~", left), right))
            case Junction(sign, operands):
                return self._junction(sign, operands)
            case Prefix("~", operand):
                inner = self.truth(operand)
                return None if inner is None else _WORDS[not inner]
            case If(condition, then, other):
                decided = self.truth(condition)
                if decided is not None:
                    return self.value(then if decided else other)
                one, two = self.value(then), self.value(other)
                return one if one == two else None
        return None

    def _value_of_call(self, helper: Method, arguments: tuple[Term, ...]) -> Lexeme | None:
        if helper.returns is None:
            return None
        scope = self.root
        for parameter, argument in zip(helper.parameters, arguments, strict=True):
            scope = scope.with_local(parameter.name, argument, parameter.domain)
        return self.value(scope.value_of(helper.body))

    def _junction(self, sign: str, operands: tuple[Term, ...]) -> Lexeme | None:
        deciding = sign == "\\/"
        truths = [self.truth(operand) for operand in operands]
        if deciding in truths:
            return _WORDS[deciding]
        return None if None in truths else _WORDS[not deciding]


def remove_dead_branches(model: ModelIR, root: Expressions) -> ModelIR:
    """The text without branches never taken and calls of helpers that then do nothing."""
    decide = Decider(root)

    def decide_branches(method: Method) -> Method:
        scope = root.parameters(method)

        def select_branch(statement: ir.Statement) -> Block:
            if isinstance(statement, ir.When):
                with suppress(KeyError):  # of one that names local values of the method
                    truth = decide.truth(scope.term(statement.condition))
                    if truth is not None:
                        return statement.then if truth else statement.other
            return (statement,)

        return replace(method, body=_map_block(method.body, select_branch))

    helpers = {n: decide_branches(m) if m.returns is None else m for n, m in model.helpers.items()}
    actions = tuple(map(decide_branches, model.actions))
    empty: set[str] = set()
    while more := {n for n, m in helpers.items() if m.returns is None and not m.body} - empty:
        empty |= more
        helpers = {n: _without(m, empty) for n, m in helpers.items()}
    return replace(model, helpers=helpers, actions=tuple(_without(action, empty) for action in actions))


def _map_block(block: Block, rule: Callable[[ir.Statement], Iterable[ir.Statement]]) -> Block:
    """A block with what the rule makes of each statement, the innermost first."""
    statements: list[ir.Statement] = []
    for statement in block:
        if isinstance(statement, ir.When):
            statement = structs.replace(
                statement, then=_map_block(statement.then, rule), other=_map_block(statement.other, rule)
            )
        statements += rule(statement)
    return tuple(statements)


def _without(method: Method, empty: set[str]) -> Method:

    def drop_empty(statement: ir.Statement) -> Block:
        match statement:
            case ir.Perform(helper):
                return () if helper in empty else (statement,)
            case ir.When(then=(), other=()):
                return ()
        return (statement,)

    return replace(method, body=_map_block(method.body, drop_empty))
