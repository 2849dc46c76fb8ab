"""A trace of ours as a module that TLC checks: it follows the trace and nothing else.

TLC's own JSON does not lead back: loading it, TLC takes a model value for a string and a set for a sequence.
"""

from collections.abc import Mapping
from typing import Any

from isrcheck.errors import UsageError
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import Domain, MapDomain
from isrcheck.ir.show import show
from isrcheck.passes.bind import BoundModel, bind_domain
from isrcheck.run.trace import Trace
from isrcheck.tla.bounds import asked_as
from isrcheck.tla.export import Exported
from isrcheck.tla.layout import written
from isrcheck.tla.modules import Module
from isrcheck.tla.page import comment, declared, module_text, paragraph
from isrcheck.tla.terms import Definition, Fields, Term, Word, sequence
from isrcheck.tla.trace_values import NOT_A_VALUE, OURS, decoded
from isrcheck.tla.vocabulary import Vocabulary, value_term


def trace_module(trace: Trace, exported: Exported, model: BoundModel) -> tuple[Module, str]:
    """The module, and a configuration with which TLC finds its last invariant violated in the trace's length.

    Then every step of the trace is a step of the model's module. Raises UsageError if the trace is of another model.
    """
    vocabulary = exported.writer.vocabulary
    word = "Trace"
    while any(name.startswith((word, word.lower())) for name in vocabulary.taken):
        word += "_"
    states = tuple(_state(step.state, vocabulary, model) for step in trace.steps)
    now = Fields("|->", tuple((name, Word(name)) for name in vocabulary.variables.values()))
    name = f"{exported.writer.name}Trace"
    lines = declared("CONSTANT", [(member, "") for member in _members(model)])
    lines += [*comment(f"{trace.length} states, in the last of which {trace.name or 'the run'} {trace.verb}."), ""]
    lines += paragraph(Definition(f"{word}States", (), sequence(states)))
    lines += paragraph(Definition(f"{word}Now", (), now))
    lines += _FOLLOWING.replace("Trace", word).replace("trace", word.lower()).split("\n")
    text = module_text(name, f"{exported.main}, TLC", lines)
    return Module(name, text), _configuration(trace, exported, model, word)


_FOLLOWING = """\
VARIABLE traceAt \\* which state this is

TraceInit == Init /\\ traceAt = 1 /\\ TraceNow = TraceStates[1]

TraceNext ==
    /\\ traceAt < Len(TraceStates)
    /\\ MCNext
    /\\ traceAt' = traceAt + 1
    /\\ TraceNow' = TraceStates[traceAt']

TraceSpec == TraceInit /\\ [][TraceNext]_<<vars, traceAt>>

\\* Violated in the last state, if every step up to there can be taken.
TraceUnfinished == traceAt < Len(TraceStates)
"""


def _members(model: BoundModel) -> list[str]:
    """The members of the sorts, which the module names."""
    sorts = (codec(bind_domain(sort, model.constants, model.ir.at)).values() for sort in model.ir.sorts)
    return [show(member) for members in sorts for member in members]


def _configuration(trace: Trace, exported: Exported, model: BoundModel, word: str) -> str:
    head = exported.configuration.split("\nINVARIANTS")[0].replace("MCSpec", f"{word}Spec")
    head += "".join(f"    {member} = {member}\n" for member in _members(model))
    lines = [head, f"INVARIANT {word}Unfinished", "CHECK_DEADLOCK FALSE"]
    shown = next((p for p in model.properties if p.name == trace.name), None)
    if shown is not None:
        lines.append(f"\\* Violated there too, if asked instead: {' '.join(asked_as(exported.writer, shown))}")
    return "\n".join(lines) + "\n"


def _state(state: Mapping[str, Any], vocabulary: Vocabulary, model: BoundModel) -> Term:
    fields = []
    for name, domain in model.domains.items():
        try:
            fields.append((vocabulary.variables[name], _term(decoded(state[name], domain, OURS), domain)))
        except NOT_A_VALUE:
            sentence = f"the trace has no value of {name}: it is of another model, or of other constants."
            raise UsageError(sentence) from None
    return Fields("|->", tuple(fields))


def _term(value: Any, domain: Domain) -> Term:
    """A variable's value as a term; a map is written out key by key."""
    if isinstance(domain, MapDomain):
        pairs = (f"{written(value_term(k))} :> {written(_term(v, domain.value))}" for k, v in value.items())
        return Word(f"({' @@ '.join(pairs)})")
    return value_term(value)
