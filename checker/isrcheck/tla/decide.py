"""What the text itself decides: a policy that always gives the same answer settles what is asked of it."""

from dataclasses import replace

from isrcheck.ir.nodes import Method, ModelIR, Perform, Statement, When
from isrcheck.tla.expressions import Expressions, Scope
from isrcheck.tla.terms import FALSE, TRUE, Apply, If, Infix, Junction, Prefix, Term, Word


class Decider:
    """Evaluates conditions that depend on no variable and no constant."""

    def __init__(self, speak: Expressions) -> None:
        self.speak = speak
        self._helpers = {speak.vocabulary.methods[name]: method for name, method in speak.ir.helpers.items()}
        self._known: dict[Term, Word | None] = {}

    def truth(self, term: Term) -> bool | None:
        """Whether a condition is true or false in every state; None if that depends."""
        found = self.value(term)
        return None if found not in (TRUE, FALSE) else found == TRUE

    def value(self, term: Term) -> Word | None:
        if term not in self._known:
            self._known[term] = self._value(term)
        return self._known[term]

    def _value(self, term: Term) -> Word | None:
        match term:
            case Word(text=text):
                return term if text in ("TRUE", "FALSE") or text.isdigit() or text.startswith('"') else None
            case Apply(name=name, arguments=arguments) if name in self._helpers:
                return self._called(self._helpers[name], arguments)
            case Infix(sign="=" | "#" as sign, left=left, right=right):
                one, two = self.value(left), self.value(right)
                return None if one is None or two is None else _word((one == two) == (sign == "="))
            case Infix(sign="=>", left=left, right=right):
                return self._junction("\\/", (Prefix("~", left), right))
            case Junction(sign=sign, parts=parts):
                return self._junction(sign, parts)
            case Prefix(sign="~", operand=operand):
                inner = self.truth(operand)
                return None if inner is None else _word(not inner)
            case If(condition=condition, then=then, other=other):
                decided = self.truth(condition)
                if decided is not None:
                    return self.value(then if decided else other)
                one, two = self.value(then), self.value(other)
                return one if one == two else None
        return None

    def _called(self, helper: Method, arguments: tuple[Term, ...]) -> Word | None:
        if helper.returns is None:
            return None
        scope = Scope()
        for parameter, argument in zip(helper.parameters, arguments, strict=True):
            scope = scope.knowing(parameter.name, argument, parameter.domain)
        return self.value(self.speak.value_of(helper.body, scope))

    def _junction(self, sign: str, parts: tuple[Term, ...]) -> Word | None:
        deciding = sign == "\\/"
        found = [self.truth(part) for part in parts]
        if deciding in found:
            return _word(deciding)
        return None if None in found else _word(not deciding)


def _word(truth: bool) -> Word:
    return TRUE if truth else FALSE


def pruned(ir: ModelIR, speak: Expressions) -> ModelIR:
    """The text without branches that are never taken, and without calls of helpers that then do nothing."""
    decide = Decider(speak)
    helpers = dict(ir.helpers)
    for name, method in ir.helpers.items():
        if method.returns is None:
            helpers[name] = replace(method, body=_block(method.body, method, speak, decide))
    idle: set[str] = set()
    while True:
        more = {n for n, m in helpers.items() if m.returns is None and not m.body} - idle
        if not more:
            break
        idle |= more
        helpers = {n: replace(m, body=_without(m.body, idle)) for n, m in helpers.items()}
    actions = tuple(replace(a, body=_without(_block(a.body, a, speak, decide), idle)) for a in ir.actions)
    return replace(ir, helpers=helpers, actions=actions)


def _block(block: tuple[Statement, ...], method: Method, speak: Expressions, decide: Decider) -> tuple[Statement, ...]:
    found: list[Statement] = []
    for statement in block:
        if isinstance(statement, When):
            then, other = (_block(b, method, speak, decide) for b in (statement.then, statement.other))
            truth = _decided(statement, method, speak, decide)
            if truth is None:
                found.append(replace(statement, then=then, other=other))
            else:
                found += then if truth else other
        else:
            found.append(statement)
    return tuple(found)


def _decided(statement: When, method: Method, speak: Expressions, decide: Decider) -> bool | None:
    """Whether a condition is settled; one that names local values of the method is not."""
    try:
        term = speak.term(statement.condition, speak.parameters(method))
    except KeyError:
        return None
    return decide.truth(term)


def _without(block: tuple[Statement, ...], idle: set[str]) -> tuple[Statement, ...]:
    found: list[Statement] = []
    for statement in block:
        match statement:
            case Perform(helper=helper) if helper in idle:
                continue
            case When(then=then, other=other):
                statement = replace(statement, then=_without(then, idle), other=_without(other, idle))
                if not statement.then and not statement.other:
                    continue
        found.append(statement)
    return tuple(found)
