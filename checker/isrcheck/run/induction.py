"""A counterexample to induction."""

from typing import Any

from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.engines.symbolic.proof import Stuck
from isrcheck.engines.symbolic.strategy import Attempt
from isrcheck.ir.domains import MapDomain, SequenceDomain, SetDomain
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import ModelIR
from isrcheck.ir.nodes import ReadVariable
from isrcheck.ir.traversal import walk
from isrcheck.lang.drawing import Drawing
from isrcheck.passes import bind
from isrcheck.passes.inline import Inliner
from isrcheck.passes.layout import decode
from isrcheck.passes.symbolic import SymbolicSystem
from isrcheck.run.trace import INDUCTION, Trace, TraceStep, Value, encode
from isrcheck.wrap import first_paragraph

UNSEEN = "not looked at"


def induction_trace(tried: Attempt, stuck: Stuck, model_name: str) -> Trace:
    """The states and actions; variables that the proof leaves out are "not looked at"."""
    symbolic = tried.symbolic
    ir = tried.plan.ir
    first, *others = stuck.states
    constants = symbolic.model.choose(first[symbolic.first_symbolic :])
    teller = _Teller(symbolic, ir, constants)
    steps = [teller.step(first)]
    for instance, state in zip((symbolic.system.instances[i] for i in stuck.path), others, strict=True):
        action = ir.actions[instance.action]
        named = zip(action.parameters, instance.arguments, strict=True)
        steps.append(replace(teller.step(state), action=action.name, arguments={p.name: encode(v) for p, v in named}))
    method = next((p for p in (*ir.properties, *ir.lemmas) if p.name == stuck.what), None)
    sentence = first_paragraph(method.doc) if method else "The text of an action goes wrong in this state."
    return Trace(
        model=model_name,
        constants={n: encode(v) for n, v in constants.items()},
        name=stuck.what,
        kind=INDUCTION,
        sentence=f"{sentence} A counterexample to induction: its first state is not known to be reachable.",
        place=str(method.at) if method else "",
        steps=tuple(steps),
        actions={a.name: first_paragraph(a.doc) for a in ir.actions if a.name in {s.action for s in steps}},
        drawing=teller.drawing,
    )


class _Teller:
    """States of an open system, cut or whole, in the model's values."""

    def __init__(self, symbolic: SymbolicSystem, ir: ModelIR, constants: dict[str, Any]) -> None:
        self.symbolic = symbolic
        self.ir = ir
        self.drawing: Drawing | None = getattr(ir.cls, "drawing", None)
        self.whole = bind(ir, constants, slots=False)
        self.reference = ReferenceStepper(self.whole)
        self.asked = tuple(filter(self._can_ask, self.drawing.names() if self.drawing else ()))

    def _can_ask(self, name: str) -> bool:
        """Whether a method reads nothing that was left out."""
        if name not in self.ir.helpers:
            return False
        text = Inliner(self.ir).condition(self.ir.helpers[name])
        return {p.name for p in walk(text) if isinstance(p, ReadVariable)} <= self.symbolic.model.domains.keys()

    def step(self, state: tuple[int, ...]) -> TraceStep:
        """A state, encoded; what was left out is said to be."""
        known = decode(self.symbolic.model, state[: self.symbolic.first_symbolic])
        values = {v.name: encode(known[v.name]) if v.name in known else self._unseen(v.name) for v in self.ir.variables}
        frozen = self.reference.state_of({**self.whole.initial, **known})
        seen = {name: encode(self.reference.ask(name, frozen)) for name in self.asked}
        return TraceStep("", {}, {n: v for n, v in values.items() if n in known or v is not None}, seen)

    def _unseen(self, name: str) -> Value:
        match self.whole.domains[name]:
            case SetDomain() | SequenceDomain() | MapDomain(value=SetDomain() | SequenceDomain()):
                return None
            case MapDomain():
                return {"map": [[encode(key), UNSEEN] for key in self.whole.initial[name]]}
        return UNSEEN
