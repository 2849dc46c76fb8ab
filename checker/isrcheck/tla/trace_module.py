"""A trace of ours as a module that TLC checks: it follows the trace and nothing else.

TLC's own JSON does not lead back: loading it, TLC takes a model value for a string and a set for a sequence.
"""

from collections.abc import Mapping
from typing import Any

from isrcheck.errors import UsageError
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import (
    BoolDomain,
    Domain,
    IntDomain,
    MapDomain,
    OptionalDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from isrcheck.ir.show import show
from isrcheck.passes.bind import BoundModel, bind_domain
from isrcheck.run.trace import Trace
from isrcheck.tla.bounds import asked_as
from isrcheck.tla.export import Exported
from isrcheck.tla.layout import definition, written
from isrcheck.tla.modules import Module
from isrcheck.tla.page import comment, declared, title
from isrcheck.tla.terms import Definition, Record, Term, Tuple, Word
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
    now = Record(tuple((name, Word(name)) for name in vocabulary.variables.values()))
    name = f"{exported.writer.name}Trace"
    lines = [title(name), f"EXTENDS {exported.main}, TLC", ""]
    members = [show(m) for _, of in _members(model) for m in of]
    lines += declared("CONSTANT", [(member, "") for member in members])
    lines += [*comment(f"{trace.length} states, in the last of which {trace.name or 'the run'} {trace.verb}."), ""]
    lines += [*definition(Definition(f"{word}States", (), Tuple(states))), ""]
    lines += [*definition(Definition(f"{word}Now", (), now)), ""]
    lines += [line.replace("Trace", word).replace("trace", word.lower()) for line in _FOLLOWING]
    return Module(name, "\n".join([*lines, "=" * 78]) + "\n"), _configuration(trace, exported, model, word)


_FOLLOWING = [
    "VARIABLE traceAt \\* which state this is",
    "",
    "TraceInit == Init /\\ traceAt = 1 /\\ TraceNow = TraceStates[1]",
    "",
    "TraceNext ==",
    "    /\\ traceAt < Len(TraceStates)",
    "    /\\ MCNext",
    "    /\\ traceAt' = traceAt + 1",
    "    /\\ TraceNow' = TraceStates[traceAt']",
    "",
    "TraceSpec == TraceInit /\\ [][TraceNext]_<<vars, traceAt>>",
    "",
    "\\* Violated in the last state, if every step up to there can be taken.",
    "TraceUnfinished == traceAt < Len(TraceStates)",
    "",
]


def _members(model: BoundModel) -> list[tuple[str, list[Any]]]:
    """The members of each sort, which the module names."""
    return [(s.name, list(codec(bind_domain(s, model.constants, model.ir.at)).values())) for s in model.ir.sorts]


def _configuration(trace: Trace, exported: Exported, model: BoundModel, word: str) -> str:
    head = exported.configuration.split("\nINVARIANTS")[0].replace("MCSpec", f"{word}Spec")
    head += "".join(f"    {show(m)} = {show(m)}\n" for _, of in _members(model) for m in of)
    lines = [head, f"INVARIANT {word}Unfinished", "CHECK_DEADLOCK FALSE"]
    shown = next((p for p in model.properties if p.name == trace.name), None)
    if shown is not None:
        lines.append(f"\\* Violated there too, if asked instead: {' '.join(asked_as(exported.writer, shown))}")
    return "\n".join(lines) + "\n"


def _state(state: Mapping[str, Any], vocabulary: Vocabulary, model: BoundModel) -> Term:
    fields = []
    for name, domain in model.domains.items():
        try:
            fields.append((vocabulary.variables[name], _term(of_trace(state[name], domain), domain)))
        except (KeyError, TypeError, ValueError, StopIteration):
            raise UsageError(
                f"the trace has no value of {name}: it is of another model, or of other constants."
            ) from None
    return Record(tuple(fields))


def of_trace(data: Any, domain: Domain) -> Any:
    """A value as a trace has it, as the model's own. Raises KeyError, TypeError, ValueError or StopIteration."""
    match domain:
        case OptionalDomain(of=of):
            return None if data is None or of is None else of_trace(data, of)
        case BoolDomain() | IntDomain():
            if not isinstance(data, int):
                raise TypeError(data)
            return data
        case SequenceDomain(of=of):
            return tuple(of_trace(part, of) for part in data) if of is not None else ()
        case SetDomain(of=of):
            return frozenset(of_trace(part, of) for part in data["set"]) if of is not None else frozenset()
        case MapDomain(key=key, value=value):
            return {of_trace(k, key): of_trace(v, value) for k, v in data["map"]}
        case RecordDomain(fields=fields, make=make):
            return make(*(of_trace(data["fields"][name], of) for name, of in fields))
    return next(v for v in codec(domain).values() if show(v) == data)


def _term(value: Any, domain: Domain) -> Term:
    """A variable's value as a term; a map is written out key by key."""
    if isinstance(domain, MapDomain):
        pairs = (f"{written(value_term(k))} :> {written(_term(v, domain.value))}" for k, v in value.items())
        return Word(f"({' @@ '.join(pairs)})")
    return value_term(value)
