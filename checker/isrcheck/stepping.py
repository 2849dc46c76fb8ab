"""Names with which another package takes a model's steps one by one, at the level of values (docs/adr/003)."""

from isrcheck.engines.frozen_values import Frozen, State
from isrcheck.engines.reference.why import AskingStepper, Bound, Guard, guard_text
from isrcheck.ir.codec import Above, NeedsSlots, allow_sets_of, codec
from isrcheck.ir.domains import Domain, IntDomain, MapDomain, SequenceDomain, SetDomain, number, span
from isrcheck.lang.declare import NotEnabled
from isrcheck.lang.instance import Map, WroteAbove, thaw, undo, with_sort_sizes
from isrcheck.passes.bind import BoundModel, bind
from isrcheck.run.replay import action_sentences, drawing_of, names_at_default, steps_of
from isrcheck.run.trace import RUN, encode
from isrcheck.run.vacuity import guards_of_state, is_switched_off

__all__ = ["AskingStepper", "Bound", "BoundModel", "Guard", "bind"]  # a model with its constants, and its stepper
__all__ += ["guard_text", "guards_of_state", "is_switched_off"]  # the guards of its actions
__all__ += ["Frozen", "Map", "NotEnabled", "State", "WroteAbove", "thaw", "undo", "with_sort_sizes"]  # values
__all__ += ["Domain", "IntDomain", "MapDomain", "SequenceDomain", "SetDomain", "number", "span"]  # domains of values
__all__ += ["Above", "NeedsSlots", "allow_sets_of", "codec"]  # what a domain has room for
__all__ += ["RUN", "action_sentences", "drawing_of", "encode", "names_at_default", "steps_of"]  # a trace of the steps
