"""The published test of an engine, against the reference on every toy's graph, and the toys' known answers."""

from array import array
from collections.abc import Callable

from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.explore import Explorer, reachable_states
from isrcheck.engines.reference.engine import search as reference
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.engines.registry import Capability, Engine, StateGraph
from isrcheck.ir.frozen import field_names
from isrcheck.lang.read import read_model
from isrcheck.passes import lower
from isrcheck.passes.bind import BoundModel, bind
from isrtoys import KNOWN, TOYS

Search = Callable[[BoundModel, Request], Searched]
Successors = dict[int, bytes]  # by instance, packed


class NotConformant(AssertionError):
    """An engine answers differently from the reference; the text says on which toy and how."""


def run_conformance(search: Engine | Search) -> int:
    """The number of toys compared. Raises NotConformant at the first difference."""
    run: Search = search.search if isinstance(search, Engine) else search
    for name, toy in TOYS.items():
        model = bind(read_model(toy), KNOWN[name].constants)
        names = tuple(p.name for p in model.properties)
        for request in (Request(), Request(properties=names), Request(properties=names, deadlock=True)):
            difference = difference_of(reference(model, request), run(model, request))
            if difference:
                if isinstance(search, Engine) and search.offers(Capability.GRAPH):
                    difference = first_differing_state(model, search) or difference
                raise NotConformant(f"{name}: {difference}")
        _compare_with_known(name, run(model, Request(properties=names)), run(model, Request()))
    return len(TOYS)


def difference_of(expected: Searched, actual: Searched) -> str | None:
    for name in (each for each in field_names(type(expected)) if each != "seconds"):
        one, two = getattr(expected, name), getattr(actual, name)
        if one != two:
            return f"{name}: the reference says {one}, and this engine {two}"
    return None


def first_differing_state(model: BoundModel, engine: Engine) -> str | None:
    stepper, system = ReferenceStepper(model), lower(model)
    packed = Explorer(stepper, {}, Request()).pack
    with engine.graph(system, (), Request()) as graph:
        successors = successors_in(graph)

    def show_state(state: bytes | None) -> str:
        if state is None:
            return "no state"
        words = [int.from_bytes(state[at : at + 8], "little") for at in range(0, len(state), 8)]
        values = stepper.packing.unpack(words)
        return ", ".join(f"{scalar.name}={value}" for scalar, value in zip(system.scalars, values, strict=True))

    for state in reachable_states(stepper):
        before = packed(state)
        expected = {i: packed(after) for i, after in stepper.steps(state) if after is not None}
        theirs = successors.get(before, {})
        for instance in sorted(expected.keys() | theirs.keys()):
            one, two = expected.get(instance), theirs.get(instance)
            if one != two:
                ways = f"the reference leads to {show_state(one)}, and this engine to {show_state(two)}"
                return f"from {show_state(before)}, {stepper.call(instance)}: {ways}"
    return None


def successors_in(graph: StateGraph) -> dict[bytes, Successors]:
    size = graph.words * 8
    states = [chunk[at : at + size] for chunk in graph.states() for at in range(0, len(chunk), size)]
    successors: dict[bytes, Successors] = {state: {} for state in states}
    for sources, targets in graph.steps():
        for both, target in zip(array("Q", sources), array("Q", targets), strict=True):
            source, instance = divmod(both, graph.instances)
            successors[states[source]][instance] = states[target]
    return successors


def _compare_with_known(name: str, search: Searched, graph: Searched) -> None:
    known = KNOWN[name]
    counts = (graph.distinct, graph.generated, graph.depth, graph.pruned)
    if counts != (known.distinct, known.generated, known.depth, known.pruned):
        raise NotConformant(f"{name}: its states, generated, depth and pruned are known, and this engine says {counts}")
    for asked, (_, length) in known.properties.items():
        path = search.paths.get(asked)
        if length is not None and (path is None or len(path) + 1 != length):
            raise NotConformant(f"{name}: {asked} is known to take a trace of {length} states, not {path}")
