"""Declared bounds that prune a step, in words."""

import re

from isrcheck.engines.frozen_values import State
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.ir.domains import inner_domains


def bounds_of(stepper: ReferenceStepper, state: State, instance: int) -> str:
    """Name the bound that prunes a step, as "the bound on max_records": its constant, else the variables."""
    variables = stepper.above(state, instance)
    ir = stepper.model.ir
    domains = (variable.domain for variable in ir.variables if variable.name in variables)
    bounds = (getattr(inner, end, "") for of in domains for inner in inner_domains(of) for end in ("high", "total"))
    words = {name for bound in bounds if isinstance(bound, str) for name in re.findall(r"\w+", bound)}
    constants = words & {c.name for c in ir.constants}
    named = constants if len(constants) == 1 else variables
    return f"the bound on {' and '.join(sorted(named))}" if named else "a bound"
