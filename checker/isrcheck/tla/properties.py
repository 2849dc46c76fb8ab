"""Properties as TLA+: predicates of a state, and of a step where two states or the action taken matter."""

from dataclasses import replace

from isrcheck.ir.model import Method
from isrcheck.ir.nodes import TakenAction, TakenArgument
from isrcheck.ir.traversal import walk
from isrcheck.tla.comprehensions import Scope, quantified
from isrcheck.tla.expressions import Expressions
from isrcheck.tla.terms import TRUE, Apply, Bind, Box, Prime, Term, Word, both, either, implies
from isrcheck.tla.vocabulary import Vocabulary, free_local


def predicate(expressions: Expressions, method: Method) -> Term:
    """An invariant, an assumption or a reachability property."""
    return expressions.value_of(method.body, Scope())


def step_property(expressions: Expressions, method: Method) -> Term:
    """[][what holds of a step]_vars. Where the action taken matters: for each action, if the step is one of it."""
    vocabulary, actions = expressions.vocabulary, expressions.ir.actions
    scope = Scope(state={name: Prime(Word(term)) for name, term in vocabulary.variables.items()})
    asked = {p.name for p in walk(method.body) if isinstance(p, TakenAction)}
    arguments = any(isinstance(p, TakenArgument) for p in walk(method.body))
    of_any_step = expressions.value_of(method.body, scope)
    if not asked and not arguments:
        return Box(of_any_step, "vars")
    rest = [a for a in actions if a.name not in asked and not arguments]
    taken = [_if_taken(expressions, method, a, scope) for a in actions if a not in rest]
    some = either(*(some_step(vocabulary, a) for a in rest))
    return Box(both(*taken, implies(some, of_any_step) if rest else TRUE), "vars")


def _if_taken(expressions: Expressions, method: Method, action: Method, scope: Scope) -> Term:
    """If the step is one of this action, what then holds of it."""
    named = parameter_names(expressions.vocabulary, action)
    given = {p: Word(n) for p, n in named.items()}
    inner = replace(scope, taken=action.name, arguments=given, used=scope.used.union(named.values()))
    body = expressions.value_of(method.body, inner)
    step = Apply(expressions.vocabulary.methods[action.name], tuple(given.values()))
    return body if body == TRUE else over_parameters("\\A", expressions.vocabulary, action, implies(step, body))


def some_step(vocabulary: Vocabulary, action: Method) -> Term:
    """An action with some parameters."""
    named = parameter_names(vocabulary, action)
    step = Apply(vocabulary.methods[action.name], tuple(map(Word, named.values())))
    return over_parameters("\\E", vocabulary, action, step)


def parameter_names(vocabulary: Vocabulary, action: Method) -> dict[str, str]:
    """What an action's parameters are called, as in its definition."""
    named: dict[str, str] = {}
    for parameter in action.parameters:
        taken = vocabulary.taken | set(named.values())
        named[parameter.name] = free_local(parameter.name, taken, vocabulary.variables.values())
    return named


def over_parameters(sign: str, vocabulary: Vocabulary, action: Method, body: Term) -> Term:
    """A body for all, or some, parameters of an action."""
    named = parameter_names(vocabulary, action)
    for parameter in reversed(action.parameters):
        body = quantified(sign, Bind((named[parameter.name],), vocabulary.set_of(parameter.domain, True)), body)
    return body
