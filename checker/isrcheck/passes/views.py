"""A view in scalars: what of a state tells it apart, and what a view hides that matters."""

from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any

from isrcheck.errors import ModelError
from isrcheck.ir.codec import codec
from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.nodes import Assign, ReadLocal, ReadVariable, Return
from isrcheck.ir.scalar import Node
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.cone import method_reads, summary
from isrcheck.passes.evaluate import Evaluator
from isrcheck.passes.inline import Inliner
from isrcheck.passes.update import read_state
from isrcheck.passes.values import kinds
from isrcheck.passes.values.shapes import Shapes
from isrcheck.place import Place


def view_nodes(model: BoundModel, shapes: Shapes, inliner: Inliner) -> tuple[Node, ...] | None:
    """None without a view. Raises ModelError."""
    method = model.ir.view
    if method is None:
        return None
    state, scalars = read_state(model, shapes)
    evaluator, own = Evaluator(model, shapes, state), iter(scalars)
    whole_of = {name: list(islice(own, codec(domain).width)) for name, domain in model.domains.items()}
    found: list[Node] = []
    for part in _parts(method):
        if isinstance(value := part.values[0], ReadVariable):
            found += whole_of[value.name]
            continue
        name = part.targets[0]
        assert isinstance(name, str)
        whole = inliner.value_of((part, Return(ReadLocal(name, part.at), part.at)), {}, False)
        found += _flat(shapes, evaluator.value(whole, {}), part.at)
    if any(fault.condition.high for fault in evaluator.faults):
        fault = evaluator.faults[0]
        raise ModelError(fault.place, f"{fault.sentence}, in some state.", "A view has a value in every state.")
    return tuple(node if node.low >= 0 else shapes.n.sub(node, shapes.n.const(node.low)) for node in found)


def _parts(method: Method) -> list[Assign]:
    return [each for each in method.body if isinstance(each, Assign)]


def _flat(shapes: Shapes, value: Any, at: Place) -> Iterator[Node]:
    """Scalars that are equal where the values are; what is not there is 0."""
    n = shapes.n
    match value:
        case kinds.ScalarValue(node=node):
            yield node
        case kinds.OptionValue(present=present, value=inner):
            yield present
            for node in _flat(shapes, inner, at) if inner is not None else ():
                yield n.ite(present, node, n.const(0))
        case kinds.RecordValue(parts=parts):
            for part in parts:
                yield from _flat(shapes, part, at)
        case kinds.MapValue(entries=entries):
            for entry in entries:
                yield from _flat(shapes, entry, at)
        case kinds.SlotMap(slots=words, entries=entries):
            yield from words
            for entry in entries:
                yield from _flat(shapes, entry, at)
        case kinds.SequenceValue(length=length, slots=slots):
            yield length
            for place, slot in enumerate(slots):
                for node in _flat(shapes, slot, at):
                    yield n.ite(n.lt(n.const(place), length), node, n.const(0))
        case kinds.SetValue(masks=masks, further=()) if value.of is not None:
            yield from masks
        case _:
            sentence = "this part of a view has no form in scalars of its own."
            raise ModelError(at, sentence, "Return a variable, a part of one, a number, a truth value or a record.")


def shown(ir: ModelIR) -> frozenset[str]:
    """The variables that the view has whole."""
    parts = _parts(ir.view) if ir.view else []
    values = [value for part in parts for value in part.values]
    return frozenset(value.name for value in values if isinstance(value, ReadVariable))


def hidden_readers(model: BoundModel) -> Iterator[str]:
    """What reads a variable that the view hides, though states that it makes one should go on alike: as phrases."""
    ir, inliner = model.ir, Inliner(model.ir)
    if ir.view is None:
        return
    seen = shown(ir)
    for action in ir.actions:
        updates, guards = summary(inliner.method(action))
        for reads in guards:
            yield from _named(reads - seen, f"a guard of {action.name}() reads")
        for variable, reads in updates:
            if variable in seen:
                yield from _named(reads - seen, f"the update of {variable} in {action.name}() reads")
    yield from _named(method_reads(inliner, ir.view) - seen, "it shows a part of")


def hides_from(model: BoundModel, property_name: str) -> str:
    """What of the state the view hides from a property, as a phrase; empty if nothing."""
    method = next((p for p in model.ir.properties if p.name == property_name), None)
    if model.ir.view is None or method is None:
        return ""
    names = method_reads(Inliner(model.ir), method) - shown(model.ir)
    return " and ".join(sorted(names))


def _named(names: Collection[str], reader: str) -> Iterator[str]:
    yield from (f"{name}, which {reader}" for name in sorted(names))
