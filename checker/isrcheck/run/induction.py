"""A counterexample to induction as a trace: states that keep everything assumed, and a step to one that does not.

Nobody says that its states can be reached, and whatever shows them says so.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from isrcheck.engines.reference import ReferenceStepper
from isrcheck.ir.domains import MapDomain, SequenceDomain, SetDomain
from isrcheck.ir.model import ModelIR, VariableIR
from isrcheck.ir.nodes import ReadVariable
from isrcheck.ir.traversal import walk
from isrcheck.lang.drawing import Drawing
from isrcheck.passes import bind
from isrcheck.passes.inline import Inliner
from isrcheck.passes.scalarize import decode
from isrcheck.passes.symbolic import SymbolicSystem
from isrcheck.run.trace import INDUCTION, Trace, TraceStep, Value, encode

UNSEEN = "not looked at"


def induction_trace(
    symbolic: SymbolicSystem,
    ir: ModelIR,
    what: str,
    states: Sequence[tuple[int, ...]],
    path: Sequence[int],
    model_name: str,
) -> Trace:
    """The states with the actions between them. `what` is the property or lemma that the last does not keep.

    Variables that the proof leaves out are shown as "not looked at"; those that are sets or sequences are left out.
    """
    constants = symbolic.model.choose(states[0][symbolic.first_symbolic :])
    teller = _Teller(symbolic, ir, constants)
    actions = [symbolic.system.instances[i] for i in path]
    steps = [TraceStep("", {}, teller.state(states[0]), teller.seen(states[0]))]
    for instance, state in zip(actions, states[1:], strict=True):
        names = [p.name for p in ir.actions[instance.action].parameters]
        arguments = {n: encode(v) for n, v in zip(names, instance.arguments, strict=True)}
        name = ir.actions[instance.action].name
        steps.append(TraceStep(name, arguments, teller.state(state), teller.seen(state)))
    method = next((p for p in (*ir.properties, *ir.lemmas) if p.name == what), None)
    sentence = _sentence(method.doc) if method else "The text of an action goes wrong in this state."
    return Trace(
        model=model_name,
        constants={n: encode(v) for n, v in constants.items()},
        name=what,
        kind=INDUCTION,
        sentence=f"{sentence} A counterexample to induction: its first state is not known to be reachable.",
        place=str(method.at) if method else "",
        steps=tuple(steps),
        actions={a.name: _sentence(a.doc) for a in ir.actions if a.name in {s.action for s in steps}},
        drawing=teller.drawing,
    )


def _sentence(doc: str) -> str:
    return " ".join(doc.split("\n\n")[0].split())


class _Teller:
    """States of an open system, cut or whole, in the model's values."""

    def __init__(self, symbolic: SymbolicSystem, ir: ModelIR, constants: dict[str, Any]) -> None:
        self.symbolic, self.ir = symbolic, ir
        self.drawing: Drawing | None = getattr(ir.cls, "drawing", None)
        self.whole = bind(ir, constants)
        self.reference = ReferenceStepper(self.whole)
        self.asked = tuple(self._can_ask()) if self.drawing else ()

    def _can_ask(self) -> Iterator[str]:
        """The methods that the drawing asks for, if they read nothing that was left out."""
        assert self.drawing is not None
        inliner = Inliner(self.ir)
        for name in self.drawing.names():
            if name in self.ir.helpers:
                read = {p.name for p in walk(inliner.condition(self.ir.helpers[name])) if isinstance(p, ReadVariable)}
                if read <= self.symbolic.model.domains.keys():
                    yield name

    def _values(self, state: tuple[int, ...]) -> dict[str, Any]:
        return decode(self.symbolic.model, state[: self.symbolic.first_symbolic])

    def state(self, state: tuple[int, ...]) -> dict[str, Value]:
        """The variables of a state, encoded; what was left out is said to be."""
        known = self._values(state)
        found: dict[str, Value] = {}
        for variable in self.ir.variables:
            if variable.name in known:
                found[variable.name] = encode(known[variable.name])
            elif (stand_in := self._unseen(variable)) is not None:
                found[variable.name] = stand_in
        return found

    def _unseen(self, variable: VariableIR) -> Value:
        match self.whole.domains[variable.name]:
            case SetDomain() | SequenceDomain() | MapDomain(value=SetDomain() | SequenceDomain()):
                return None
            case MapDomain():
                return {"map": [[encode(key), UNSEEN] for key in self.whole.initial[variable.name]]}
        return UNSEEN

    def seen(self, state: tuple[int, ...]) -> dict[str, Value]:
        """What the drawing asks of a state."""
        values = {**self.whole.initial, **self._values(state)}
        frozen = self.reference.state_of(values)
        return {name: encode(self.reference.ask(name, frozen)) for name in self.asked}
