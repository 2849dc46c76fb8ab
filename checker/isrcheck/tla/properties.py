"""Properties as TLA+: predicates of a state, and of a step where two states or the action taken matter."""

from dataclasses import replace

from isrcheck.ir.nodes import Method, TakenAction, TakenArgument
from isrcheck.ir.traversal import walk
from isrcheck.tla import names
from isrcheck.tla.expressions import Expressions, Scope
from isrcheck.tla.gather import quantify
from isrcheck.tla.terms import Apply, Bind, Box, Prime, Term, Word, both, either, implies
from isrcheck.tla.vocabulary import Vocabulary


def predicate(speak: Expressions, method: Method) -> Term:
    """An invariant, an assumption or a claim."""
    return speak.value_of(method.body, Scope())


def step_property(speak: Expressions, method: Method) -> Term:
    """[][what holds of a step]_vars. Where the action taken matters: for each action, if the step is one of it."""
    variables = speak.vocabulary.variables
    scope = Scope(state={name: Prime(Word(term)) for name, term in variables.items()})
    asked = {p.name for p in walk(method.body) if isinstance(p, TakenAction)}
    arguments = any(isinstance(p, TakenArgument) for p in walk(method.body))
    if not asked and not arguments:
        return Box(speak.value_of(method.body, scope), "vars")
    rest = [a for a in speak.ir.actions if a.name not in asked and not arguments]
    told = [_if_taken(speak, method, a, scope) for a in speak.ir.actions if a not in rest]
    body = speak.value_of(method.body, scope)
    some = either(*(some_step(speak.vocabulary, a) for a in rest))
    return Box(both(*told, implies(some, body) if rest else Word("TRUE")), "vars")


def _if_taken(speak: Expressions, method: Method, action: Method, scope: Scope) -> Term:
    """If the step is one of this action, what then holds of it."""
    named = parameter_names(speak.vocabulary, action)
    given = {p: Word(n) for p, n in named.items()}
    inner = replace(scope, taken=action.name, arguments=given, used=scope.used.union(named.values()))
    body = speak.value_of(method.body, inner)
    step = Apply(speak.vocabulary.methods[action.name], tuple(given.values()))
    if body == Word("TRUE"):
        return body
    return over_parameters("\\A", speak.vocabulary, action, implies(step, body))


def some_step(vocabulary: Vocabulary, action: Method) -> Term:
    """An action with some parameters."""
    named = parameter_names(vocabulary, action)
    step = Apply(vocabulary.methods[action.name], tuple(map(Word, named.values())))
    return over_parameters("\\E", vocabulary, action, step)


def parameter_names(vocabulary: Vocabulary, action: Method) -> dict[str, str]:
    """What an action's parameters are called, as in its definition."""
    found: dict[str, str] = {}
    for parameter in action.parameters:
        taken = vocabulary.taken | set(found.values())
        found[parameter.name] = names.free_local(parameter.name, taken, vocabulary.variables.values())
    return found


def over_parameters(sign: str, vocabulary: Vocabulary, action: Method, body: Term) -> Term:
    """A body for all, or some, parameters of an action."""
    named = parameter_names(vocabulary, action)
    for parameter in reversed(action.parameters):
        body = quantify(sign, Bind((named[parameter.name],), vocabulary.set_of(parameter.domain, True)), body)
    return body
